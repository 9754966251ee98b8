/** `pagewright shell`: lines of JavaScript on a page, from stdin and at a terminal. */
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { type FixtureServer, hang, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runCommandLine } from '../../../src/entries/cli/run-command-line.ts';
import { commandLine } from './command-line.ts';
import {
  collect,
  docsSite,
  requireBuild,
  type Run,
  startPagewright,
  workingDirectory,
} from './run-pagewright.ts';

const support = 'https://docs.test/community/support.html';
let site: FixtureServer;

beforeAll(async () => {
  site = await serve(
    {
      '/': `<!doctype html><title>Lamps</title><nav><a href="/desk">Desk</a></nav>
<main><h1>Lamps</h1><ul><li><a href="/desk">For desks</a></li></ul><p class="a b">Lamps of <b>all</b>
kinds.</p><script>alert(1)</script></main>`,
      '/desk': '<title>Desk</title><main><h1>Desk lamp</h1><p>49 euros.</p></main>',
      '/data.json': '{"lamps": [1, 2]}',
    },
    { behaviours: { '/hang*': hang() } },
  );
});

afterAll(() => site.close());

/** Runs lines; the page is `/` unless `words` name another one. */
function shell(lines: readonly string[], words: readonly string[] = [site.url('/')]): Promise<Run> {
  const all = ['shell', ...words, '--allow', '127.0.0.1', '--no-config'];
  return commandLine(all, { stdin: lines.join('\n') });
}

describe('lines of stdin', () => {
  test('print text as it is and other values as JSON', async () => {
    const { code, stdout, stderr } = await shell([
      'page.metadata.title',
      'markdown()',
      'const all = $("p")',
      'all',
      'all[0].html',
      'await markdown({ onlyMainContent: false })',
      'markdown({ includeTags: ["b"] })',
      'links()',
      'undefined',
      '// a comment',
      '',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    const found = [{ tag: 'p', text: 'Lamps of all kinds.', attributes: { class: 'a b' } }];
    expect(stdout).toBe(`Lamps
# Lamps

- [For desks](${site.url('/desk')})

Lamps of **all** kinds.
${JSON.stringify(found, null, 2)}
<p class="a b">Lamps of <b>all</b>
kinds.</p>
[Desk](${site.url('/desk')})

# Lamps

- [For desks](${site.url('/desk')})

Lamps of **all** kinds.
**all**
[
  "${site.url('/desk')}"
]
`);
  });

  test('request the page once, and others by relative URLs', async () => {
    site.clearLog();
    const { stdout } = await shell([
      'await markdown(); await links(); $("nav a").length',
      '(await fetch("desk")).metadata.title',
      '$("h1")[0].text',
      '(await scrape("/", { formats: ["links"] })).links.length + page.metadata.title',
      'const { metadata } = await scrape()',
      'metadata.sourceURL === page.metadata.sourceURL',
    ]);
    expect(stdout).toBe('1\nDesk\nDesk lamp\n1Lamps\ntrue\n');
    const pages = site.log.map(({ url }) => url).filter((url) => url !== '/robots.txt');
    expect(pages).toEqual(['/', '/desk', '/', '/']);
  });

  test('a statement may have several lines, and a failure ends only its own', async () => {
    const { code, stdout, stderr } = await shell([
      'function double(x) {',
      '  return 2 * x;',
      '}',
      'nowhere',
      '$("p[")',
      'fetch("http://10.0.0.1/")',
      'page.metadata.title',
      'double(21)',
      'json({ type: "object", properties: { lamp: { type: "numbr" } } })',
      'if (true) {',
    ]);
    expect([code, stdout]).toEqual([1, 'Lamps\n42\n']);
    const problems = stderr.trim().split('\n');
    expect(problems).toMatchObject(
      [
        /^UNEXPECTED: ReferenceError: nowhere is not defined/,
        /^BAD_REQUEST: p\[ is not a CSS selector: /,
        /^BLOCKED_ADDRESS: .*--allow 10\.0\.0\.1/,
        /^BAD_REQUEST: .*numbr/,
        /^BAD_REQUEST: The last statement is unfinished\./,
      ].map((pattern) => expect.stringMatching(pattern) as string),
    );
  });

  test('json() reads data by a schema, and recipe() lists what was learned', async () => {
    const schema = JSON.stringify({
      type: 'object',
      properties: { name: { type: 'string', 'x-selector': 'h1' } },
    });
    const { code, stdout } = await shell([
      `const schema = ${schema}`,
      'await json(schema)',
      'await recipe()',
    ]);
    expect([code, stdout]).toEqual([0, '{\n  "name": "Lamps"\n}\n[]\n']);
  });

  test('view() writes the page without its scripts, and opens nothing', async () => {
    const { stdout } = await shell(['view()']);
    const file = stdout.trim();
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    const html = readFileSync(file, 'utf8');
    expect(html).toMatch(/^<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Sec/);
    expect(html).toContain("script-src 'none'");
    expect(html).toContain(`<base href="${site.url('/')}">`);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  test('the options of the command line are the defaults, and fixtures are pages', async () => {
    const words = [support, ...docsSite, '--include-tags', 'h1', '--formats', 'links'];
    const { code, stdout } = await shell(
      ['markdown()', 'markdown({ includeTags: ["h2"] })', 'Object.keys(page).sort().join()'],
      words,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Support\n## [^]*\nlinks,metadata,rawHtml\n$/);
  });

  test('what is no HTML has no elements', async () => {
    const { stdout } = await shell(['markdown()', '$("p").length'], [site.url('/data.json')]);
    expect(stdout).toContain('"lamps"');
    expect(stdout).toMatch(/\n0\n$/);
  });

  test('end with Ctrl-C, and with the call that runs', async () => {
    requireBuild();
    const words = ['shell', site.url('/'), '--allow', '127.0.0.1', '--no-config'];
    const child = startPagewright(words, workingDirectory());
    const output = collect(child);
    site.clearLog();
    child.stdin.write('page.metadata.title\nfetch("/hang?2")\n');
    await vi.waitFor(() => expect(site.log.map(({ url }) => url)).toContain('/hang?2'), 15_000);
    const ended = once(child, 'close');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(output()).toMatchObject({
      stdout: 'Lamps\n',
      stderr: expect.stringContaining('CANCELLED') as string,
    });
  });

  test('a page that cannot be read is an error of the command', async () => {
    const { code, stdout, stderr } = await shell(['1'], ['http://10.0.0.1/']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('BLOCKED_ADDRESS');
    expect((await shell(['1'], ['not a URL'])).code).toBe(2);
    expect((await shell(['1'], [site.url('/'), '--profile', 'x'])).code).toBe(2);
  });
});

/** A shell at a terminal; its streams are those of the process while it runs. */
function atTerminal(history: string): {
  type(text: string): void;
  text(): string;
  code: Promise<number>;
} {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  let said = '';
  const stdout = new Writable({
    write(chunk: Buffer, _, done) {
      said += String(chunk);
      done();
    },
  });
  Object.assign(stdout, { isTTY: true, columns: 80, rows: 24, hasColors: () => false });
  Object.assign(stdout, { getColorDepth: () => 1 });
  const own = Object.getOwnPropertyDescriptors(process);
  for (const [name, value] of Object.entries({ stdin, stdout, stderr: stdout })) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  onTestFinished(() => {
    for (const name of ['stdin', 'stdout', 'stderr'] as const) {
      Object.defineProperty(process, name, own[name]);
    }
    vi.unstubAllEnvs();
  });
  vi.stubEnv('PAGEWRIGHT_SHELL_HISTORY', history);
  const words = ['shell', site.url('/'), '--allow', '127.0.0.1', '--no-config'];
  return { type: (text) => stdin.write(text), text: () => said, code: runCommandLine(words) };
}

describe('at a terminal', () => {
  const shows = (terminal: { text(): string }, wanted: string | RegExp): Promise<void> =>
    vi.waitFor(() => expect(terminal.text()).toMatch(wanted), 10_000);

  test('a line that fails, Ctrl-C and .exit', async () => {
    const folder = workingDirectory();
    const history = join(folder, 'history');
    const terminal = atTerminal(history);
    await shows(terminal, /200 http.* Lamps\n[^]*pagewright> /);
    terminal.type('markdown()\n');
    await shows(terminal, /Lamps of \*\*all\*\* kinds\./);
    terminal.type('nowhere\n');
    await shows(terminal, /UNEXPECTED: ReferenceError: nowhere is not defined/);
    site.clearLog();
    terminal.type('fetch("/hang")\n');
    await vi.waitFor(() => expect(site.log.map(({ url }) => url)).toContain('/hang'));
    terminal.type('\x03');
    await shows(terminal, /CANCELLED: /);
    terminal.type('"still " + "here"\n');
    await shows(terminal, /still here/);
    terminal.type(' "not kept"\n');
    terminal.type('"https://ann:pw@a.test/"\n');
    terminal.type('$(".author").length\n');
    terminal.type('scrape("/", { headers: { authorization: "x" } })\n');
    await shows(terminal, /rawHtml/);
    terminal.type('.exit\n');
    expect(await terminal.code).toBe(0);
    await vi.waitFor(() => expect(readFileSync(history, 'utf8')).toContain('markdown()'));
    expect(readFileSync(history, 'utf8')).not.toMatch(/not kept|ann:pw|authorization/);
    expect(readFileSync(history, 'utf8')).toContain('.author');
    expect(statSync(history).mode & 0o077).toBe(0);
  }, 30_000);

  test('Ctrl-C twice ends it, and no history is kept without a file', async () => {
    const terminal = atTerminal('');
    await shows(terminal, /pagewright> /);
    terminal.type('\x03');
    terminal.type('\x03');
    expect(await terminal.code).toBe(0);
    expect(existsSync('.node_repl_history')).toBe(false);
  }, 30_000);
});
