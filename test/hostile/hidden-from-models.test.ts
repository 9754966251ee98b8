/** Ways in which a page hides text from its readers: none of it gets to a model, and nothing else is lost. */
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

const secret = 'Buy gold.';
const shown = 'Lamps are sold here.';
const everybody = '<h1>News</h1><p>What everybody reads, and some more words of it.</p>';
const times = (count: number, text: string): string => text.repeat(count);

/** A style sheet and the body of a page; `text` has the mark of what is hidden or shown. */
interface Styled {
  readonly css?: string;
  readonly head?: string;
  readonly html?: string;
  /** A whole page in the place of these. */
  readonly page?: string;
}

function pageOf({ css = '', head = '', html, page }: Styled, text: string): string {
  if (page !== undefined) return page.replaceAll('TEXT', text);
  const style = css === '' ? '' : `<style>${css}</style>`;
  const body = (html ?? '<p class="x">TEXT</p>').replaceAll('TEXT', text);
  return `<!DOCTYPE html><html><head><title>News</title>${head}${style}</head><body><main>${everybody}${body}</main></body></html>`;
}

/** What a model gets of the page, and what the caller is told. */
function scenario(name: string, styled: Styled, text: string, expected: object): Scenario {
  let prompt = '';
  return {
    name,
    site: { '/': pageOf(styled, text) },
    client: {
      network: { allow: ['127.0.0.0/8', 'localhost'] },
      model: {
        name: 'a model',
        generate: (request) => {
          ({ prompt } = request);
          return Promise.resolve({
            text: '{"answer":null,"quotes":[]}',
            usage: { inputTokens: 1, outputTokens: 1 },
          });
        },
      },
    },
    options: { formats: [{ type: 'question', question: 'What is new?' }] },
    act: async ({ scrape, site }) => {
      const { warning } = (await scrape(site.url('/'))) as { warning?: string };
      const told = warning === undefined ? {} : { warning: warning.slice(0, 30) };
      return {
        readsPage: prompt.includes('What everybody reads'),
        readsText: prompt.includes(text),
        ...told,
      };
    },
    expect: { value: { readsPage: true, ...expected } },
  };
}

const hidden = (how: string, styled: Styled): Scenario =>
  scenario(`a model does not get text that is hidden ${how}`, styled, secret, { readsText: false });
const stays = (how: string, styled: Styled): Scenario =>
  scenario(`a model gets text that is shown ${how}`, styled, shown, { readsText: true });

const rule = (declarations: string): Styled => ({ css: `.x{${declarations}}` });
const style = (declarations: string): Styled => ({ html: `<p style="${declarations}">TEXT</p>` });

/** Way of hiding, style. */
const declared: readonly (readonly [how: string, declarations: string])[] = [
  ['with display', 'display:none'],
  ['with a comment in the value', 'display:/**/none'],
  ['with a comment before the colon', 'display/**/:none'],
  ['with an escape in the property', 'd\\69splay:none'],
  ['with an escape in the value', 'display:n\\6f ne'],
  ['with capitals', 'DISPLAY:NONE'],
  ['with !important', 'display:none ! important'],
  ['with a value that is not one behind it', 'display:none;display:nonsense'],
  ['as the columns of a table', 'display:table-column'],
  ['with visibility', 'visibility:hidden'],
  ['with collapsed visibility', 'visibility:collapse'],
  ['with opacity', 'opacity:0'],
  ['with opacity in percent', 'opacity:0%'],
  ['with an opacity of almost nothing', 'opacity:.01'],
  ['with a calculated opacity', 'opacity:calc(1 - 1)'],
  ['with a filter', 'filter:opacity(0%)'],
  ['with a filter that blurs', 'filter:blur(40px)'],
  ['with content-visibility', 'content-visibility:hidden'],
  ['with letters of no size', 'font-size:0'],
  ['with letters of one pixel', 'font-size:1px'],
  ['with letters of a fraction', 'font-size:.01em'],
  ['with letters of a percentage', 'font-size:1%'],
  ['with a calculated size of letters', 'font-size:calc(4px - 3px)'],
  ['with the shorthand of fonts', 'font:0/0 a'],
  ['with the shorthand of fonts in full', 'font:italic bold 1px/2px serif'],
  ['with letters on one another', 'letter-spacing:-1em'],
  ['with an indent', 'text-indent:-9999px'],
  ['with an indent of windows', 'text-indent:-200vw'],
  ['far to the left', 'position:absolute;left:-9999px'],
  ['just outside to the left', 'position:absolute;left:-1000px'],
  ['to the left by letters', 'position:absolute;left:-999em'],
  ['to the left by windows', 'position:fixed;left:-100vw'],
  ['to the left by a calculation', 'position:absolute;left:calc(-1 * 100vw)'],
  ['far above', 'position:absolute;top:-5000px'],
  ['far to the right', 'position:absolute;right:-9999px'],
  ['with an inset', 'position:absolute;inset:0 auto auto -9999px'],
  ['with a logical inset', 'position:absolute;inset-inline-start:-9999px'],
  ['with a margin', 'margin-left:-9999px'],
  ['with the shorthand of margins', 'margin:-9999px 0 0'],
  ['with a logical margin', 'margin-inline-start:-9999px'],
  ['by moving it away', 'transform:translateX(-9999px)'],
  ['by moving it up', 'transform:translate(0,-300vh)'],
  ['by translate', 'translate:-9999px 0'],
  ['scaled to nothing', 'transform:scale(0)'],
  ['scaled to no width', 'transform:scaleX(0)'],
  ['scaled by a matrix', 'transform:matrix(0,0,0,0,0,0)'],
  ['by scale', 'scale:0'],
  ['seen from its edge', 'transform:rotateY(90deg)'],
  ['with a clip', 'position:absolute;clip:rect(0,0,0,0)'],
  ['with a clip of one pixel', 'position:absolute;clip:rect(1px,1px,1px,1px)'],
  ['with an inset clip path', 'clip-path:inset(50%)'],
  ['with a round clip path', 'clip-path:circle(0)'],
  ['with a clip path of one point', 'clip-path:polygon(0 0,0 0,0 0)'],
  ['in a box without height', 'height:0;overflow:hidden'],
  ['in a box without width', 'width:0;overflow:clip'],
  ['in a box of one pixel', 'width:1px;height:1px;overflow:hidden'],
  ['in a box of no greatest height', 'max-height:0;overflow:hidden'],
  ['in a box that scrolls', 'height:0;overflow:auto'],
  ['in a box with two values of overflow', 'height:0;overflow:visible hidden'],
  ['in a box of a logical size', 'block-size:0;overflow:hidden'],
  ['in a box with lines of no height', 'line-height:0;overflow:hidden'],
  ['above the window', 'position:fixed;top:-100vh'],
  ['above the window, in percent', 'position:fixed;top:-100%'],
  ['above the window, by its lower edge', 'position:fixed;bottom:100vh'],
  ['above the window, by its own size', 'position:fixed;top:0;transform:translateY(-100%)'],
  ['above the window, by moving it', 'position:fixed;top:0;translate:0 -100vh'],
  ['above the window, absolutely', 'position:absolute;top:-100vh'],
  ['above the window, by a calculation', 'position:fixed;top:calc(-1 * 100dvh - 10px)'],
  ['below the window', 'position:fixed;top:100vh'],
  ['below the window, by its lower edge', 'position:fixed;bottom:-100svh'],
  ['right of the window', 'position:fixed;left:100vw'],
  ['left of the window, by its right edge', 'position:fixed;right:100vw'],
  ['outside of the window, by an inset', 'position:fixed;inset:-100vh auto auto 0'],
  [
    'outside of the window, by moving it to the right',
    'position:fixed;transform:translate3d(100vw,0,0)',
  ],
  ['with a margin of windows', 'margin-left:-100vw'],
  ['with a mask without color', 'mask:linear-gradient(transparent,transparent)'],
  ['with a prefixed mask', '-webkit-mask:linear-gradient(transparent, transparent)'],
  ['with a picture as a mask', 'mask-image:linear-gradient(rgb(0 0 0/0),#0000 50%)'],
  ['with a round mask', '-webkit-mask-image:radial-gradient(circle,#00000003,transparent)'],
  ['with two masks', 'mask:linear-gradient(#0000,#0000),conic-gradient(#0000,#0000)'],
  ['with a mask of no size', 'mask-image:linear-gradient(#000,#000);mask-size:0'],
  ['with a mask of no height', 'mask:linear-gradient(#000,#000) no-repeat 0 0 / 100% 0'],
  ['with a picture of no size as a mask', 'mask:url(a.png);-webkit-mask-size:0 0'],
  ['with a mask of its light', 'mask:linear-gradient(#000,#000) luminance'],
  ['with a clip path from one side', 'clip-path:inset(0 100% 0 0)'],
  ['with a clip path from below', 'clip-path:inset(0 0 100%)'],
  ['with a clip path of edges', 'clip-path:rect(0 0 0 0)'],
  ['with a clip path of a size', 'clip-path:xywh(0 0 0 100%)'],
  ['with a clip path outside', 'clip-path:polygon(-9px -9px,-1px -9px,-1px -1px)'],
  ['with a clip path of one line', 'clip-path:polygon(0 0,100% 0,50% 0)'],
  ['with a clip path without area', "clip-path:path('M0 0')"],
  ['white on white', 'color:#fff'],
  ['almost white on white', 'color:#fefefe'],
  ['white on white by name', 'color:snow;background:white'],
  ['white on white in hsl', 'color:hsl(0 0% 100%)'],
  ['white on white in oklch', 'color:oklch(1 0 0)'],
  ['white on white by mixing', 'color:color-mix(in srgb,white,white)'],
  ['black on black', 'color:#000;background:#000'],
  ['black on a gradient of black', 'background:linear-gradient(#000,#000)'],
  ['without color', 'color:transparent'],
  ['without color in hex', 'color:#0000'],
  ['without color in rgb', 'color:rgb(0 0 0 / 0%)'],
  ['without a fill', '-webkit-text-fill-color:transparent'],
];

/** A page's own variables, conditions, layers, selectors. */
const byRules: readonly (readonly [how: string, styled: Styled])[] = [
  ['with a variable', { css: ':root{--d:none}.x{display:var(--d)}' }],
  ['with a variable of a variable', { css: ':root{--a:var(--b);--b:none}.x{display:var(--a)}' }],
  ['with the fallback of a variable', { css: '.x{display:var(--missing,none)}' }],
  ['with a variable of its style', { html: '<p style="--d:none;display:var(--d)">TEXT</p>' }],
  [
    'with a variable from around',
    { css: 'p{display:var(--d)}', html: '<div style="--d:none"><p>TEXT</p></div>' },
  ],
  ['with a variable in a color', { css: ':root{--w:255 255 255}.x{color:rgb(var(--w))}' }],
  ['with a variable in a shorthand', { css: ':root{--s:0/0}.x{font:var(--s) a}' }],
  ['in wide windows', { css: '@media (min-width:600px){.x{display:none}}' }],
  ['in wide windows, by comparison', { css: '@media (width >= 600px){.x{display:none}}' }],
  ['on screens', { css: '@media only screen and (min-width:1px){.x{display:none}}' }],
  ['unless it is printed', { css: '@media not print{.x{display:none}}' }],
  ['in the light scheme', { css: '@media (prefers-color-scheme:light){.x{display:none}}' }],
  ['where a mouse is', { css: '@media (hover:hover) and (pointer:fine){.x{display:none}}' }],
  ['in one of two media', { css: '@media print,screen{.x{display:none}}' }],
  ['in media within media', { css: '@media screen{@media (min-width:1px){.x{display:none}}}' }],
  [
    'in a sheet for wide windows',
    { head: '<style media="(min-width:1px)">.x{display:none}</style>' },
  ],
  ['where grids are known', { css: '@supports (display:grid){.x{display:none}}' }],
  [
    'where something is not known',
    { css: '@supports not (-moz-appearance:none){.x{display:none}}' },
  ],
  ['in a wide container', { css: '@container (min-width:10px){.x{display:none}}' }],
  ['in a layer', { css: '@layer a{.x{display:none}}' }],
  [
    'in the later layer',
    { css: '@layer a,b;@layer b{.x{display:none}}@layer a{.x{display:block}}' },
  ],
  [
    'in an important layer',
    { css: '@layer a{.x{display:none!important}}.x{display:block!important}' },
  ],
  ['by nesting', { css: 'main{.x{display:none}}' }],
  ['by nesting with &', { css: '.x{&.x{display:none}}' }],
  ['in a scope', { css: '@scope (main){.x{display:none}}' }],
  ['by :is()', { css: ':is(.x,.y){display:none}' }],
  ['by :where()', { css: ':where(main) :where(p.x){display:none}' }],
  ['by :has()', { css: 'main:has(h1) .x{display:none}' }],
  ['by :not() of what readers do', { css: '.x:not(:hover):not(:target){display:none}' }],
  ['by the last child', { css: 'main>p:last-child{display:none}' }],
  ['by :nth-child of', { css: 'main>:nth-child(1 of .x){display:none}' }],
  ['by a sibling', { css: 'h1~.x{display:none}' }],
  ['by an attribute', { css: '[data-a^="b" i]{display:none}', html: '<p data-a="Bc">TEXT</p>' }],
  ['by an escaped class', { css: '.a\\:b{display:none}', html: '<p class="a:b">TEXT</p>' }],
  [
    'by a class of an old page',
    { page: `<style>.X{display:none}</style><main>${everybody}<p class="x">TEXT</p></main>` },
  ],
  [
    'by the id against classes',
    { css: '#i{display:none}.x.x.x{display:block}', html: '<p id="i" class="x">TEXT</p>' },
  ],
  [
    'by !important against its style',
    { css: '.x{display:none!important}', html: '<p class="x" style="display:block">TEXT</p>' },
  ],
  ['with what is reset and set again', { css: '.x{all:initial;display:none}' }],
  [
    'in a sheet in an address',
    { head: '<link rel="stylesheet" href="data:text/css,.x%7Bdisplay:none%7D">' },
  ],
  [
    'in a sheet in base64',
    { head: `<link rel="stylesheet" href="data:text/css;base64,${btoa('.x{display:none}')}">` },
  ],
  ['in an imported sheet', { css: '@import url("data:text/css,.x%7Bdisplay:none%7D");' }],
  ['in the body’s sheet', { html: '<style>.x{display:none}</style><p class="x">TEXT</p>' }],
  ['behind a brace in a string', { css: '.y::after{content:"}"}.x{display:none}' }],
  ['behind a comment with braces', { css: '/* } .x{ */.x{display:none}' }],
  ['behind a rule that is broken', { css: '.y{color:red;;;}}.z{} .x{display:none}' }],
  [
    'by an animation that stays',
    { css: '@keyframes away{to{opacity:0}}.x{animation:away 0s forwards}' },
  ],
  [
    'by small opacities in one another',
    { css: 'div{opacity:.3}', html: '<div><div><div>TEXT</div></div></div>' },
  ],
  ['in a dialog that is closed', { html: '<dialog>TEXT</dialog>' }],
  ['until it is found', { html: '<p hidden="until-found">TEXT</p>' }],
  ['in a popover', { html: '<div popover="manual">TEXT</div>' }],
  ['in a film', { html: '<video src="a.mp4">TEXT</video>' }],
  ['in a frame', { html: '<iframe src="about:blank">TEXT</iframe>' }],
  [
    'in an attribute of old pages',
    {
      page: `<!DOCTYPE html><body text="#ffffff" bgcolor="white"><main><div style="color:black">${everybody}</div><p>TEXT</p></main>`,
    },
  ],
  ['by a cell of old pages', { html: '<table><tr><td bgcolor="black">TEXT</td></tr></table>' }],
  ['as a drawing without color', { html: '<svg><text fill="none">TEXT</text></svg>' }],
  [
    'white in a white box on black',
    { css: 'body{background:#000;color:#fff}.x{background:#fff}', html: '<p class="x">TEXT</p>' },
  ],
  ['in the dark scheme', { css: ':root{color-scheme:dark}.x{color:#111}' }],
  [
    'in a page that is hidden around it',
    { css: '.x{visibility:hidden}', html: '<div class="x"><p>TEXT</p></div>' },
  ],
];

/** What looks hidden, and is not. */
const visible: readonly (readonly [how: string, styled: Styled])[] = [
  ['by a later rule', { css: '.x{display:none}.x{display:block}' }],
  ['by a stronger rule before', { css: 'main p.x{display:block}.x{display:none}' }],
  [
    'by its style',
    { css: '.x{display:none}', html: '<p class="x" style="display:block">TEXT</p>' },
  ],
  [
    'by !important',
    { css: '.x{display:block!important}#i{display:none}', html: '<p id="i" class="x">TEXT</p>' },
  ],
  ['by the later of two in a style', style('display:none;display:block')],
  ['on screens, hidden in print', { css: '@media print{.x{display:none}}' }],
  ['in wide windows', { css: '@media (max-width:600px){.x{display:none}}' }],
  ['in the light scheme', { css: '@media (prefers-color-scheme:dark){.x{display:none}}' }],
  ['unless motion is reduced', { css: '@media (prefers-reduced-motion:reduce){.x{display:none}}' }],
  ['where scripts run', { css: '@media (scripting:none){.x{display:none}}' }],
  ['until the mouse is there', { css: '.x:hover{display:none}' }],
  ['until it has the focus', { css: '.x:focus-within{opacity:0}' }],
  ['but for its first letter', { css: '.x::first-letter{font-size:0}' }],
  ['but for what is before it', { css: '.x::before{display:none}' }],
  ['where a selector is not one', { css: '.x,:nonsense{display:none}' }],
  ['where a value is not one', { css: '.x{display:nothing;visibility:gone;opacity:none}' }],
  ['where a variable is missing', { css: '.x{display:var(--missing)}' }],
  ['where a variable leads to itself', { css: '.x{--a:var(--b);--b:var(--a);display:var(--a)}' }],
  ['where grids are not known', { css: '@supports not (display:grid){.x{display:none}}' }],
  ['outside of a later layer', { css: '.x{display:block}@layer a{.x{display:none}}' }],
  [
    'in the later layer',
    { css: '@layer a,b;@layer b{.x{display:block}}@layer a{.x{display:none}}' },
  ],
  [
    'by taking a layer back',
    { css: '@layer a{.x{display:block}}@layer b{.x{display:none;display:revert-layer}}' },
  ],
  [
    'by taking all back',
    { css: '.x{display:none}', html: '<p class="x" style="all:revert">TEXT</p>' },
  ],
  [
    'in a sheet of another language',
    { head: '<style type="text/x-rules">.x{display:none}</style>' },
  ],
  [
    'where scripts run, by noscript',
    { head: '<noscript><style>.x{display:none}</style></noscript>' },
  ],
  ['in a comment of the sheet', { css: '/* .x{display:none} */' }],
  ['for another class in capitals', { css: '.X{display:none}' }],
  ['though an attribute hides it', { css: '[hidden]{display:block}', html: '<p hidden>TEXT</p>' }],
  [
    'as the visible part of a hidden one',
    {
      css: '.a{visibility:hidden}.x{visibility:visible}',
      html: '<div class="a">a<p class="x">TEXT</p></div>',
    },
  ],
  [
    'in letters of their own size',
    {
      css: '.a{font-size:0}.x{font-size:16px}',
      html: '<div class="a"><p class="x">TEXT</p></div>',
    },
  ],
  [
    'in a box of a fixed shape',
    {
      css: '.a{height:0;padding-bottom:56%;overflow:hidden;position:relative}',
      html: '<div class="a"><p>TEXT</p></div>',
    },
  ],
  ...[
    'mask:linear-gradient(#000,transparent)',
    'mask:linear-gradient(transparent,transparent),linear-gradient(#000,#000)',
    'mask:url(a.png)',
    'mask:none',
    '-webkit-mask:linear-gradient(#000 60%,#0000)',
    'position:fixed;top:0;left:0',
    'position:fixed;inset:0',
    'position:fixed;top:10vh;left:50vw;transform:translate(-50%,-50%)',
    'position:fixed;bottom:0;width:100vw;left:0',
    'position:sticky;top:-100vh',
    'position:sticky;left:-9999px',
    'position:relative;top:-10vh',
    'position:fixed;top:-100vh;bottom:0',
    'position:absolute;left:100%',
    'margin-left:calc(50% - 50vw)',
    'transform:translateX(-100%)',
    'clip-path:inset(0 50% 0 0)',
    'clip-path:polygon(0 0,100% 0,100% 100%)',
    'clip-path:rect(0 100% 100% 0)',
    "clip-path:path('M0 0L900 0L900 900Z')",
  ].map((declarations): readonly [string, Styled] => [`with ${declarations}`, style(declarations)]),
  ['over the whole width', { css: '.x{margin-left:-9999px;padding-left:9999px}' }],
  ['white on black', { css: '.x{color:#fff;background:#000}' }],
  [
    'white on black around it',
    {
      css: '.a{background:black}.x{color:white}',
      html: '<div class="a"><p class="x">TEXT</p></div>',
    },
  ],
  ['white on a picture', { css: '.x{color:#fff;background:url(a.jpg)}' }],
  ['white on a gradient', { css: '.x{color:#fff;background:linear-gradient(#00f,#000)}' }],
  [
    'white over a picture',
    {
      css: '.x{position:absolute;color:#fff}',
      html: '<div><img src="a.jpg"><p class="x">TEXT</p></div>',
    },
  ],
  [
    'in the colors of a gradient',
    { css: '.x{background:linear-gradient(red,blue);background-clip:text;color:transparent}' },
  ],
  ['by its shadow', { css: '.x{color:transparent;text-shadow:0 0 1px #000}' }],
  [
    'at the end of an animation',
    { css: '@keyframes in{to{opacity:1}}.x{opacity:0;animation:in 1s forwards}' },
  ],
  ['with a small indent and margin', { css: '.x{text-indent:-2em;margin-left:-20px}' }],
  ['small and pale', { css: '.x{font-size:9px;color:#767676;opacity:.8}' }],
  ['in a position that does not count', { css: '.x{left:-9999px;clip:rect(0,0,0,0)}' }],
  ['in details that are closed', { html: '<details><summary>More</summary><p>TEXT</p></details>' }],
  [
    'though its style hides it',
    { css: '.x{display:block!important}', html: '<p class="x" style="display:none">TEXT</p>' },
  ],
  ['by a button', { html: '<button aria-controls="i">More</button><p id="i" hidden>TEXT</p>' }],
  ['in the dark scheme', { css: ':root{color-scheme:dark}.x{color:#eee}' }],
];

runScenarios([
  ...declared.map(([how, declarations]) => hidden(`${how}, by a rule`, rule(declarations))),
  ...declared
    .filter((_, index) => index % 4 === 0)
    .map(([how, declarations]) => hidden(`${how}, by its style`, style(declarations))),
  ...byRules.map(([how, styled]) => hidden(how, styled)),
  ...visible.map(([how, styled]) => stays(how, styled)),
  scenario(
    'a caller and a model are told of style sheets that were not read',
    { head: '<link rel="stylesheet" href="/a.css">' },
    'readers may not see all of the text',
    { readsText: true, warning: 'The style sheets of the page i' },
  ),
  scenario(
    'style rules that take too long are left out, which a caller and a model are told',
    {
      css: Array.from(
        { length: 150 },
        (_, at) => `section div div div div div .n${at}{display:none}`,
      ).join(''),
      html: `<section></section>${times(200, '<div>')}${Array.from({ length: 150 }, (_, at) => times(20, `<i class="n${at}">.</i>`)).join('')}${times(200, '</div>')}`,
    },
    'readers may not see all of the text',
    { readsText: true, warning: 'Style rules of the page that t' },
  ),
  scenario(
    'rules before and after one that takes too long hold',
    {
      css: '.x{display:none} section>div~div~div~div~div~div~.y{display:none} .z{display:none}',
      html: `<section></section><p class="x">TEXT</p><p class="z">TEXT</p>${times(60, '<div></div>')}<b class="y">.</b>`,
    },
    secret,
    { readsText: false, warning: 'Style rules of the page that t' },
  ),
]);
