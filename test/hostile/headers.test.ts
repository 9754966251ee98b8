/** Headers that are long for whoever reads them: each comes before any deadline and any thread. */
import { type Behaviour, raw } from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** All headers of an answer have 64 KiB. */
const length = 60_000;
const page = '<title>Lamps</title><p>Lamps cost money.';

function answer(status: string, name: string, value: string): Behaviour {
  const type = name === 'Content-Type' ? [] : ['Content-Type: text/html'];
  const head = [`HTTP/1.1 ${status}`, ...type, `${name}: ${value}`, 'Connection: close'];
  return raw({ bytes: `${head.join('\r\n')}\r\n\r\n${page}` });
}

/** What a value may begin with, so that its reader goes on to what follows. */
const starts: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html;charset=',
  'Content-Disposition': 'inline;filename=',
  'Content-Encoding': 'identity',
  'Content-Language': 'de',
  'Content-Range': 'bytes 0-',
  'Cache-Control': 'max-age=',
  'Set-Cookie': 'a=b;Expires=',
  'X-Robots-Tag': 'none',
  'cf-mitigated': 'challenge',
  Age: '1',
  Date: 'Mon, ',
  ETag: '"a',
  Expires: 'Mon, ',
  'Last-Modified': 'Mon, ',
  Link: '<https://example.test/>;rel=',
  Location: 'http://',
  Refresh: '5; url=',
  'Retry-After': '1',
  Vary: 'accept',
};

/** What readers skip, and what they begin anew at. */
const fillings: Readonly<Record<string, string>> = {
  blanks: ' ',
  'blanks and tabs': '\t ',
  'blanks and semicolons': '; ',
  commas: ',',
  'equals signs': ' =',
  quotes: '"\\',
  dots: '.',
};

/** Bad and good values alike: what counts is that the page or an error comes, and that nothing stands still. */
const long: readonly Scenario[] = Object.entries(starts).flatMap(([name, start]) =>
  Object.entries(fillings).map(([filling, text]): Scenario => {
    const value = `${start}${text.repeat(length / text.length)}x`;
    const status = name === 'Location' ? '302 Found' : '200 OK';
    return {
      name: `${name} with 60,000 ${filling} does not hold up the process`,
      site: { '/': answer(status, name, value) },
      options: { timeout: 5000 },
      act: async ({ scrape, site }) =>
        scrape(site.url('/')).then(
          () => 'ended',
          ({ code }: { code?: string }) => (code === 'TIMEOUT' ? code : 'ended'),
        ),
      expect: { value: 'ended' },
    };
  }),
);

runScenarios([
  ...[' ', '\t', ' \t', '; '].map((filling): Scenario => ({
    name: `a type, and 60,000 of ${JSON.stringify(filling)} after it, is that type`,
    site: { '/': answer('200 OK', 'Content-Type', `text/html;${filling.repeat(30_000)}x`) },
    expect: { document: { markdown: 'Lamps cost money.' } },
  })),
  {
    name: 'a charset behind many blanks is found',
    site: {
      '/': answer('200 OK', 'Content-Type', `text/html;${' '.repeat(50_000)}charset=latin1`),
    },
    options: { formats: ['markdown', 'rawHtml'] },
    expect: { document: { markdown: 'Lamps cost money.', fields: { rawHtml: page } } },
  },
  {
    name: 'a redirect to a host of 60,000 dots ends at once',
    site: { '/': answer('302 Found', 'Location', `http://${'.'.repeat(length)}a/`) },
    options: { timeout: 5000 },
    expect: { code: 'DNS', message: /The host name/ },
  },
  ...long,
]);
