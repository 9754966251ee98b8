import { createClient, type MapOptions } from 'pagewright';
import { linkedSite, serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb } from '../support/memory-web.ts';
import { rareTest } from '../support/deep.ts';

/** One page of the site: its path, what a feed or sitemap calls it, and what it is about. */
type Entry = readonly [path: string, title: string];

/** An almanac in eleven languages: bread, maps, clocks, trains and tides, and pages about nothing of it. */
const almanac: readonly Entry[] = [
  ['/en/rye-bread', 'Rye bread in three days'],
  ['/en/bread-tins', 'Which tin?'],
  ['/en/night-train', 'The night train to the coast'],
  ['/en/train-timetables', 'How to read a timetable'],
  ['/en/paper-maps', 'Paper maps and who draws them'],
  ['/en/clocks', 'Clocks that run slow'],
  ['/en/pricing', 'Pricing'],
  ['/en/priceless', 'A priceless view'],
  ['/en/apiGuide', 'For developers'],
  ['/en/terrace', 'Training hops on a terrace'],
  ['/de/roggenbrot', 'Roggenbrot aus dem Holzofen'],
  ['/de/brote', 'Brote und ihre Krusten'],
  ['/de/broetchen', 'Semmeln'],
  ['/de/nachtzug', 'Nachtzugfahrplan'],
  ['/de/strassenkarten', 'Straßenkarten früher'],
  ['/fr/marees', 'Les marées du Mont'],
  ['/fr/cafes', 'Cafés de la côte'],
  ['/ru/nochnoj', 'Ночной поезд на север'],
  ['/ru/karty', 'Старые карты города'],
  ['/ru/hleb', 'Запах хлеба'],
  ['/el/psomi', 'Ψωμί με προζύμι'],
  ['/el/hartes', 'Οι παλιοί χάρτες'],
  ['/ja/1', '夜行列車の窓から'],
  ['/ja/2', '古地図の読み方'],
  ['/ja/3', 'フランスパンを焼く'],
  ['/zh/1', '旧地图里的城市'],
  ['/zh/2', '潮汐与钟表'],
  ['/ar/1', 'الخريطة القديمة للمدينة'],
  ['/ar/2', 'خبز الشعير'],
  ['/he/1', 'המפות הישנות של העיר'],
  ['/he/2', 'שעון המגדל'],
  ['/ko/1', '호밀빵을 굽는 아침'],
  ['/ko/2', '옛 지도를 읽는 법'],
  ['/ko/3', '야간열차'],
  ['/hi/1', 'पुराने नक्शों की किताब'],
  ['/hi/2', 'रात की रेलगाड़ी'],
  ['/th/1', 'รถไฟกลางคืนไปทะเล'],
  ['/%D8%B3%D8%A7%D8%B9%D8%A9', 'Al saa'],
  ['/%E6%BD%AE%E6%B1%90', 'Tides of the delta'],
];

/** What each query has to give, in this order. */
const gold: readonly (readonly [query: string, paths: readonly string[]])[] = [
  ['rye bread', ['/en/rye-bread', '/en/bread-tins']],
  ['Night Trains', ['/en/night-train', '/en/train-timetables']],
  ['map', ['/en/paper-maps']],
  ['price', ['/en/pricing', '/en/priceless']],
  ['api', ['/en/apiGuide']],
  ['train', ['/en/night-train', '/en/train-timetables', '/en/terrace']],
  ['Brot', ['/de/brote', '/de/roggenbrot']],
  ['Brötchen', ['/de/broetchen']],
  ['Nachtzug', ['/de/nachtzug']],
  ['strassenkarte', ['/de/strassenkarten']],
  ['MAREE', ['/fr/marees']],
  ['café', ['/fr/cafes']],
  ['ночные поезда', ['/ru/nochnoj']],
  ['карта', ['/ru/karty']],
  ['ХЛЕБ', ['/ru/hleb']],
  ['ψωμι', ['/el/psomi']],
  ['Χάρτης', ['/el/hartes']],
  ['夜行列車', ['/ja/1']],
  ['地図', ['/ja/2']],
  ['パン', ['/ja/3']],
  ['地图', ['/zh/1']],
  ['潮汐', ['/%E6%BD%AE%E6%B1%90', '/zh/2']],
  ['خريطة', ['/ar/1']],
  ['ساعة', ['/%D8%B3%D8%A7%D8%B9%D8%A9']],
  ['מפה', ['/he/1']],
  ['השעון', ['/he/2']],
  ['지도', ['/ko/2']],
  ['빵을', ['/ko/1']],
  ['열차', ['/ko/3']],
  ['नक्शा', ['/hi/1']],
  ['रेलगाड़ी', ['/hi/2']],
  ['รถไฟ', ['/th/1']],
  ['telescope', []],
  ['望遠鏡', []],
];

const feed = `<rss version="2.0"><channel><title>Almanac</title>${almanac
  .map(
    ([path, title]) => `<item><title>${title}</title><link>http://site.test${path}</link></item>`,
  )
  .join('')}</channel></rss>`;
const home =
  '<html><head><title>Almanac</title><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body><p>Welcome</p></body></html>';

async function search(query: string, options: MapOptions = {}): Promise<string[]> {
  const web = memoryWeb({
    'http://site.test/': home,
    'http://site.test/feed.xml': { type: 'application/rss+xml', body: feed },
  });
  await using client = createClient({ engines: [web] });
  const { links } = await client.map('http://site.test/', { search: query, ...options });
  return links.map(({ url }) => new URL(url).pathname);
}

describe('map 4: search', () => {
  it.each(gold)('%s', async (query, paths) => {
    expect(await search(query)).toEqual(paths);
  });

  it('takes the limit from the best, not from the first', async () => {
    expect(await search('ночной', { limit: 1 })).toEqual(['/ru/nochnoj']);
    expect(await search('bread', { limit: 1 })).toEqual((await search('bread')).slice(0, 1));
  });

  it('keeps the order of the site where links are equally good', async () => {
    const web = memoryWeb({
      'http://site.test/':
        '<a href="/b/lamp">Lamp</a><a href="/c/lamp">Lamp</a><a href="/a/lamp">Lamp</a>',
    });
    await using client = createClient({ engines: [web] });
    const { links } = await client.map('http://site.test/', { search: 'lamps' });
    expect(links.map(({ url }) => new URL(url).pathname)).toEqual([
      '/b/lamp',
      '/c/lamp',
      '/a/lamp',
    ]);
  });

  it('knows descriptions of the pages that it read', async () => {
    const page = (title: string, description: string, body = ''): string =>
      `<title>${title}</title><meta name="description" content="${description}">${body}`;
    const web = memoryWeb({
      'http://site.test/': page('Home', 'All', '<a href="/one">One</a><a href="/two">Two</a>'),
      'http://site.test/one': page('First', 'About herons at dawn'),
      'http://site.test/two': page('Second', 'About rivers'),
    });
    await using client = createClient({ engines: [web] });
    const { links } = await client.map('http://site.test/', { search: 'heron' });
    expect(links).toEqual([
      {
        url: 'http://site.test/one',
        sources: ['link'],
        title: 'First',
        description: 'About herons at dawn',
      },
    ]);
  });

  it('looks at the texts of all links to a page, of all pages that it reads, beside its own title', async () => {
    const page = (title: string, ...links: readonly (readonly [string, string])[]): string =>
      `<title>${title}</title><main>${links.map(([href, text]) => `<a href="${href}">${text}</a>`).join(' ')}</main>`;
    const web = memoryWeb({
      'http://site.test/': page('Home', ['/7', 'More'], ['/8', 'Opening hours'], ['/a', 'A']),
      'http://site.test/a': page('A', ['/7', 'Lantern festival'], ['/9', 'More']),
      'http://site.test/7': page('Programme', ['/b', 'B']),
      'http://site.test/8': page('Visit us'),
      'http://site.test/9': page('A lantern is lit'),
      'http://site.test/sitemap.xml': {
        type: 'application/xml',
        body: ['/7', '/10'].reduce(
          (all, path) => `${all}<url><loc>http://site.test${path}</loc></url>`,
          '<urlset>',
        ),
      },
    });
    await using client = createClient({ engines: [web] });
    const found = async (query: string, options: MapOptions = {}): Promise<string[]> => {
      const { links } = await client.map('http://site.test/', { search: query, ...options });
      return links.map(({ url }) => new URL(url).pathname);
    };
    // /7 is named so on /a only, and calls itself something else; /8 is read, too.
    expect(await found('festival')).toEqual(['/7']);
    expect(await found('programme')).toEqual(['/7']);
    expect(await found('opening hours')).toEqual(['/8']);
    expect(await found('lantern', { maxDiscoveryDepth: 3 })).toEqual(['/9', '/7']);
    expect(await found('lantern', { sitemap: 'skip' })).toEqual(['/7']);
    expect(await found('lantern', { sitemap: 'only' })).toEqual([]);
    const { links } = await client.map('http://site.test/', { search: 'festival' });
    expect(links).toMatchObject([{ title: 'Programme', sources: ['sitemap', 'link'] }]);
  });

  rareTest('looks through all of a large sitemap', async () => {
    const { site, paths } = linkedSite({ pages: 10_000, sections: 9, sitemap: true });
    await using server = await serve(site);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    // A word that every page has says nothing beside a rare one.
    const { links } = await client.map(server.origin, { search: 'page 9876', limit: 3 });
    expect(links.map(({ url }) => new URL(url).pathname)).toEqual([paths[9876]]);
    const everything = await client.map(server.origin, { limit: 20_000 });
    expect(everything.links).toHaveLength(10_000);
  });
});
