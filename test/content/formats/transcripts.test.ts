import { describe, expect, test } from 'vitest';
import { createClient, type Transcript } from '../../../src/index.ts';
import type { TranscriptOptions } from '../../../src/content/formats/transcripts/index.ts';
import type { Redaction } from '../../../src/content/text/redactor.ts';
import {
  endless,
  redirectTo,
  serve,
  type SiteHandlers,
} from '../../../src/entries/testing/index.ts';
import type { ServeOptions } from '../../../src/entries/testing/index.ts';
import { cpuTime } from '../../support/cpu-time.ts';

async function transcriptsOf(
  site: SiteHandlers,
  options: TranscriptOptions &
    Pick<ServeOptions, 'behaviours'> & { contentType?: string; redact?: Redaction[] } = {},
): Promise<Transcript[]> {
  const { behaviours = {}, contentType: _, redact, ...chosen } = options;
  await using server = await serve(site, { behaviours });
  await using client = createClient({ network: { allow: ['127.0.0.1'] }, browser: false });
  const { transcripts } = await client.scrape(server.url('/'), {
    formats: [{ type: 'transcripts', ...chosen }],
    retries: 0,
    redact,
  });
  return transcripts.map(({ url, ...rest }) =>
    url === undefined ? rest : { url: url.replace(server.origin, ''), ...rest },
  );
}

const vtt = `WEBVTT - Lamps

STYLE
::cue { color: red }

1
00:01.000 --> 00:03.500 align:start
<v Ann><b>Hello</b> &amp; welcome</v>
to the <00:02.000>show

NOTE nothing

00:00:04.000 --> 00:00:02.000
Broken times
`;

const cues = [
  { start: 1, end: 3.5, speaker: 'Ann', text: 'Hello & welcome to the show' },
  { start: 4, end: 4, text: 'Broken times' },
];

test('tracks of video and sound, by their kind, language and label', async () => {
  const found = await transcriptsOf({
    '/': `<video><source src="/a.mp4">
      <track kind="captions" src="/a.vtt#t=1" srclang="en" label=" English  CC">
      <track src="/b.srt" srclang="de-AT"><track kind="chapters" src="/c.vtt"><track kind="metadata" src="/d.vtt">
      </video><audio><track kind="descriptions" src="/e.vtt" srclang="en-GB"></audio>
      <a href="/a.vtt">again</a> <a href="/talk.srt" hreflang="fr">Transcription</a>`,
    '/a.vtt': vtt,
    '/b.srt': '1\r\n00:00:02,500 --> 00:00:03,000\r\n{\\an8}<i>Hallo</i>\r\n',
    '/e.vtt': 'WEBVTT\n\n01:00:00.000 --> 01:00:01.000\nA lamp.',
    '/talk.srt': '1\n00:00:01,000 --> 00:00:02,000\nBonjour',
  });
  expect(found).toEqual([
    {
      kind: 'captions',
      url: '/a.vtt',
      language: 'en',
      label: 'English CC',
      cues,
      text: 'Hello & welcome to the show\nBroken times',
    },
    {
      kind: 'subtitles',
      url: '/b.srt',
      language: 'de-AT',
      cues: [{ start: 2.5, end: 3, text: 'Hallo' }],
      text: 'Hallo',
    },
    expect.objectContaining({ kind: 'descriptions', url: '/e.vtt', text: 'A lamp.' }),
    expect.objectContaining({
      kind: 'transcript',
      url: '/talk.srt',
      language: 'fr',
      text: 'Bonjour',
    }),
  ]);
});

test('the JSON of a player, and VideoObject in JSON-LD', async () => {
  const found = await transcriptsOf({
    '/': `<html><head><script type="application/ld+json">{"@context":"https://schema.org","@graph":[
        {"@type":"VideoObject","name":"Lamps","transcript":"Hello and welcome.",
         "caption":{"@type":"MediaObject","contentUrl":"/ld.vtt","inLanguage":"it"}},
        {"@type":"Article","transcript":"not of a video"}]}</script></head><body><p>Video</p>
      <script>var player = {"captions":{"captionTracks": [
        {"baseUrl":"/api/timedtext?v=1\\u0026lang=en","name":{"simpleText":"English [auto]"},"languageCode":"en","kind":"asr"},
        {"baseUrl":"/json3?fmt=json3","name":{"runs":[{"text":"Deu"},{"text":"tsch"}]},"languageCode":"de"},
        {"baseUrl":7}, null]}};
        var broken = {"captionTracks":[{"baseUrl":"/never"}; var other = {"captionTracks":[</script></body></html>`,
    '/api/timedtext': ({ url }) => (url.endsWith('&fmt=vtt') ? vtt : undefined),
    '/json3': {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        events: [
          { tStartMs: 2000, dDurationMs: 500, segs: [{ utf8: 'zwei' }, { utf8: ' <b>drei</b>' }] },
          { tStartMs: 1000, dDurationMs: 500, segs: [{ utf8: 'eins' }] },
          { tStartMs: 1500 },
        ],
      }),
    },
    '/ld.vtt': 'WEBVTT\n\n00:01.000 --> 00:02.000\nCiao',
  });
  expect(found).toEqual([
    expect.objectContaining({
      url: '/api/timedtext?v=1&lang=en&fmt=vtt',
      isAutomatic: true,
      label: 'English [auto]',
      cues,
    }),
    expect.objectContaining({
      kind: 'captions',
      label: 'Deutsch',
      cues: [
        { start: 1, end: 1.5, text: 'eins' },
        { start: 2, end: 2.5, text: 'zwei drei' },
      ],
    }),
    { kind: 'transcript', cues: [], text: 'Hello and welcome.' },
    expect.objectContaining({ kind: 'captions', url: '/ld.vtt', language: 'it', text: 'Ciao' }),
  ]);
});

test('transcripts of a podcast in its feed', async () => {
  const found = await transcriptsOf({
    '/': {
      headers: { 'content-type': 'application/rss+xml' },
      body: `<?xml version="1.0"?><rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>
        <title>Lamps</title><item><title>One</title><guid>1</guid>
        <podcast:transcript url="/1.json?a=1&amp;b=2" type="application/json" language="en"/>
        <podcast:transcript type='application/x-subrip' url='/1.srt'/>
        <podcast:transcript url="/1.html" type="text/html"/></item></channel></rss>`,
    },
    '/1.json?a=1&b=2': JSON.stringify({
      version: '1.0.0',
      segments: [{ speaker: 'Ann', startTime: 0.5, endTime: 1, body: 'Hello' }],
    }),
    '/1.srt': '1\n00:00:00,500 --> 00:00:01,000\nHello',
  });
  expect(found).toEqual([
    {
      kind: 'transcript',
      url: '/1.json?a=1&b=2',
      language: 'en',
      cues: [{ start: 0.5, end: 1, speaker: 'Ann', text: 'Hello' }],
      text: 'Hello',
    },
    expect.objectContaining({ url: '/1.srt', text: 'Hello' }),
  ]);
});

describe('hostile files', () => {
  test('each is an error of its own', async () => {
    const names = ['gone', 'endless', 'private', 'html', 'json', 'list'];
    const found = await transcriptsOf(
      {
        '/': names.map((name) => `<video><track src="/${name}.vtt"></video>`).join(''),
        '/html.vtt': '<html><p>Log in</p></html>',
        '/json.vtt': '{"events": "none"}',
        '/list.vtt': '{'.repeat(10_000),
      },
      {
        behaviours: {
          '/endless.vtt': endless(),
          '/private.vtt': redirectTo({ location: 'http://127.0.0.9:1/a.vtt' }),
        },
      },
    );
    expect(found.map(({ error, cues: none, text }) => [error?.code, none, text])).toEqual(
      [
        'HTTP_STATUS', 'BODY_TOO_LARGE', 'BLOCKED_ADDRESS',
        'UNSUPPORTED_CONTENT', 'UNSUPPORTED_CONTENT', 'UNSUPPORTED_CONTENT',
      ].map((code) => [code, [], '']),
    ); // prettier-ignore
  });

  test('a file of millions of cues, of tags and of endless lines is read in time, up to its bound', async () => {
    const many = `WEBVTT\n\n${'00:01.000 --> 00:02.000\na\n\n'.repeat(150_000)}`;
    const tags = `WEBVTT\n\n00:01.000 --> 00:02.000\n${'<a'.repeat(1_000_000)}${'&lt;'.repeat(300_000)}`;
    const times = `WEBVTT\n\n${'0'.repeat(2_000_000)} --> ${' '.repeat(1_000_000)}`;
    const started = cpuTime();
    const found = await transcriptsOf({
      '/': '<video><track src="/many.vtt"><track src="/tags.vtt"><track src="/times.vtt"></video>',
      '/many.vtt': many,
      '/tags.vtt': tags,
      '/times.vtt': times,
    });
    expect(found[0]?.cues).toHaveLength(50_000);
    expect(found[1]?.cues).toHaveLength(1);
    expect(found[2]?.error?.code).toBe('UNSUPPORTED_CONTENT');
    expect(cpuTime() - started).toBeLessThan(20_000);
  });
});

test('a page of nothing but beginnings of lists is read in time', async () => {
  const started = cpuTime();
  const lists = '"captionTracks":['.repeat(40_000);
  const good = '"captionTracks":[{"baseUrl":"/a.vtt"}]';
  const found = await transcriptsOf({
    '/': `<script>${good};</script><script>${lists}</script>`,
    '/a.vtt': vtt,
  });
  expect(found.map(({ url }) => url)).toEqual(['/a.vtt']);
  expect(cpuTime() - started).toBeLessThan(20_000);
});

test('personal data in a file is redacted', async () => {
  const [found] = await transcriptsOf(
    {
      '/': '<video><track src="/a.vtt"></video>',
      '/a.vtt': 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v ada@example.com>Write to ada@example.com',
    },
    { redact: ['email'] },
  );
  expect(found).toMatchObject({
    cues: [{ start: 1, end: 2, speaker: '[email]', text: 'Write to [email]' }],
    text: 'Write to [email]',
  });
});

test('only the wanted languages, and not more than are wanted', async () => {
  const site = {
    '/': `<video>${['en-US', 'EN', 'de', ''].map((tag) => `<track src="/${tag}.vtt" srclang="${tag}">`).join('')}</video>`,
    '/en-US.vtt': vtt,
    '/EN.vtt': vtt,
    '/.vtt': vtt,
  };
  const english = await transcriptsOf(site, { languages: ['en'] });
  expect(english.map(({ url }) => url)).toEqual(['/en-US.vtt', '/EN.vtt', '/.vtt']);
  expect((await transcriptsOf(site, { languages: ['en_us'] })).map(({ url }) => url)).toEqual([
    '/en-US.vtt',
    '/.vtt',
  ]);
  expect(await transcriptsOf(site, { maxCount: 1 })).toHaveLength(1);
});
