/** Pages that report more than a process can hold: it goes on, and so do the pages beside them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { usualAnd } from '../support/deep.ts';

const built = new URL('../../dist/', import.meta.url).href;

/** As JSON, 600 MB: more than a string can hold. */
const huge = 'String.fromCharCode(1).repeat(1e8)';

const frame = (about: string): string =>
  `const f = document.createElement('iframe'); ${about}; document.body.append(f)`;
const worker = (source: string): string =>
  `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}])))`;

/** Scripts of pages. */
const scripts = {
  console: `console.log(${huge})`,
  error: `throw ${huge}`,
  messages: "for (let i = 0; i < 2e5; i++) console.log('x'.repeat(1000) + i)",
  objects: `const o = {}; for (let i = 0; i < 1e3; i++) o['k' + i] = 'v'.repeat(1e5);
    setInterval(() => console.log(o, [o, o], new Map(Object.entries(o))), 1)`,
  loop: "setInterval(() => console.log('x'.repeat(5e7)), 1)",
  errors: "setInterval(() => { throw new Error(Math.random() + 'x'.repeat(1e6)) }, 1)",
  rejections: "setInterval(() => Promise.reject(Math.random() + 'x'.repeat(5e6)), 1)",
  fetch: `fetch('/sent', { method: 'POST', body: ${huge} })`,
  fetches: "setInterval(() => fetch('/sent', { method: 'POST', body: 'y'.repeat(5e6) }), 1)",
  prompt: `prompt(${huge}, ${huge})`,
  title: `document.title = ${huge}`,
  name: `window.name = ${huge}; if (location.hash === '') { location.hash = 'a'; location.reload() }`,
  frameName: frame(`f.name = ${huge}; f.src = '/good'`),
  picture: "new Image().src = 'data:image/svg+xml,' + 'x'.repeat(1e8)",
  history:
    "setInterval(() => history.replaceState(0, '', '?' + Math.random() + 'x'.repeat(2e6)), 1)",
  popup: `open('data:text/html,' + ${huge}); open('/good', ${huge})`,
  worker: worker(`console.log(${huge}); setInterval(() => console.log('x'.repeat(5e7)), 1)`),
  storage:
    "for (let i = 0; i < 200; i++) localStorage['k' + i] = String.fromCharCode(1).repeat(25e3)",
};

const usual = ['console', 'messages', 'fetch'];
const names = usualAnd(0, Object.keys(scripts)).concat(usual);

const source = `
  import { createClient } from '${built}index.js';
  import { serve } from '${built}entries/testing/index.js';
  const good = '<h1>Good</h1><p>The page beside it.</p><script>document.body.append("Made.")</script>';
  const sent = ({ request, response }) => request.resume().on('end', () => response.end());
  const scripts = ${JSON.stringify(scripts)};
  const pages = Object.entries(scripts).map(([name, script]) => [
    '/' + name, '<title>T</title><h1>Bad</h1><div id="root"></div><script>' + script + '</script>',
  ]);
  const server = await serve({ '/good': good, '/sent': sent, ...Object.fromEntries(pages) });
  const client = createClient({ network: { allow: ['127.0.0.1'] } });
  const scrape = (path, options) =>
    client.scrape(server.url(path), { engine: 'browser', maxAge: 0, ...options }).then(
      ({ markdown }) => markdown, (error) => error.code);
  for (const name of ${JSON.stringify([...new Set(names)])}) {
    const profile = name === 'storage' ? { profile: { name } } : {};
    const [bad, beside] = await Promise.all([
      scrape('/' + name, { timeout: 10_000, ...profile }),
      scrape('/good?' + name, { timeout: 60_000 }),
    ]);
    console.log(JSON.stringify({ name, bad, beside }));
  }
  await client.close();
  await server.close();
`;

// Chromium takes seconds to hand on the first messages.
test('a page that floods its browser', { timeout: 900_000 }, async () => {
  const host = spawn(
    process.execPath,
    ['--max-old-space-size=512', '--input-type=module', '-e', source],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void host.kill('SIGKILL'));
  const [output, errors, [code]] = await Promise.all([
    text(host.stdout),
    text(host.stderr),
    once(host, 'exit') as Promise<[number | null]>,
  ]);
  expect(code, errors).toBe(0);
  const lines = output.trim().split('\n');
  expect(lines).toHaveLength(new Set(names).size);
  for (const line of lines) {
    const { name, bad, beside } = JSON.parse(line) as Record<'name' | 'bad' | 'beside', string>;
    expect(beside, name).toMatch(/^# Good\n[^]*Made\./);
    expect(bad, name).toMatch(/^(?:# Bad|(?:PARSE_LIMIT|BODY_TOO_LARGE|TIMEOUT|BROWSER_CRASHED)$)/);
  }
});
