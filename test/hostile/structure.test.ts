/** Pages that are built to hurt whoever parses them. */
import { redirectTo } from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { SiteResponse } from '../../src/entries/testing/site-files.ts';
import { rare, type ExpectedDocument, type Scenario } from './scenario.ts';

const times = (count: number, text: string): string => text.repeat(count);
const everything = ['markdown', 'html', 'links', 'images', 'tables', 'structuredData'] as const;

/** A page that becomes a document in every format, with its last word. */
function readable(name: string, html: string, document: ExpectedDocument = {}): Scenario {
  return {
    name,
    site: { '/': html },
    options: { formats: everything, onlyMainContent: false },
    expect: { document: { markdown: /end/, ...document } },
  };
}

const htmlPage = (html: string): SiteResponse => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: Buffer.from(html),
  delay: 0,
});

const deeper = /nested|levels|deep/i;

runScenarios([
  readable(
    '200,000 nested divs are read as if they were less deep',
    `${times(200_000, '<div>')}end`,
    {
      warning: deeper,
    },
  ),
  readable(
    '1,000 nested tables are read',
    `${times(1000, '<table><tr><td>')}end${times(1000, '</td></tr></table>')}`,
    { warning: deeper },
  ),
  readable('1,000 nested lists are read', `${times(1000, '<ul><li>')}end`, { warning: deeper }),
  readable('1,000 nested quotes are read', `${times(1000, '<blockquote>')}end`, {
    warning: deeper,
  }),
  readable('5,000 nested bold elements are read', `${times(5000, '<b>')}end`, { warning: deeper }),
  readable('2,000 nested links are read', `${times(2000, '<a href="/x">')}end`),
  readable('2,000 nested forms are read', `${times(2000, '<form>')}end`),
  readable('2,000 nested buttons are read', `${times(2000, '<button>')}end`),
  readable('2,000 nested drawings are read', `${times(2000, '<svg><g>')}</svg><p>end`, {
    warning: deeper,
  }),
  readable(
    '50,000 elements with an attribute each are read',
    `${times(50_000, '<i id=x></i>')}<p>end</p>`,
  ),
  {
    name: '100,000 links are all given',
    site: {
      '/': Array.from({ length: 100_000 }, (_, at) => `<a href="/${at}">${at}</a>\n`).join(''),
    },
    options: { formats: ['links'], onlyMainContent: false },
    act: async ({ scrape, site }) =>
      ((await scrape(site.url('/'))) as { links: string[] }).links.length,
    expect: { value: 100_000 },
  },
  {
    name: 'links beyond the limit are left out with a warning',
    site: { '/': Array.from({ length: 50 }, (_, at) => `<a href="/${at}">${at}</a> `).join('') },
    options: { formats: ['links'], onlyMainContent: false, limits: { links: 10 } },
    expect: {
      document: { warning: /10/, fields: { links: { length: 10 } } },
    },
  },
  {
    name: 'a million and one nodes are refused',
    site: { '/': times(600_000, '<p>a') },
    expect: { code: 'PARSE_LIMIT', message: /1000000 nodes.*Raise limits\.nodes/ },
  },
  {
    name: 'a limit of nodes of the call is kept',
    site: { '/': times(200, '<p>a') },
    options: { limits: { nodes: 100 } },
    expect: { code: 'PARSE_LIMIT', message: /100 nodes.*Raise limits\.nodes/ },
  },
  readable('a line of 1 MB is read', `<p>${times(1_000_000, 'a')} end</p>`),
  readable('a word of 5 MB is read', `<p>${times(5_000_000, 'a')}</p><p>end</p>`),
  readable('a title of 1 MB is read', `<title>${times(1_000_000, 't')}</title><p>end</p>`),
  readable('an attribute of 5 MB is read', `<p title="${times(5_000_000, 't')}">end</p>`),
  readable('a comment of 5 MB is read', `<!--${times(5_000_000, '-')}--><p>end</p>`),
  readable('a script of 5 MB is read', `<script>${times(1_250_000, 'f();')}</script><p>end</p>`),
  rare(readable('100,000 unclosed paragraphs are read', `${times(100_000, '<p>a')}<p>end`)),
  rare(
    readable('20,000 unclosed cells are read', `<table>${times(20_000, '<td>a')}</table><p>end`),
  ),
  readable(
    'a table of 1,000 times 1,000 spans is read',
    `<table>${times(30, '<tr><td rowspan=1000 colspan=1000>a')}</table><p>end`,
  ),
  readable(
    'a cell that spans a billion columns is read',
    '<table><tr><th>a<th>b<tr><td colspan=1000000000>c<td>d</table><p>end',
  ),
  readable(
    '100,000 closing tags without an opening one are read',
    `${times(100_000, '</div>')}<p>end`,
  ),
  readable('100,000 misnested tags are read', `${times(20_000, '<b><i></b></i>')}<p>end`),
  readable('100,000 entities are read', `<p>${times(100_000, '&amp;')} end</p>`),
  readable('100,000 entities without an end are read', `<p>${times(100_000, '&amp')} end</p>`),
  readable('a million unclosed comments are read', `<p>end</p>${times(250_000, '<!--')}`),
  rare(readable('a million opening brackets are read', `<p>end</p>${times(1_000_000, '<')}`)),
  readable('100,000 brackets of markdown are read', `<p>${times(100_000, '[')} end</p>`),
  readable('100,000 links of markdown in text are read', `<p>${times(30_000, '[a](b')} end</p>`),
  readable('100,000 stars are read', `<p>${times(50_000, '*a')} end</p>`),
  readable('100,000 backticks are read', `<p>${times(50_000, '`a')} end</p>`),
  readable('10,000 open formulas are read', `<p>${times(10_000, '\\(a ')} end</p>`),
  readable(
    '10,000 references to footnotes are read',
    `${times(3000, '<sup><a href="#n">1</a></sup>')}<ol><li id=n>end</li></ol>`,
  ),
  rare(
    readable(
      'a source set of 20,000 images is read',
      `<img alt=a src=/a.png srcset="${times(20_000, '/b.png 2x, ')}"><p>end`,
    ),
  ),
  rare(
    readable('10,000 images are read', `${times(10_000, '<img src="/a.png" alt="a">')}<p>end`, {}),
  ),
  readable(
    'microdata that refers to itself is read',
    '<div itemscope id=a itemref="a b"><p itemprop=x id=b itemscope itemref=a>end</p></div>',
  ),
  rare(
    readable(
      'microdata that refers to everything from everywhere is read',
      `${Array.from({ length: 300 }, (_, at) => `<div id=i${at} itemscope${at === 0 ? '' : ' itemprop=p'} itemref="${Array.from({ length: 300 }, (__, to) => `i${to}`).join(' ')}">x</div>`).join('')}<p>end`,
      { warning: /more microdata than is read/ },
    ),
  ),
  readable(
    'JSON-LD nested 100,000 deep is read or told',
    `<script type="application/ld+json">${times(100_000, '[')}1${times(100_000, ']')}</script><p>end`,
    { warning: /JSON-LD script 1/ },
  ),
  rare(
    readable(
      'JSON-LD of 20,000 nodes is read up to its limit',
      `<script type="application/ld+json">[${times(19_999, '{"@type":"A"},')}{"@type":"A"}]</script><p>end`,
      { warning: /first 10000 JSON-LD nodes/ },
    ),
  ),
  readable(
    'attributes named like properties of every object are read',
    '<p constructor=1 __proto__=2 hasownproperty=3 tostring=4 class=__proto__ id=constructor>end',
  ),
  {
    name: 'JSON nested 100,000 deep is read as text',
    site: {
      '/': {
        headers: { 'content-type': 'application/json' },
        body: times(100_000, '[') + times(100_000, ']'),
      },
    },
    expect: { document: { markdown: /^```json\n\[/ } },
  },
  {
    name: 'XML with a bomb of entities stays as it is',
    site: {
      '/': {
        headers: { 'content-type': 'application/xml' },
        body: '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>',
      },
    },
    expect: { document: { markdown: /^```xml\n<!DOCTYPE x[^]*<x>&b;<\/x>\n```$/ } },
  },
  {
    name: 'an external entity is not fetched',
    site: ({ site }) => ({
      '/': {
        headers: { 'content-type': 'application/xml' },
        body: `<!DOCTYPE x [<!ENTITY a SYSTEM "${site.url('/entity')}">]><x>&a;</x>`,
      },
    }),
    act: async ({ scrape, site }) => {
      await scrape(site.url('/'));
      return site.log.map(({ url }) => url);
    },
    expect: { value: ['/'] },
  },
  {
    name: 'a <base> of 30 KB is not put before 2,000 links',
    site: {
      '/': `<base href="/${times(30_000, 'a')}/"><p>end</p>${times(2000, '<a href=i>y</a>')}`,
    },
    options: { formats: everything, onlyMainContent: false },
    expect: {
      document: {
        markdown: /^end[^]{0,200000}$/,
        warning: /^The <base> of the page was ignored: it is too long/,
        fields: { images: [] },
      },
    },
  },
  {
    name: 'a redirect to a URL of 14 KB does not put it before 4,000 links',
    site: {
      '/': redirectTo({ location: `/${times(14_000, 'a')}/` }),
      '*': ({ send }) => send(htmlPage(`<p>end</p>${times(4000, '<a href=i>y</a>')}`)),
    },
    act: async ({ scrape, site }) => {
      const page = (await scrape(site.url('/'))) as { markdown: string; warning: string };
      return [page.markdown.length < 100_000, page.warning.slice(0, 23)];
    },
    expect: { value: [true, 'Relative links were lef'] },
  },
  {
    name: 'a <base> of 30 KB harms no crawl and no map',
    site: {
      '/': `<base href="/${times(30_000, 'a')}/"><p>end</p>${times(2000, '<a href=i>y</a>')}<a href="/b">b</a>`,
    },
    act: async ({ client, site }) => {
      const options = { ignoreRobotsTxt: true, errorPages: 'keep' } as const;
      const { completed } = await client.crawl(site.url('/'), options);
      const { links } = await client.map(site.url('/'));
      return [completed, links.every(({ url }) => url.length < 100)];
    },
    expect: { value: [3, true] },
  },
]);
