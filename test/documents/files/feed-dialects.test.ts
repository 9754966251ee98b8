/** Feeds as programs write them: elements of other modules, other namespaces, dates, and broken XML. */
import { parse } from 'pagewright';
import { describe, expect, test } from 'vitest';

const url = 'http://feed.test/f';

async function read(source: string, contentType?: string): Promise<string> {
  const { markdown } = await parse(source, { url, contentType, formats: ['markdown'] });
  return markdown;
}

const modules =
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"';
const rss = (item: string): string =>
  `<rss version="2.0" ${modules}><channel><title>F</title><item>${item}</item></channel></rss>`;
const atom = (entry: string, namespace = 'http://www.w3.org/2005/Atom'): string =>
  `<feed xmlns="${namespace}"><title>F</title><entry>${entry}</entry></feed>`;
const atom03 = (entry: string): string => atom(entry, 'http://purl.org/atom/ns#');

describe('an item of RSS', () => {
  test.each<[string, string, string]>([
    ['dc:title', '<dc:title>Item title</dc:title>', '## Item title'],
    ['dc:description', '<title>a</title><dc:description>Item text</dc:description>', 'Item text'],
    [
      'xhtml:body',
      '<title>a</title><xhtml:body><xhtml:p>In <xhtml:b>HTML</xhtml:b></xhtml:p></xhtml:body>',
      'In **HTML**',
    ],
    [
      'body',
      '<title>a</title><body xmlns="http://www.w3.org/1999/xhtml"><p>Text</p></body>',
      '## a\n\nText',
    ],
    [
      'fullitem',
      '<title>a</title><description>Short</description><fullitem>Whole</fullitem>',
      'Whole',
    ],
    ['summary', '<title>a</title><summary>Short</summary>', 'Short'],
    [
      'atom:content',
      '<title>a</title><atom:content type="html">&lt;p&gt;Text&lt;/p&gt;</atom:content>',
      '## a\n\nText',
    ],
    ['atom:summary', '<title>a</title><atom:summary>1 &lt; 2</atom:summary>', '1 < 2'],
    ['dcterms:issued', '<title>a</title><dcterms:issued>2024-08-01</dcterms:issued>', '2024-08-01'],
    [
      'published',
      '<title>a</title><published>2024-08-01T10:00:00Z</published>',
      '2024-08-01 10:00 UTC',
    ],
    [
      'feedburner:origLink',
      '<title>a</title><feedburner:origLink>http://e.test/1</feedburner:origLink>',
      '## [a](http://e.test/1)',
    ],
    [
      'an author with a name',
      '<title>a</title><author><name>Ann Lee</name><email>a@e.test</email></author>',
      '\n\nBy Ann Lee',
    ],
    [
      'a name before an address',
      '<title>a</title><author>Ann Lee (ann@e.test)</author>',
      '\n\nBy Ann Lee',
    ],
    [
      'a name before <address>',
      '<title>a</title><author>Ann Lee &lt;ann@e.test&gt;</author>',
      '\n\nBy Ann Lee',
    ],
    [
      'a name after an address',
      '<title>a</title><author>ann@e.test (Ann Lee)</author>',
      '\n\nBy Ann Lee',
    ],
    ['an address alone', '<title>a</title><author>ann@e.test</author>', 'By ann@e.test'],
    [
      'an enclosure with its URL as text',
      '<title>a</title><enclosure>http://e.test/a.mp3</enclosure>',
      '[a.mp3](http://e.test/a.mp3)',
    ],
    [
      'a script in the title',
      '<title>Tea&lt;script&gt;var x=1;&lt;/script&gt; time</title>',
      '## Tea time',
    ],
    [
      'a style in the title',
      '<title>Tea&lt;style&gt;p{}&lt;/style&gt; time</title>',
      '## Tea time',
    ],
    ['a title with markup', '<title><![CDATA[A <i>b</i> &amp; c]]></title>', '## A b & c'],
    [
      'an undefined entity',
      '<title>caf&eacute;</title><description>R&D at AT&T</description>',
      '## café\n\nR&D at AT&T',
    ],
    ['a control character', '<title>a\u000b1</title><description>b\u0001c</description>', '## a'],
  ])('%s', async (_, item, expected) => {
    expect(await read(rss(item))).toContain(expected);
  });

  test('whose end is missing does not take in the next', async () => {
    const feed =
      '<rss><channel><title>F</title><item><title>a1</title><description>T<item><title>a2</title></item></channel></rss>';
    expect(await read(feed)).toBe('# F\n\n## a1\n\nT\n\n## a2');
  });
});

test('hundreds of items without an end are read once each', async () => {
  const feed = `<rss><channel><title>F</title>${'<item><title>a</title><description>T'.repeat(300)}`;
  expect((await read(feed)).match(/^## a$/gm)?.length).toBeLessThanOrEqual(300);
});

describe('an entry of Atom', () => {
  test.each<[string, string, string]>([
    [
      'a script in the title',
      atom('<title type="html">Tea&lt;script&gt;var x=1;&lt;/script&gt; time</title>'),
      '# F\n\n## Tea time',
    ],
    [
      'a title in XHTML',
      atom(
        '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <b>bold</b> one</div></title>',
      ),
      '# F\n\n## A bold one',
    ],
    [
      'the author of its source',
      atom('<title>a</title><source><author><name>Ann Lee</name></author></source>'),
      '# F\n\n## a\n\nBy Ann Lee',
    ],
    [
      'Atom 0.3: escaped',
      atom03('<title mode="escaped" type="text/html">a &lt;b&gt;b&lt;/b&gt;</title>'),
      '# F\n\n## a b',
    ],
    [
      'Atom 0.3: base64',
      atom03(
        '<title type="text/html" mode="base64">QSA8Yj50aXRsZTwvYj4=</title><content mode="base64" type="text/html">PHA+VGV4dDwvcD4=</content>',
      ),
      '# F\n\n## A title\n\nText',
    ],
    [
      'Atom 0.3: dates',
      atom03('<title>a</title><issued>2026-01-02</issued>'),
      '# F\n\n## a\n\n2026-01-02',
    ],
  ])('%s', async (_, feed, expected) => {
    expect(await read(feed)).toBe(expected);
  });
});

describe('the feed', () => {
  const items = '<item><title>a1</title><link>http://e.test/1</link></item>';
  test.each<[string, string]>([
    [
      'RSS in capitals',
      '<RSS><CHANNEL><TITLE>F</TITLE><ITEM><TITLE>a1</TITLE><LINK>http://e.test/1</LINK></ITEM></CHANNEL></RSS>',
    ],
    [
      'RSS with a default namespace',
      `<rss xmlns="http://backend.userland.com/rss2"><channel><title>F</title>${items}</channel></rss>`,
    ],
    [
      'a title of Dublin Core',
      `<rss ${modules}><channel><dc:title>F</dc:title>${items}</channel></rss>`,
    ],
    ['items behind the channel', `<rss><channel><title>F</title></channel>${items}</rss>`],
    [
      'RDF with prefixes',
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rss="http://purl.org/rss/1.0/"><rss:channel><rss:title>F</rss:title></rss:channel><rss:item><rss:title>a1</rss:title><rss:link>http://e.test/1</rss:link></rss:item></rdf:RDF>',
    ],
    [
      'RDF with another prefix',
      `<x:RDF xmlns:x="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>F</title></channel>${items}</x:RDF>`,
    ],
    [
      'RDF of Netscape',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>F</title></channel>${items}</rdf:RDF>`,
    ],
    [
      'RDF whose items name themselves',
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>F</title></channel><item rdf:about="http://e.test/1"><title>a1</title></item></rdf:RDF>',
    ],
    [
      'Atom with a prefix',
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>F</a:title><a:entry><a:title>a1</a:title><a:link href="http://e.test/1"/></a:entry></a:feed>',
    ],
    [
      'JSON with its version last',
      JSON.stringify({
        title: 'F',
        description: '',
        x: 'y'.repeat(3000),
        items: [{ id: '1', url: 'http://e.test/1', title: 'a1' }],
        version: 'https://www.jsonfeed.org/version/1',
      }),
    ],
  ])('%s', async (_, feed) => {
    expect(await read(feed)).toBe('# F\n\n## [a1](http://e.test/1)');
  });

  test.each<[string, string]>([
    ['itunes', 'http://www.itunes.com/DTDs/PodCast-1.0.dtd'],
    ['media', 'http://search.yahoo.com/mrss'],
    ['dc', 'http://purl.org/DC/elements/1.0/'],
  ])('namespaces may be written in another way: %s', async (name, namespace) => {
    const title = `<x:title xmlns:x="${namespace}">${name}</x:title>`;
    expect(await read(`<rss><channel><title>F</title><item>${title}</item></channel></rss>`)).toBe(
      `# F\n\n## ${name}`,
    );
  });

  test('a message of the program before it is left out, with a warning', async () => {
    const source = `Notice: x in y.php\n<?xml version="1.0"?>${rss('<title>a</title>')}`;
    const options = { url, contentType: 'application/rss+xml', formats: ['markdown'] } as const;
    const { markdown, warning } = await parse(source, options);
    expect(markdown).toBe('# F\n\n## a');
    expect(warning).toContain('text before its XML');
    expect((await parse(`\ufeff\n ${rss('<title>a</title>')}`, options)).warning).toBeUndefined();
  });
});

test.each([
  ['20031231T101400Z', '2003-12-31 10:14 UTC'],
  ['20031231', '2003-12-31'],
  ['2003-335', '2003-12-01'],
  ['2004년 05월 28일 01:31:15', '2004-05-28 01:31 UTC'],
  ['Κυρ, 11 Ιούλ 2004 12:00:00 EST', '2004-07-11 17:00 UTC'],
  ['2004-július-13T9:15-05:00', '2004-07-13 14:15 UTC'],
  ['Do, 01 Mai 2025 10:00:00 +0200', '2025-05-01 08:00 UTC'],
  ['jeu, 01 août 2024 10:00:00 +0200', '2024-08-01 08:00 UTC'],
  ['mar, 3 juin 2025 10:00 GMT', '2025-06-03 10:00 UTC'],
  ['lun., 1 de diciembre de 2025', '2025-12-01'],
  ['Thu, 01 Jan 2004 00:00:00 CET', '2003-12-31 23:00 UTC'],
  ['Thursday, 31 July 2003 23:11 JST', '2003-07-31 14:11 UTC'],
  ['Sun Jan  4 16:29:06 2004', '2004-01-04'],
  ['some day in May', 'some day in May'],
  ['31 Foo 2004', '31 Foo 2004'],
])('the date %s', async (date, shown) => {
  expect(await read(rss(`<title>a</title><pubDate>${date}</pubDate>`))).toContain(`\n\n${shown}`);
});
