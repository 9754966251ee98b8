import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderingSignal } from '../../../../src/core/fetch/rendering/rendering-signal.ts';
import type { Snapshot } from '../../../../src/core/model/snapshot.ts';
import { fuzzTest } from '../../../fuzz/fuzz-test.ts';
import { answer } from './snapshots.ts';
import { rareTest } from '../../../support/deep.ts';

const script = '<script src="/app.js"></script>';
const notice = '<noscript>You need to enable JavaScript to run this app.</noscript>';
const sentence = 'The ferry leaves the fish quay at seven, at noon and at six in the evening. ';

const page = (body: string, head = ''): string =>
  `<!doctype html><html><head><title>A title</title>${head}</head><body>${body}</body></html>`;

function signalOf(body: string, changes: Partial<Snapshot> = {}): string | undefined {
  return renderingSignal(answer(body, changes));
}

describe('a page larger than its start', () => {
  const shell = `<div id="root"></div>${script}`;
  const long = `<p>${sentence}</p>`.repeat(500);

  test.each(['template', 'svg', 'select', 'script', 'style', 'textarea'])(
    'is a shell where the start is inside of <%s>',
    (tag) => {
      expect(signalOf(page(`<${tag}>${long}</${tag}>${shell}`))).toBe(
        'empty root of an app (#root)',
      );
    },
  );

  test('is complete by the text of its start, or by the text after it', () => {
    const filler = `<script>${'a();'.repeat(10_000)}</script>`;
    expect(signalOf(page(`${long}${filler}${shell}`))).toBeUndefined();
    expect(signalOf(page(`${filler}${shell}${long}`))).toBeUndefined();
  });
});

describe('a page that is filled in by script has a signal', () => {
  const shells: [name: string, body: string, signal: string][] = [
    ['React', page(`${notice}<div id="root"></div>${script}`), 'empty root of an app (#root)'],
    ['Vue', page(`<div id=app></div>${script}`), 'empty root of an app (#app)'],
    ['Next.js', page(`<div id="__next"></div>${script}`), 'shell of Next.js (#__next)'],
    ['Nuxt', page(`<div id="__nuxt"><!-- --></div>${script}`), 'shell of Nuxt (#__nuxt)'],
    ['Gatsby', page(`<div id="___gatsby"></div>${script}`), 'shell of Gatsby (#___gatsby)'],
    ['Angular', page(`<app-root></app-root>${script}`), 'shell of Angular (<app-root>)'],
    ['Ionic', page(`<ion-app></ion-app>${script}`), 'shell of Ionic (<ion-app>)'],
    ['AngularJS', page(`<div ng-view></div>${script}`), 'empty root of an app (<div>)'],
    [
      'a root with a spinner in it',
      page(`<div id="app"><div class="box"><img src="loader.gif"></div></div>${script}`),
      'empty root of an app (#app)',
    ],
    [
      'a root with a notice in it',
      page(
        `<header><a href="/">Shop</a></header><div id="root">Loading, please wait</div>${script}`,
      ),
      'empty root of an app (#root)',
    ],
    [
      'Blazor',
      page(
        '<div id="app">Loading...</div><script src="_framework/blazor.webassembly.js"></script>',
      ),
      'empty root of an app (#app)',
    ],
    [
      'Flutter',
      page('<script src="flutter_bootstrap.js" async></script>'),
      'shell of Flutter (no text)',
    ],
    [
      'GWT',
      page(
        '<iframe src="javascript:\'\'" style="display:none"></iframe>',
        '<script src="mail/mail.nocache.js"></script>',
      ),
      'shell of GWT (no text)',
    ],
    [
      'Elm',
      page('<script>Elm.Main.init({ node: document.body });</script>'),
      'shell of Elm (no text)',
    ],
    [
      'Meteor',
      page('', '<script>__meteor_runtime_config__ = {};</script>'),
      'shell of Meteor (no text)',
    ],
    [
      'SvelteKit',
      page('<div style="display: contents"><script>__sveltekit_1 = {};</script></div>'),
      'shell of Svelte (no text)',
    ],
    [
      'a custom element',
      page(`<my-shop></my-shop>${script}`),
      'empty element of an app (<my-shop>)',
    ],
    [
      'a challenge with a good status',
      page(
        `<h1>One moment</h1><p>${sentence.repeat(3)}</p><script>setTimeout(() => { document.cookie = 'a=1'; location.reload(); }, 1500);</script>`,
      ),
      'a script sets a cookie and loads the page again',
    ],
    ['a body without anything', page(script), 'no text besides scripts'],
    ['a handler of the body', '<body onload="start()"></body>', 'no text besides scripts'],
    [
      'an empty main part beside much navigation',
      page(
        `<header><nav>${'<a href="/a">A place to go to</a> '.repeat(99)}</nav></header><main> </main><footer>${sentence.repeat(9)}</footer>${script}`,
      ),
      'empty main part (<main>)',
    ],
    [
      'a notice in Japanese',
      page(`<p>読み込み中…</p>${script}`),
      'loading text in place of content',
    ],
    [
      'a notice for those without scripts, and a name',
      page(`<div class="logo">Shop</div><noscript>Bitte JavaScript aktivieren</noscript>${script}`),
      'noscript says that JavaScript is needed',
    ],
    [
      'a redirect by script',
      page('<p>You are being sent on.</p><script>window.location.href = "/new";</script>'),
      'a script redirects visitors (location)',
    ],
    [
      'data beside a name',
      page(
        `<b>Shop</b><script type="application/json">${JSON.stringify(Array(300).fill('data'))}</script>${script}`,
      ),
      'content is in a JSON island only',
    ],
    [
      'much script beside a name',
      page(`<b>Shop</b><script>${'var a = 1;\n'.repeat(2000)}</script>`),
      'little text and much script',
    ],
    ['UTF-16', page(`<div id="root"></div>${script}`), 'empty root of an app (#root)'],
  ];
  test.each(shells)('%s', (name, body, signal) => {
    const bytes = name === 'UTF-16' ? Buffer.from(`\ufeff${body}`, 'utf16le') : Buffer.from(body);
    expect(renderingSignal(answer(bytes))).toBe(signal);
  });

  test('without a Content-Type, and in capitals', () => {
    const body = page(`<DIV ID="root"></DIV>${script.toUpperCase()}`);
    expect(signalOf(body, { headers: {} })).toBe('empty root of an app (#root)');
  });
});

describe('a page that is complete has none', () => {
  const article = `<h1>The ferry</h1><p>${sentence.repeat(20)}</p>`;
  const complete: [name: string, body: string][] = [
    ['an article with an empty root', page(`${article}<div id="root"></div>${notice}${script}`)],
    [
      'an article behind 300 KB of script',
      page(article, `<script>${'a();\n'.repeat(60_000)}</script>`),
    ],
    ['a short page', page(`<h1>Hello</h1><p>${sentence}</p>${script}`)],
    ['a very short page', page(`<h1>Hello</h1><p>World</p>${script}`)],
    [
      'a short page with a widget',
      page(`<h1>Hello</h1><p>World</p><div id="chat"></div><chat-box></chat-box>${script}`),
    ],
    [
      'a short page that reads a cookie and its address',
      page(
        `<h1>Hello</h1><p>${sentence}</p><script>if (document.cookie === 'a=1') show(location.href == '/', { location: 1 });</script>`,
      ),
    ],
    ['a shell without scripts', page('<div id="root"></div>')],
    [
      'a template script only',
      page('<main></main><script type="text/x-template"><p>a</p></script>'),
    ],
    [
      'facts for search engines only',
      page('<main></main><script type="application/ld+json">{}</script>'),
    ],
    [
      'a page that a server rendered',
      page(
        `${notice}<div id="root" data-reactroot><h1>Ferry</h1><p>${sentence}</p></div>${script}`,
      ),
    ],
    [
      'a page that React streamed',
      page(`<main hidden></main><div hidden id="S:0"><main>${article}</main></div>${script}`),
    ],
    [
      'a login form',
      page(`<div id="root"><form><input name="a"><input type="password"></form></div>${script}`),
    ],
    [
      'a gallery',
      page(`${'<img src="a.jpg" width="300">'.repeat(12)}<div id="stage"></div>${script}`),
    ],
    ['a film', page(`<h1>Film</h1><video src="a.mp4"></video><div id="view"></div>${script}`)],
    [
      'a list of links',
      page(`<main>${'<a href="/a">Read about the ferry</a>'.repeat(40)}<ul></ul></main>${script}`),
    ],
    [
      'a list of links without a main part',
      page(
        `${'<a href="/a">Read about the ferry</a>'.repeat(40)}<div id="results"></div><ul></ul>${script}`,
      ),
    ],
    [
      'a sentence about loading',
      page(`<h1>Loading docks</h1><p>Loading docks are open from six.</p>${script}`),
    ],
    ['a redirect stub', page('<h1>Moved</h1><p>The page is <a href="/new">here</a>.</p>')],
    [
      'a page that breaks out of frames',
      page(`${article}<script>if (top != self) top.location = self.location;</script>`),
    ],
    [
      'a refresh after minutes',
      page(`<p>${sentence}</p>${script}`, '<meta http-equiv="refresh" content="300">'),
    ],
    [
      'a frameset',
      `<html><head>${script}</head><frameset cols="*,*"><frame src="a"></frameset></html>`,
    ],
    ['its text in noscript', page(`<div id="app"></div><noscript>${article}</noscript>${script}`)],
    [
      'a header that is never closed',
      page(`<header><a href="/">Shop</a><article>${article}</article>${script}`),
    ],
    ['Chinese, short', page(`<h1>渡轮</h1><p>${'渡轮从鱼码头出发。'.repeat(8)}</p>${script}`)],
    [
      'code that shows a shell',
      page(
        `<h1>Mounting</h1><pre>&lt;div id="root">&lt;/div> {{ name }}</pre><p>${sentence}</p>${script}`,
      ),
    ],
    [
      'a declarative shadow root',
      page(`<my-page><template shadowrootmode="open">${article}</template></my-page>${script}`),
    ],
    ['nothing but a comment', page(`<!-- <div id="root"></div> --><p>${sentence}</p>${script}`)],
    ['a value with a bracket', page(`<p title="a > b <main></main>">${sentence}</p>${script}`)],
  ];
  test.each(complete)('%s', (_, body) => {
    expect(signalOf(body)).toBeUndefined();
  });
});

describe('a static try that failed is no evidence', () => {
  const shell = page(`<div id="root"></div>${script}`);
  test('the page itself is', () => {
    expect(signalOf(shell)).toBeDefined();
  });

  test.each([301, 304, 403, 404, 429, 500, 503])('status %i', (statusCode) => {
    expect(signalOf(shell, { statusCode })).toBeUndefined();
  });

  test('cut, empty, of another type, or what its type says', () => {
    expect(signalOf(shell, { isCut: true })).toBeUndefined();
    expect(signalOf('', { statusCode: 204 })).toBeUndefined();
    expect(signalOf('  \n')).toBeUndefined();
    for (const type of ['application/json', 'text/plain', 'application/pdf', 'image/svg+xml']) {
      expect(signalOf(shell, { headers: { 'content-type': type } })).toBeUndefined();
    }
    expect(signalOf('{"a": "<div id=root></div><script></script>"}')).toBeUndefined();
    expect(signalOf('just text')).toBeUndefined();
  });

  test('the challenge of a bot protection', () => {
    const challenge = page(`<script>window._cf_chl_opt = {cvId: "3"};</script>${notice}`);
    expect(signalOf(challenge)).toBeUndefined();
    expect(
      signalOf(shell, { headers: { 'content-type': 'text/html', 'cf-mitigated': 'challenge' } }),
    ).toBeUndefined();
  });
});

describe('hostile pages', () => {
  test('names from the page are short and harmless in a signal', () => {
    const body = page(`<x-${'y'.repeat(500)}\u202e></x-${'y'.repeat(500)}\u202e>${script}`);
    expect(signalOf(body)).toMatch(/^empty element of an app \(<x-y{1,40}>?\)$/);
    expect(signalOf(page(`Shop <div id="list\n\u202e&quot;-items"></div>${script}`))).toMatch(
      /^empty place for content \(#[\w:.-]{1,39}\)$/,
    );
  });

  const parts = [
    '<',
    '<a ',
    '<a',
    '<a b="',
    "<a b='",
    '<!--',
    '</',
    '<script>',
    '<SCRIPT>',
    '<noscript>',
    '<template>',
    '<svg>',
    '<div id=root>',
    '<div id="app" class="header">',
    '<main>',
    '<header>',
    '<tbody></tbody>',
    '&',
    '&#',
    '&amp',
    '= ',
    '<x-y>',
    '<p style="display:',
    '<a =',
    '<textarea>',
    '<ul id=" ',
    '\u00e4\u20ac',
    '<div class="a b c d">',
    '<title>',
    '<noscript><',
    '<script type="json">{',
    'Loading ',
    '{{',
    '<?',
    '<!',
  ];
  rareTest('take linear time: 5 MB of any of these', { timeout: 60_000 }, () => {
    for (const part of parts) {
      const body = Buffer.from(
        `<html>${script}${part.repeat(5_000_000 / Buffer.byteLength(part))}`,
      );
      const start = process.cpuUsage();
      renderingSignal(answer(body.subarray(0, 5_000_000)));
      const { user, system } = process.cpuUsage(start);
      // 10 to 300 ms; a square of 5 MB takes hours.
      expect((user + system) / 1000, part).toBeLessThan(1500);
    }
  });

  test('of more than 5 MB are not looked at', () => {
    expect(signalOf(`<div id=root></div>${script}${' '.repeat(5_000_000)}`)).toBeUndefined();
  });

  const anyMarkup = fc.array(
    fc.oneof(
      fc.constantFrom(...parts, '>', '</div>', '"', "'", '</script>', '</main>', 'x'),
      fc.string(),
    ),
    { maxLength: 60 },
  );
  fuzzTest(
    'any sequence of markup has a signal or none, the same each time',
    { runs: 500, share: 2 },
    fc.property(anyMarkup, (markup) => {
      const body = `<html>${markup.join('')}`;
      const signal = signalOf(body);
      expect(signalOf(body)).toBe(signal);
      if (signal !== undefined) expect(signal).toMatch(/^[\w#<>(){}., :-]{5,100}$/);
    }),
  );
});
