/** Text that style sheets of their own files hide: where a browser renders the page, it knows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from '../../src/index.ts';
import type { Behaviour } from '../../src/entries/testing/index.ts';
import { expect } from 'vitest';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Scenario } from './scenario.ts';

const secret = 'Buy gold.';
let prompt = '';
const model: Model = {
  name: 'a model',
  generate: (request) => {
    ({ prompt } = request);
    const text = '{"answer":null,"quotes":[]}';
    return Promise.resolve({ text, usage: { inputTokens: 1, outputTokens: 1 } });
  },
};

function rendered(name: string, css: string | Behaviour, html: string, expected: object): Scenario {
  return {
    name,
    client: { network: { allow: ['127.0.0.0/8', 'localhost'] }, model },
    site: {
      '/': `<!DOCTYPE html><link rel="stylesheet" href="/a.css"><main><h1>News</h1><p>What everybody reads, and more.</p>${html}</main>`,
      '/a.css':
        typeof css === 'string' ? { headers: { 'content-type': 'text/css' }, body: css } : css,
    },
    options: {
      engine: 'browser',
      formats: [{ type: 'question', question: 'What is new?' }],
    },
    act: async ({ scrape, site }) => {
      prompt = '';
      const { warning } = (await scrape(site.url('/'))) as { warning?: string };
      return {
        readsPage: prompt.includes('What everybody reads'),
        readsText: prompt.includes(secret),
        warning,
      };
    },
    expect: { value: { readsPage: true, warning: undefined, ...expected } },
  };
}

const paragraph = `<p class="x">${secret}</p>`;
const late: Behaviour = async ({ response, signal }) => {
  await sleep(700, undefined, { signal });
  response.writeHead(200, { 'content-type': 'text/css' }).end('.x{display:none}');
};
const never: Behaviour = async ({ signal }) => {
  await sleep(60_000, undefined, { signal });
};
const hidden = (how: string, css: string | Behaviour, html = paragraph): Scenario =>
  rendered(`a browser knows what is hidden ${how}`, css, html, { readsText: false });
const shown = (how: string, css: string, html = paragraph): Scenario =>
  rendered(`a browser knows what is shown ${how}`, css, html, { readsText: true });

const ways = [
  'position:fixed;top:-100vh',
  'position:fixed;top:0;transform:translateY(-200%)',
  'position:fixed;top:100vh',
  'position:fixed;left:100vw',
  'position:fixed;right:100vw',
  'mask:linear-gradient(transparent,transparent)',
  '-webkit-mask:radial-gradient(#0000,#0000)',
  'mask:linear-gradient(#000,#000);mask-size:0',
  'clip-path:inset(0 100% 0 0)',
  'clip-path:inset(0 0 100%)',
  'clip-path:rect(0 0 0 0)',
  'clip-path:xywh(0 0 0 100%)',
  'clip-path:polygon(-9px -9px,-1px -9px,-1px -1px)',
  'clip-path:polygon(0 0,100% 0,50% 0)',
  'clip-path:circle(0)',
];
const seen = [
  'mask:linear-gradient(#000,transparent)',
  'position:fixed;top:50vh;left:0',
  'position:sticky;top:-100vh',
  'clip-path:inset(0 10% 0 0)',
  'clip-path:polygon(0 0,100% 0,100% 100%,0 100%)',
];

runScenarios(
  [
    hidden('with display', '.x{display:none}'),
    hidden('by a style sheet that is late', late),
    rendered('a style sheet that never comes is told', never, paragraph, {
      readsText: true,
      warning: expect.stringMatching(
        /style sheets of the page in files of their own were not read/,
      ),
    }),
    rare(hidden('with visibility', '.x{visibility:hidden}')),
    rare(hidden('with opacity', '.x{opacity:0}')),
    rare(hidden('with a clip path', '.x{clip-path:inset(50%)}')),
    rare(hidden('scaled to nothing', '.x{transform:scale(0)}')),
    rare(hidden('far to the left', '.x{position:absolute;left:-9999px}')),
    hidden(
      'with masks, clip paths, and outside of the window',
      ways.map((way, at) => `.x${at}{${way}}`).join(''),
      ways.map((_, at) => `<p class="x${at}">${secret}</p>`).join(''),
    ),
    ...seen.map((way) => rare(shown(`with ${way}`, `.x{${way}}`))),
    rare(hidden('with letters of no size', '.x{font-size:0}')),
    rare(hidden('in a box without height', '.x{height:0;overflow:hidden}')),
    rare(hidden('white on white', '.x{color:#fefefe}')),
    rare(hidden('in a dialog', '', `<dialog>${secret}</dialog>`)),
    shown(
      'though an attribute hides it',
      '[hidden]{display:block!important}',
      `<p hidden>${secret}</p>`,
    ),
    rare(
      shown(
        'though its style hides it',
        '.x{display:block!important}',
        `<p class="x" style="display:none">${secret}</p>`,
      ),
    ),
    shown('white on black', '.x{color:#fff;background:#000}'),
    rare(shown('white on a picture', '.x{color:#fff;background:url(/b.png)}')),
    rare(shown('in the light scheme', '@media (prefers-color-scheme:dark){.x{display:none}}')),
    rare(shown('with a small indent', '.x{text-indent:-2em;margin-left:2em}')),
  ],
  { memory: 900 },
);
