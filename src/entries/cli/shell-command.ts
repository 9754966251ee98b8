/** `pagewright shell <url>`: lines of JavaScript that try selectors, schemas and options on a page. */
import { spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { REPLServer } from 'node:repl';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import { parseHtml } from '../../content/html/parse.ts';
import { selectAll } from '../../content/html/select.ts';
import { selectorError } from '../../content/html/selector.ts';
import { escapeAttribute } from '../../content/html/serialize.ts';
import { split } from '../../core/checks/option.ts';
import { defaultLimits } from '../../core/model/limits.ts';
import { contentRows } from '../../core/options/scrape-options.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { Client, Document, FormatInput, ScrapeOptions } from '../../index.ts';
import { PagewrightError } from '../../index.ts';
import { describeError, ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { configuredFormats } from './config-file.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { addFlags } from './flags.ts';
import type { Log } from './log.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { writeToStdout } from './output.ts';
import { addPageOptions, browserProblem, formatFlags, isFormat } from './page-options.ts';
import { pageOptions, type PageValues, requestedFormats } from './page-options.ts';
import { prefixOption, storeOption, type StoreValues } from './store-options.ts';
import { withoutControls } from './terminal-text.ts';

interface ShellValues extends ConnectionValues, PageValues, ModelValues, StoreValues {}

/** Adds the command. */
export function addShellCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('shell')
    .summary('try selectors and options on a page')
    .description(
      'Reads a page, and lines of JavaScript that try things on it: page, $(), markdown(), json() …; help() lists them. Without a terminal it runs the lines of stdin, and prints text or JSON.',
    )
    .argument('<url>', 'the page');
  addFlags(command.optionsGroup('Content:'), formatFlags);
  addPageOptions(command);
  addModelOptions(command);
  addConnectionOptions(command);
  command
    .optionsGroup('Store:')
    .addOption(storeOption('store for recipes, and for the versions of changeTracking'))
    .addOption(prefixOption());
  command.addHelpText('after', examples).action(async (url: string, values: ShellValues) => {
    const problem = browserProblem(values);
    if (problem !== undefined) command.error(problem);
    const formats = requestedFormats(values, configuredFormats(await run.config()));
    await using client = await openClient(run, values);
    const shell = openShell(client, url, { ...pageOptions(values), formats }, run.log);
    const stopping = new AbortController();
    let code: number = ExitCode.success;
    {
      using _ = onInterrupt(() => {
        stopping.abort();
        shell.interrupt();
        process.stdin.destroy();
      });
      await shell.names.scrape();
      if (!process.stdin.isTTY) code = await runScript(shell, run.log, stopping.signal);
    }
    // Without that listener: beside one, Node does not interrupt a line that loops, but dies.
    if (process.stdin.isTTY) await runPrompt(shell, run.log);
    run.finish(stopping.signal.aborted ? ExitCode.interrupted : code);
  });
}

// The page, and the names that lines have.

type Page = Document<readonly FormatInput[]>;

/** Options of a format and of the content beside each other. */
type Given = Readonly<Record<string, unknown>>;

type Shell = ReturnType<typeof openShell>;

/** `defaults` are the options of the command line. */
function openShell(client: Client, start: string, defaults: ScrapeOptions, log: Log) {
  // Before it is read, only its URL is known.
  let page = { metadata: { url: start } } as Page;
  let calls = new AbortController();
  const scrape = async (target?: string | URL, options: ScrapeOptions = {}): Promise<Page> => {
    const base = page.metadata.url;
    const given = String(target ?? base);
    const url = URL.canParse(given, base) ? new URL(given, base).href : given;
    const formats = [...(options.formats ?? defaults.formats ?? [])] as FormatInput[];
    if (!formats.some((format) => isFormat(format, 'rawHtml'))) formats.push('rawHtml');
    const all = { ...defaults, ...options, formats, signal: calls.signal };
    return (page = await client.scrape(url, all));
  };
  /** One format of the page, which is not requested again. */
  const read = async (format: FormatInput, given: Given = {}): Promise<Page> => {
    const { metadata, rawHtml = '' } = page;
    // Of a PDF and the like it is the HTML that was made of it.
    const isText = /^text\/|[/+](?:json|xml)\b/.test(metadata.contentType);
    const { assets: _, ...content } = split(defaults, contentRows)[0];
    const document = await client.parse(rawHtml, {
      ...content,
      timeout: defaults.timeout,
      ...given,
      url: metadata.url,
      contentType: isText ? metadata.contentType : 'text/html',
      formats: [format],
      signal: calls.signal,
    });
    if (document.warning !== undefined) log.warn(document.warning);
    return document;
  };
  const names = {
    $: (selector: string) => elementsOf(page, selector),
    scrape,
    fetch: (url: string | URL) => scrape(url),
    markdown: async ({ links, images, handlers, ...content }: Given = {}) =>
      (await read({ type: 'markdown', links, images, handlers } as FormatInput, content)).markdown,
    json: async (schema: unknown, options?: Given) =>
      (await read({ type: 'json', schema, ...options } as FormatInput)).json,
    links: async (options?: Given) => (await read('links', options)).links,
    recipe: async () => {
      const { url } = page.metadata;
      return [...(await client.recipes.list(url)), ...(await client.recipes.listActs(url))];
    },
    view: () => view(page, log),
    help: () => help,
  };
  /** Ends the calls that run. */
  const interrupt = (): void => {
    calls.abort(new PagewrightError('CANCELLED', 'The call was interrupted.'));
    calls = new AbortController();
  };
  return { names, interrupt, page: () => page };
}

const mostText = 50_000_000; // characters of elements inside of each other

/** The elements of a page, as it was received or rendered, that a selector matches. */
function elementsOf({ rawHtml = '' }: Page, selector: string): object[] {
  const problem = selectorError(selector);
  if (problem !== undefined) {
    throw new PagewrightError('BAD_REQUEST', `${selector} is not a CSS selector: ${problem}`);
  }
  let left = mostText;
  return selectAll(selector, parseHtml(rawHtml, defaultLimits)).map((element) => {
    const { localName: tag, textContent } = element;
    const text = (textContent ?? '').replaceAll(/\s+/g, ' ').trim();
    left -= text.length;
    if (left < 0) throw new PagewrightError('PARSE_LIMIT', `${selector} matches too much text.`);
    const pairs = Array.from(element.attributes, ({ name, value }) => [name, value] as const);
    const found = { tag, text, attributes: Object.fromEntries(pairs) };
    return Object.defineProperty(found, 'html', { get: () => element.outerHTML });
  });
}

/** Writes the page to a file, and opens it in a browser where a user sits at a terminal; gives the name of the file. */
async function view({ metadata, rawHtml = '' }: Page, log: Log): Promise<string> {
  const base = /<base\b/i.test(rawHtml) ? '' : `<base href="${escapeAttribute(metadata.url)}">`;
  // A page from the web must not run scripts with the rights of a file.
  const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'">`;
  const html = `<!doctype html><meta charset="utf-8">${policy}${base}${rawHtml}`;
  const file = join(await mkdtemp(join(tmpdir(), 'pagewright-')), 'page.html');
  await writeFile(file, html, { mode: 0o600 });
  if (process.stdin.isTTY) {
    const openers: Partial<Record<string, string>> = { darwin: 'open', win32: 'explorer' };
    const program = openers[process.platform] ?? 'xdg-open';
    const browser = spawn(program, [file], { stdio: 'ignore', detached: true });
    browser.on('error', () => log.warn(`${program} cannot be started: open the file.`)).unref();
  }
  return file;
}

const help = `page                       the document, with the formats of the command line and rawHtml
$(selector)                its elements, with tag, text, attributes and html
markdown(options?)         its markdown: { links: 'text', includeTags: ['main'], onlyMainContent: false } …
json(schema, options?)     its data by a JSON Schema: { prompt, recipe: 'learn' } …
links()                    its links
recipe()                   the recipes that were learned for its host
view()                     writes it to a file and opens that in a browser, without its scripts
fetch(url)                 reads another page; the URL may be relative
scrape(url?, options?)     the same, or this page again, with options of scrape()
What a line returns is awaited and printed; in a line, await it: const text = await markdown()`;

// The lines.

/** Evaluates lines in a server of `node:repl`, which knows `await` and unfinished lines. */
async function evaluator(
  server: REPLServer,
  shell: Shell,
  log: Log,
): Promise<(code: string) => Promise<unknown>> {
  const { eval: evaluate, context } = server;
  let failed = (error: unknown): void => report(error, log);
  const run = (code: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      failed = reject;
      evaluate.call(server, code, context, 'shell', (error, value) =>
        error === null ? resolve(value) : reject(error),
      );
    });
  // Where Node has domains, errors of lines go to that of the server, which would print them with their stack.
  const domain = (await run('process.domain')) as EventEmitter | undefined;
  domain?.removeAllListeners('error').on('error', (error) => failed(error));
  Object.assign(context, shell.names);
  Object.defineProperty(context, 'page', { get: shell.page });
  return (code) => run(code).finally(() => (failed = (error) => report(error, log)));
}

/** Runs the lines of a terminal. */
async function runPrompt(shell: Shell, log: Log): Promise<void> {
  const { Recoverable, start } = await loadModule(() => import('node:repl'));
  const { statusCode, url, title = '' } = shell.page().metadata;
  await writeToStdout(`${statusCode} ${url} ${title}\nhelp() lists what there is.\n`, log);
  const { stdout } = process;
  const style = { colors: stdout.isTTY && stdout.hasColors(), depth: 4, maxStringLength: 300 };
  const server = start({
    prompt: 'pagewright> ',
    ignoreUndefined: true,
    breakEvalOnSigint: true,
    writer: (value: unknown) =>
      typeof value === 'string' ? withoutControls(value) : inspect(value, style),
  });
  const evaluate = await evaluator(server, shell, log);
  const own: typeof server.eval = (code, _, __, done) => {
    evaluate(code).then(
      (value) => done(null, value),
      (error: Error) => {
        if (error instanceof Recoverable) return done(error, undefined);
        report(error, log);
        done(null, undefined);
      },
    );
  };
  Object.defineProperty(server, 'eval', { value: own });
  server.prependListener('SIGINT', () => shell.interrupt());
  keepHistory(server, log);
  await once(server, 'exit');
  shell.interrupt();
}

/** Runs the lines of stdin; one that fails does not end them. */
async function runScript(shell: Shell, log: Log, signal: AbortSignal): Promise<number> {
  const { Recoverable, start } = await loadModule(() => import('node:repl'));
  const server = start({ prompt: '', input: new PassThrough(), output: process.stdout });
  const evaluate = await evaluator(server, shell, log);
  let code: number = ExitCode.success;
  let source = '';
  const fail = (error: unknown): void => {
    code = ExitCode.failure;
    report(error, log);
  };
  for await (const line of createInterface({ input: process.stdin, signal })) {
    source += `${line}\n`;
    try {
      const value = await evaluate(source);
      if (value !== undefined) await writeToStdout(`${printed(value)}\n`, log);
    } catch (error) {
      if (error instanceof Recoverable) continue;
      fail(error);
    }
    source = '';
  }
  if (source !== '') fail(new PagewrightError('BAD_REQUEST', 'The last statement is unfinished.'));
  server.close();
  return code;
}

function report(error: unknown, log: Log): void {
  const facts = describeError(error, []);
  if (facts !== undefined) log.error(facts);
}

/** Text as it is, anything else as JSON, or as Node prints it. */
function printed(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return inspect(value);
  }
}

// The history: lines of earlier shells, in a file that only the user reads.

const secretWords =
  /auth(?!ors?\b)|bearer|cookie|credential|passw|secret|token|api[-_]?key|:\/\/[^/\s]*@/i;

/** Keeps lines, except those with a space before them and those that seem to have a secret. */
function keepHistory(server: REPLServer, log: Log): void {
  const file = process.env['PAGEWRIGHT_SHELL_HISTORY'] ?? join(homedir(), '.pagewright_history');
  if (file === '') return;
  server.on('history', (lines: string[]) => {
    const [newest = ''] = lines;
    if (newest.startsWith(' ') || secretWords.test(newest)) lines.shift();
  });
  server.setupHistory(file, (error) => error && log.warn(`The history is not kept: ${error}`));
}

const examples = `
Examples:
  pagewright shell https://example.com
  pagewright shell https://example.com --engine browser --include-tags main
  echo '$("h2").map(({ text }) => text)' | pagewright shell https://example.com
`;
