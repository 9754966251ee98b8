/** What a page may not do in html, links, images, metadata and structured data. */
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** The whole body of a page, and exactly the HTML that is given of it. */
function cleaned(name: string, html: string, expected: string): Scenario {
  return {
    name,
    site: { '/': `<base href="http://site.test/"><p>a</p>${html}` },
    options: { formats: ['html'], onlyMainContent: false, blockAds: false },
    expect: { document: { fields: { html: `<p>a</p>${expected}` } } },
  };
}

/** A page and one of its values. */
function given(name: string, html: string, fields: Readonly<Record<string, unknown>>): Scenario {
  return {
    name,
    site: { '/': `<base href="http://site.test/"><p>a</p>${html}` },
    options: { formats: ['links', 'images', 'structuredData', 'tables'], onlyMainContent: false },
    expect: { document: { fields } },
  };
}

const jsonLd = (text: string): string => `<script type="application/ld+json">${text}</script>`;

/** Whether any object of the process, or the result, got a property that the page wanted to plant. */
const polluted: NonNullable<Scenario['act']> = async ({ scrape, site }) => {
  const document = JSON.parse(JSON.stringify(await scrape(site.url('/')))) as Record<
    string,
    unknown
  >;
  const planted = [
    {},
    [],
    document,
    document['metadata'],
    document['structuredData'],
    Object.assign({}, document),
  ];
  return planted.map((value) => (value as Record<string, unknown>)['planted']);
};

const clean = { value: Array.from({ length: 6 }, () => undefined) };

function pollutes(name: string, html: string): Scenario {
  return {
    name: `${name} plants nothing`,
    site: { '/': `<p>a</p>${html}` },
    options: { formats: ['structuredData', 'markdown', 'links', 'html'], onlyMainContent: false },
    act: polluted,
    expect: clean,
  };
}

/** Attributes that hold URLs without being links, and one that stays. */
const attributes: readonly (readonly [what: string, attribute: string, kept: string])[] = [
  ['a srcset of a script', 'srcset="javascript:alert(1) 1x, /b.png 2x"', ''],
  ['a srcset with blanks in the scheme', 'srcset="/b.png, java&#9;script:alert(1) 2x"', ''],
  ['a srcset of a page', 'srcset="data:text/html,x 1x"', ''],
  ['a preload of a script', 'imagesrcset="javascript:alert(1)"', ''],
  ['data that is a script', 'data-href="javascript:alert(1)"', ''],
  ['data that is a script in capitals', 'data-url=" JaVa&#10;Script:alert(1)"', ''],
  ['data that is vbscript', 'data-src="vbscript:x"', ''],
  ['data that is a page', 'data-src="data:text/html,x"', ''],
  ['JSON with a script', 'data-options="{&quot;url&quot;:&quot;javascript:alert(1)&quot;}"', ''],
  ['several URLs with a script', 'data-srcset="/a.png 1x, javascript:alert(1) 2x"', ''],
  ['data that is a link', 'data-href="/b?c:d"', ' data-href="/b?c:d"'],
];

runScenarios([
  ...attributes.map(([what, attribute, kept]) =>
    cleaned(
      `${what} is ${kept === '' ? 'left out of' : 'kept in'} html`,
      `<p ${attribute}>b</p>`,
      `<p${kept}>b</p>`,
    ),
  ),
  cleaned('scripts are left out of html', '<script>alert(1)</script><p>b</p>', '<p>b</p>'),
  cleaned(
    'handlers are left out of html',
    '<p onclick="x()" ONLOAD=y() class=k>b</p>',
    '<p class="k">b</p>',
  ),
  cleaned(
    'links that are scripts lose their target in html',
    '<a href="java&#10;script:alert(1)">b</a>',
    '<a>b</a>',
  ),
  cleaned(
    'forms that are scripts lose their target in html',
    '<form action="javascript:x()"><input formaction="javascript:y()" type="submit" value="b"></form>',
    '<form><input type="submit" value="b"></form>',
  ),
  cleaned(
    'frames with a page of their own are empty in html',
    '<iframe srcdoc="<script>1</script>" src="http://f.test/"></iframe>',
    '<iframe src="http://f.test/"></iframe>',
  ),
  cleaned(
    'frames that are scripts are empty in html',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<iframe></iframe>',
  ),
  cleaned(
    'objects that are pages of their own are empty in html',
    '<object data="data:text/html,<script>1</script>"></object><embed src="javascript:1">',
    '<object></object><embed>',
  ),
  cleaned(
    'links in drawings that are scripts lose their target in html',
    '<svg><a xlink:href="javascript:1"><text>b</text></a></svg>',
    '<svg><a><text>b</text></a></svg>',
  ),
  cleaned(
    'animations that set a target are left out of html',
    '<svg><a><animate attributename="href" values="javascript:1"></animate><set attributename="onclick" to="x()"></set>b</a></svg>',
    '<svg><a>b</a></svg>',
  ),
  cleaned(
    'elements that change the page around are left out of html',
    '<base href="http://evil.test/"><meta http-equiv="refresh" content="0"><link rel="stylesheet" href="http://evil.test/x.css">',
    '',
  ),
  cleaned(
    'raw text in a drawing does not become markup in html',
    '<svg><xmp><img src=x onerror=alert(1)></xmp></svg>',
    '<svg><pre></pre></svg><img src="http://site.test/x">',
  ),
  cleaned(
    'raw text that ends itself does not become markup in html',
    '<noembed><img src=x onerror=alert(1)></noembed><noframes><script>1</script></noframes>',
    '',
  ),
  cleaned(
    'a style in a formula does not become markup in html',
    '<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>',
    '<math display="inline" alttext=""><mtext></mtext></math>',
  ),
  cleaned(
    'quotes in attributes stay escaped in html',
    '<p title="&quot;&gt;&lt;script&gt;">b</p>',
    '<p title="&quot;&gt;&lt;script&gt;">b</p>',
  ),
  cleaned(
    'a link to a drawing in a data URL loses its target in html, an image keeps its source',
    '<a href="data:image/svg+xml,x">b</a><svg><image href="data:image/png;base64,x"></image></svg>',
    '<a>b</a><svg><image href="<Base64-Image-Removed>"></image></svg>',
  ),
  cleaned(
    'an attribute cannot end a text field that a drawing holds',
    '<svg><textarea><p id="</textarea><img src=x onerror=alert(1)>"></svg>',
    '<svg><textarea></textarea></svg><p id="&lt;/textarea&gt;&lt;img src=x onerror=alert(1)&gt;"></p>',
  ),
  cleaned('tags in text stay escaped in html', '<p>&lt;script&gt;</p>', '<p>&lt;script&gt;</p>'),
  cleaned(
    'attributes that are no names are left out of html',
    '<p "onclick=x() <b=1 a/b=2>c</p>',
    '<p a="" b="2">c</p>',
  ),
  {
    name: 'html of a text page is escaped',
    site: {
      '/': { headers: { 'content-type': 'text/plain' }, body: '</pre><script>alert(1)</script>' },
    },
    options: { formats: ['html'] },
    expect: {
      document: {
        fields: { html: '<pre>&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;</pre>' },
      },
    },
  },
  given(
    'links of other schemes are not among the links',
    [
      'javascript:1',
      'JAVASCRIPT:1',
      ' java&#9;script:1',
      'vbscript:1',
      'data:text/html,1',
      'blob:x',
      'file:///x',
      'mailto:a@b.test',
      '//h.test/x',
      'ok',
    ]
      .map((href) => `<a href="${href}">x</a>`)
      .join(''),
    { links: ['http://h.test/x', 'http://site.test/ok'] },
  ),
  given(
    'links of drawings and maps are safe too',
    '<map><area href="javascript:1"><area href="/m"></map>',
    { links: ['http://site.test/m'] },
  ),
  given(
    'images of other schemes are not among the images',
    '<img src="javascript:1"><img srcset="data:image/png;base64,x 1x, /b.png 2x"><img src="/a.png"><div style="background:url(javascript:1)">x</div>',
    { images: ['http://site.test/b.png', 'http://site.test/a.png'] },
  ),
  given('a base that is a script is ignored', '<base href="javascript:1"><a href="x">x</a>', {
    links: ['http://site.test/x'],
  }),
  given(
    'URLs of microdata that are scripts are empty',
    '<div itemscope><a itemprop="url" href="javascript:1">x</a><img itemprop="image" src="data:text/html,x"></div>',
    {
      structuredData: { microdata: [{ type: [], properties: { url: [''], image: [''] } }] },
    },
  ),
  given(
    'URLs of OpenGraph and Twitter that are scripts are empty',
    '<meta property="og:image" content="javascript:1"><meta property="og:url" content="vbscript:1"><meta name="twitter:player" content="data:text/html,1">',
    {
      structuredData: { openGraph: { image: [{ url: '' }], url: '' }, twitter: { player: '' } },
    },
  ),
  given(
    'URLs of JSON-LD that are scripts are empty, titles of books are not',
    jsonLd(
      '{"@type":"Book","name":"JavaScript: The Parts","url":"javascript:1","sameAs":["javascript:2","http://b.test/"],"image":"data:text/html,1"}',
    ),
    {
      structuredData: {
        jsonLd: [
          {
            '@type': 'Book',
            name: 'JavaScript: The Parts',
            url: '',
            sameAs: ['', 'http://b.test/'],
            image: '',
          },
        ],
      },
    },
  ),
  given('entities in JSON-LD stay text', jsonLd('{"@type":"A","name":"&lt;script&gt;"}'), {
    structuredData: { jsonLd: [{ name: '&lt;script&gt;' }] },
  }),
  pollutes('JSON-LD with __proto__', jsonLd('{"@type":"A","__proto__":{"planted":1}}')),
  pollutes(
    'JSON-LD with an escaped __proto__',
    jsonLd('{"@type":"A","\\u005f_proto__":{"planted":1}}'),
  ),
  pollutes(
    'JSON-LD with constructor and prototype',
    jsonLd('{"@type":"A","constructor":{"prototype":{"planted":1}}}'),
  ),
  pollutes(
    'JSON-LD with __proto__ in its graph',
    jsonLd('{"@graph":[{"__proto__":{"planted":1}}],"__proto__":{"planted":1}}'),
  ),
  pollutes(
    'JSON-LD with __proto__ that needs repair',
    jsonLd('{"@type":"A","__proto__":{"planted":1},}'),
  ),
  pollutes(
    'microdata with __proto__',
    '<div itemscope><p itemprop="__proto__">planted</p><p itemprop="constructor">x</p><div itemprop="__proto__" itemscope><p itemprop="planted">1</p></div></div>',
  ),
  pollutes(
    'RDFa with __proto__',
    '<div vocab="http://schema.org/" typeof="A"><p property="__proto__">planted</p><p property="planted:x" prefix="__proto__: http://x/">1</p></div>',
  ),
  pollutes(
    'meta tags with __proto__',
    '<meta name="__proto__" content="planted"><meta property="__proto__.planted" content="1"><meta name="constructor.prototype.planted" content="1">',
  ),
  pollutes(
    'OpenGraph with __proto__',
    '<meta property="og:__proto__" content="x"><meta property="og:image:__proto__" content="x"><meta property="og:__proto__:planted" content="1">',
  ),
  pollutes(
    'Twitter with __proto__',
    '<meta name="twitter:__proto__" content="x"><meta name="twitter:__proto__:planted" content="1">',
  ),
  {
    name: 'a page cannot spoof the facts of the fetch',
    site: {
      '/': {
        status: 404,
        body: '<meta name="statusCode" content="200"><meta name="url" content="http://bank.test/"><meta property="sourceURL" content="x"><meta name="error" content="none"><meta name="engine" content="x"><meta name="creditsUsed" content="0"><p>a</p>',
      },
    },
    expect: {
      document: {
        markdown: 'a',
        statusCode: 404,
        url: '/',
        metadata: { error: '404 Not Found', engine: 'http', creditsUsed: 1 },
      },
    },
  },
  {
    name: 'meta tags named like properties of every object do not replace them',
    site: {
      '/': '<meta name="toString" content="x"><meta name="hasOwnProperty" content="y"><meta name="valueOf" content="z"><p>a</p>',
    },
    act: async ({ scrape, site }) => {
      const { metadata } = (await scrape(site.url('/'))) as { metadata: object };
      return ['toString', 'hasOwnProperty', 'valueOf'].map((name) => Object.hasOwn(metadata, name));
    },
    expect: { value: [false, false, false] },
  },
  {
    name: 'elements named like properties of every object are read',
    site: { '/': '<p>a</p><constructor>b</constructor><tostring>c</tostring>' },
    options: { onlyMainContent: false },
    expect: { document: { markdown: /a[^]*b[^]*c/ } },
  },
  {
    name: 'control characters and bidi overrides are left out of the title',
    site: { '/': '<title>a\u001b[31mb\u202ec</title><p>x</p>' },
    expect: { document: { markdown: 'x', metadata: { title: 'a[31mbc' } } },
  },
  {
    name: 'URLs that run code are not among the metadata',
    site: {
      '/': '<meta property="og:image" content="javascript:1"><meta property="og:url" content="javascript:2"><meta name="twitter:player" content="data:text/html,3"><p>x</p>',
    },
    act: async ({ scrape, site }) => {
      const { metadata } = (await scrape(site.url('/'))) as { metadata: object };
      return Object.keys(metadata).filter((name) => /image|url:|ogUrl|player/i.test(name));
    },
    expect: { value: [] },
  },
  {
    name: 'no vocabulary brings a property named __proto__',
    site: {
      '/': `<div itemscope><b itemprop="__proto__ a">x</b></div><div typeof="T"><b property="__proto__">x</b></div>
        <meta property="og:__proto__" content="x"><meta name="twitter:__proto__" content="x"><p>a</p>`,
    },
    options: { formats: ['structuredData'] },
    act: async ({ scrape, site }) => {
      const { structuredData } = (await scrape(site.url('/'))) as { structuredData: object };
      return JSON.stringify(structuredData).includes('__proto__');
    },
    expect: { value: false },
  },
  {
    name: 'control characters are left out of the html',
    site: { '/': '<p>Some words with a\u0001b\u001b[31mc in the middle of them</p>' },
    options: { formats: ['html'] },
    expect: {
      document: { fields: { html: '<p>Some words with ab[31mc in the middle of them</p>' } },
    },
  },
]);
