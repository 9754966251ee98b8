/** The adapters: what they ask for, and what they make of answers in the documented shapes. */
import { createClient, type SearchEngine } from 'pagewright';
import { braveSearch, exa, searxng, tavily } from 'pagewright/search';
import { type FixtureServer, type LoggedRequest, serve } from 'pagewright/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failure } from '../../support/failure.ts';

const network = { allow: ['127.0.0.1'] };
const key = 'key-0123456789abcdef';

/** A server that answers JSON; a list gives one answer after another, the last one again and again. */
async function api(answers: object | readonly object[]): Promise<FixtureServer> {
  const list: readonly object[] = Array.isArray(answers) ? (answers as object[]) : [answers];
  let asked = 0;
  const server = await serve(() => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(list[Math.min(asked++, list.length - 1)]),
  }));
  onTestFinished(() => server.close());
  return server;
}

function clientOf(search: SearchEngine): ReturnType<typeof createClient> {
  const client = createClient({
    search,
    network,
    clock: { now: () => Date.UTC(2026, 10, 27), random: () => 0 },
  });
  onTestFinished(() => client.close());
  return client;
}

function queryOf({ url }: LoggedRequest): Record<string, string> {
  return Object.fromEntries(new URL(url, 'http://x').searchParams);
}

function bodyOf({ body }: LoggedRequest): unknown {
  return JSON.parse(Buffer.from(body).toString());
}

describe('searxng', () => {
  const results = [
    {
      url: 'https://tides.example/table',
      title: 'Tide <b>tables</b>',
      content: 'High water at Dover &amp; Calais.',
      publishedDate: '2026-11-20T08:00:00',
      engine: 'duckduckgo',
      parsed_url: ['https', 'tides.example', '/table', '', '', ''],
      score: 1.5,
      category: 'general',
    },
    { url: 'https://moon.example/', title: 'The moon', content: '', publishedDate: null },
  ];

  test('asks with its parameters and reads the answer', async () => {
    const server = await api({ query: 'tides', number_of_results: 0, results, answers: [] });
    const url = server.url('/searx/');
    const client = clientOf(
      searxng({ url, engines: ['duckduckgo', 'bing'], headers: { 'X-Pass': key } }),
    );
    const found = await client.search('tide tables', {
      limit: 2,
      country: 'ch',
      language: 'de',
      since: 'month',
      safeSearch: 'strict',
      excludeDomains: ['*.spam.example'],
    });
    const [asked] = server.log;
    expect(server.log).toHaveLength(1);
    expect(asked?.method).toBe('GET');
    expect(new URL(asked?.url ?? '', server.origin).pathname).toBe('/searx/search');
    expect(asked?.headers['x-pass']).toBe(key);
    expect(asked && queryOf(asked)).toEqual({
      q: 'tide tables -site:spam.example',
      format: 'json',
      categories: 'general',
      engines: 'duckduckgo,bing',
      language: 'de-CH',
      time_range: 'month',
      safesearch: '2',
      pageno: '1',
    });
    expect(found).toEqual({
      web: [
        {
          url: 'https://tides.example/table',
          title: 'Tide tables',
          description: 'High water at Dover & Calais.',
          publishedAt: '2026-11-20T08:00:00.000Z',
          position: 1,
        },
        { url: 'https://moon.example/', title: 'The moon', description: '', position: 2 },
      ],
      news: [],
      images: [],
      engine: 'searxng',
    });
  });

  test('is asked for further pages until the limit is reached, and no page twice in vain', async () => {
    const page = (number: number): object => ({
      results: Array.from({ length: 20 }, (_, at) => ({
        url: `https://site.example/${number * 20 + at}`,
        title: `Page ${number * 20 + at}`,
      })),
    });
    const server = await api([page(0), page(1), page(1)]);
    const client = clientOf(searxng({ url: server.origin }));
    const { web } = await client.search('pages', { limit: 60 });
    expect(web).toHaveLength(40);
    expect(web.at(-1)).toMatchObject({ url: 'https://site.example/39', position: 40 });
    expect(server.log.map((request) => queryOf(request)['pageno'])).toEqual(['1', '2', '3']);
  });

  test('images have the picture, its size and its page', async () => {
    const server = await api({
      results: [
        {
          url: 'https://photos.example/moon',
          title: 'Moon',
          img_src: 'https://photos.example/moon.jpg',
          thumbnail_src: 'https://photos.example/small.jpg',
          resolution: '640 x 480',
        },
      ],
    });
    const { images } = await clientOf(searxng({ url: server.origin })).search('moon', {
      sources: ['images'],
      limit: 1,
    });
    expect(images).toEqual([
      {
        imageUrl: 'https://photos.example/moon.jpg',
        url: 'https://photos.example/moon',
        title: 'Moon',
        imageWidth: 640,
        imageHeight: 480,
        position: 1,
      },
    ]);
  });

  test('a country needs a language, and a date is not considered', async () => {
    const server = await api({ results });
    const client = clientOf(searxng({ url: server.origin }));
    const error = await failure(client.search('tides', { country: 'CH' }));
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/language/) as string,
    });
    const { warning } = await client.search('tides', { since: '2026-03-01', limit: 1 });
    expect(warning).toBe('The search engine searxng ignores since with a date for web.');
  });
});

describe('braveSearch', () => {
  test('asks with its parameters and reads web results', async () => {
    const server = await api({
      type: 'search',
      query: { original: 'tides', more_results_available: false },
      web: {
        type: 'search',
        results: [
          {
            title: 'Tides',
            url: 'https://tides.example/',
            description: 'About <strong>tides</strong>.',
            page_age: '2026-11-01T10:00:00',
            language: 'pt',
            profile: { name: 'Tides' },
          },
        ],
      },
    });
    const client = clientOf(braveSearch({ apiKey: key, url: server.url('/res/v1/') }));
    const { web, engine } = await client.search('tides', {
      country: 'br',
      language: 'pt-BR',
      since: new Date('2026-11-01T00:00:00Z'),
      safeSearch: 'moderate',
      includeDomains: ['tides.example', 'moon.example'],
    });
    const [asked] = server.log;
    expect(asked?.headers['x-subscription-token']).toBe(key);
    expect(new URL(asked?.url ?? '', server.origin).pathname).toBe('/res/v1/web/search');
    expect(asked && queryOf(asked)).toEqual({
      q: 'tides (site:tides.example OR site:moon.example)',
      count: '5',
      country: 'BR',
      search_lang: 'pt-br',
      safesearch: 'moderate',
      freshness: '2026-11-01to2026-11-27',
    });
    expect(engine).toBe('brave');
    expect(web).toEqual([
      {
        url: 'https://tides.example/',
        title: 'Tides',
        description: 'About tides.',
        publishedAt: '2026-11-01T10:00:00.000Z',
        position: 1,
      },
    ]);
  });

  test('news and images have endpoints of their own, asked for side by side', async () => {
    const server = await serve((request) => {
      const body = request.url.startsWith('/news/search')
        ? {
            type: 'news',
            results: [{ url: 'https://news.example/1', title: 'News', age: '2 hours ago' }],
          }
        : {
            type: 'images',
            results: [
              {
                url: 'https://photos.example/page',
                title: 'A photo',
                properties: { url: 'https://photos.example/a.png', width: 10, height: 20 },
              },
              { url: 'https://photos.example/none', title: 'Without a picture' },
            ],
          };
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    });
    onTestFinished(() => server.close());
    const client = clientOf(braveSearch({ apiKey: key, url: server.origin }));
    const found = await client.search('moon', {
      sources: ['news', 'images'],
      since: 'day',
      safeSearch: 'moderate',
      limit: 1,
    });
    const [news, images] = server.log.toSorted((a, b) => (a.url < b.url ? 1 : -1));
    expect(news && queryOf(news)).toMatchObject({ freshness: 'pd', safesearch: 'moderate' });
    expect(images && queryOf(images)).toEqual({ q: 'moon', count: '1', safesearch: 'strict' });
    expect(found.news.map(({ url }) => url)).toEqual(['https://news.example/1']);
    expect(found.images).toEqual([
      {
        imageUrl: 'https://photos.example/a.png',
        url: 'https://photos.example/page',
        title: 'A photo',
        imageWidth: 10,
        imageHeight: 20,
        position: 1,
      },
    ]);
    expect(found.warning).toBe('The search engine brave ignores since for images.');
  });

  test('pages of 20 are asked for by their number', async () => {
    const results = (from: number): object[] =>
      Array.from({ length: 20 }, (_, at) => ({
        url: `https://a.example/${from + at}`,
        title: 'A',
      }));
    const server = await api([{ web: { results: results(0) } }, { web: { results: results(20) } }]);
    const client = clientOf(braveSearch({ apiKey: key, url: server.origin }));
    expect((await client.search('a', { limit: 30 })).web).toHaveLength(30);
    expect(server.log.map((request) => queryOf(request)['offset'])).toEqual([undefined, '1']);
  });

  test.each([
    ['ja', 'jp'],
    ['zh-TW', 'zh-hant'],
    ['zh', 'zh-hans'],
    ['pt', 'pt-pt'],
    ['de-AT', 'de'],
  ])('the language %s is %s there', async (language, code) => {
    const server = await api({ web: { results: [] } });
    await clientOf(braveSearch({ apiKey: key, url: server.origin })).search('a', { language });
    expect(server.log.map((request) => queryOf(request)['search_lang'])).toEqual([code]);
  });
});

describe('tavily', () => {
  const answer = {
    query: 'tides',
    answer: null,
    images: [
      { url: 'https://photos.example/a.jpg', description: 'A beach' },
      'https://photos.example/b.jpg',
    ],
    results: [
      {
        title: 'Tides',
        url: 'https://tides.example/',
        content: 'All about tides.',
        score: 0.98,
        raw_content: null,
        published_date: 'Thu, 12 Nov 2026 15:58:29 GMT',
      },
    ],
    response_time: 1.2,
  };

  test('posts its parameters and reads the answer', async () => {
    const server = await api(answer);
    const client = clientOf(tavily({ apiKey: key, url: server.origin, depth: 'advanced' }));
    const { web, warning } = await client.search('tides', {
      limit: 50,
      country: 'US',
      language: 'en',
      since: 'week',
      includeDomains: ['tides.example'],
      safeSearch: 'strict',
    });
    const [asked] = server.log;
    expect(asked).toMatchObject({ method: 'POST', url: '/search' });
    expect(asked?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(asked && bodyOf(asked)).toEqual({
      query: 'tides',
      topic: 'general',
      search_depth: 'advanced',
      max_results: 20,
      country: 'united states',
      time_range: 'week',
      include_domains: ['tides.example'],
      safe_search: true,
    });
    expect(web).toEqual([
      {
        url: 'https://tides.example/',
        title: 'Tides',
        description: 'All about tides.',
        publishedAt: '2026-11-12T15:58:29.000Z',
        position: 1,
      },
    ]);
    expect(warning).toBe('The search engine tavily ignores language for web.');
  });

  test('news is a topic, images come with a search', async () => {
    const server = await api(answer);
    const client = clientOf(tavily({ apiKey: key, url: server.origin }));
    const { news, images } = await client.search('tides', {
      sources: ['news', 'images'],
      since: '2026-11-01',
    });
    const bodies = server.log.map(bodyOf);
    expect(bodies).toContainEqual({
      query: 'tides',
      topic: 'news',
      max_results: 5,
      start_date: '2026-11-01',
    });
    expect(bodies).toContainEqual({
      query: 'tides',
      topic: 'general',
      max_results: 5,
      start_date: '2026-11-01',
      include_images: true,
      include_image_descriptions: true,
    });
    expect(news).toHaveLength(1);
    expect(images).toEqual([
      { imageUrl: 'https://photos.example/a.jpg', title: 'A beach', position: 1 },
      {
        imageUrl: 'https://photos.example/b.jpg',
        title: 'https://photos.example/b.jpg',
        position: 2,
      },
    ]);
  });
});

describe('exa', () => {
  test('posts its parameters and reads the answer', async () => {
    const server = await api({
      requestId: 'b5947044c4b78efa9552a7c89b306d95',
      results: [
        {
          title: 'Tides',
          url: 'https://tides.example/',
          publishedDate: '2026-11-16T01:36:32.547Z',
          author: null,
          id: 'https://tides.example/',
          highlights: ['The moon pulls.', 'The sea follows.'],
          highlightScores: [0.4, 0.3],
        },
      ],
    });
    const client = clientOf(exa({ apiKey: key, url: server.origin }));
    const { news } = await client.search('why are there tides', {
      sources: ['news'],
      limit: 3,
      country: 'de',
      since: 'week',
      excludeDomains: ['spam.example'],
      safeSearch: 'off',
    });
    const [asked] = server.log;
    expect(asked).toMatchObject({ method: 'POST', url: '/search' });
    expect(asked?.headers['x-api-key']).toBe(key);
    expect(asked && bodyOf(asked)).toEqual({
      query: 'why are there tides',
      type: 'auto',
      numResults: 3,
      category: 'news',
      userLocation: 'DE',
      startPublishedDate: '2026-11-20T00:00:00.000Z',
      excludeDomains: ['spam.example'],
      moderation: false,
      contents: { highlights: true },
    });
    expect(news).toEqual([
      {
        url: 'https://tides.example/',
        title: 'Tides',
        description: 'The moon pulls. … The sea follows.',
        publishedAt: '2026-11-16T01:36:32.547Z',
        position: 1,
      },
    ]);
  });

  test('has no images, and no request is sent for them', async () => {
    const server = await api({ results: [] });
    const client = clientOf(exa({ apiKey: key, url: server.origin }));
    const error = await failure(client.search('a', { sources: ['web', 'images'] }));
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/exa has no images/) as string,
    });
    expect(server.log).toEqual([]);
  });
});

describe('options of the adapters', () => {
  test.each([
    ['a URL that is none', () => searxng({ url: 'searx' }), /url: expected an http or https URL/],
    ['a password in the URL', () => searxng({ url: `http://a:${key}@h.example` }), /headers can/],
    ['an empty key', () => braveSearch({ apiKey: '' }), /apiKey: expected the key/],
    ['a key with a line end', () => exa({ apiKey: `${key}\nx: y` }), /apiKey: expected the key/],
    ['a bad header', () => searxng({ url: 'http://h.example', headers: { 'a b': key } }), /header/],
    // @ts-expect-error an unknown option
    ['an unknown option', () => tavily({ apiKey: key, dept: 'basic' }), /did you mean "depth"/],
  ])('%s is refused, and no secret is repeated', (_, make, message) => {
    expect(make).toThrow(message);
    expect(make).not.toThrow(new RegExp(key));
  });
});
