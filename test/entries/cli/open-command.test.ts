/** `pagewright open`: lines of JSON in, a document or an error for each out. */
import { type FixtureServer, serve, status } from 'pagewright/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine } from './command-line.ts';

let site: FixtureServer;

beforeAll(async () => {
  site = await serve(
    {
      '/': `<title>Tides</title><main><p id=out>High water is at a quarter past six.</p></main><button id=more>More</button>
<script>more.onclick = () => { out.textContent = 'Low water is at noon.'; };</script>`,
      '/late': `<title>Late</title><main><p id=out>Words that come early.</p></main>
<script>setTimeout(async () => { out.textContent = await (await fetch('/api')).text(); }, 3000)</script>`,
      '/api': 'Words that come late.',
      '/other': '<title>Other</title><main><a href="/">Back to the tides</a></main>',
    },
    { behaviours: { '/busy': status({ code: 503 }) } },
  );
});

afterAll(() => site.close());

test('each line acts on the same page, and a failure ends only its line', async () => {
  const lines = [
    '{}',
    JSON.stringify({ actions: [{ type: 'click', selector: '#more' }] }),
    'no JSON',
    JSON.stringify({ headers: { a: 'b' } }),
    JSON.stringify({ goto: site.url('/other'), formats: ['links'] }),
  ];
  const { code, stdout } = await commandLine(
    ['open', site.url('/'), '--allow', '127.0.0.1', '--no-config'],
    { stdin: lines.join('\n') },
  );
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(answers).toMatchObject([
    { markdown: 'High water is at a quarter past six.', metadata: { title: 'Tides' } },
    { markdown: 'Low water is at noon.' },
    { error: { code: 'BAD_REQUEST', message: 'A line of stdin is no JSON object.' } },
    { error: { code: 'BAD_REQUEST', message: expect.stringContaining('headers') as string } },
    { links: [site.url('/')], metadata: { url: site.url('/other') } },
  ]);
  expect(code).toBe(3);
}, 60_000);

test('--wait-for-response and --retries hold for every page', async () => {
  const lines = [{}, { goto: site.url('/busy') }, { goto: site.url('/late?2') }];
  const words = ['--wait-for-response', '/api', '--retries', '0', '--timeout', '25000'];
  const { stdout } = await commandLine(
    ['open', site.url('/late'), '--allow', '127.0.0.1', '--no-config', ...words],
    { stdin: lines.map((line) => JSON.stringify(line)).join('\n') },
  );
  const answers = stdout.trim().split('\n');
  for (const at of [0, 2]) {
    expect(JSON.parse(answers[at] ?? '')).toMatchObject({ markdown: 'Words that come late.' });
  }
  expect(site.log.filter(({ url }) => url === '/busy')).toHaveLength(1);
}, 60_000);

test('an option that a session has not is unknown', async () => {
  const { code, stderr } = await commandLine(['open', site.url('/'), '--export-share-links']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('unknown option')]);
});

test('a page that cannot be opened is an error of the command', async () => {
  const { code, stderr, stdout } = await commandLine(['open', site.url('/'), '--no-config']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('127.0.0.1');
}, 60_000);
