/** `pagewright doctor`: the optional parts that are available, and how to get the rest. */
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import { locateChromium, openBrowser } from '../../browser/chromium/open-browser.ts';
import { messageOf } from '../../core/runtime/errors.ts';
import type { ClientOptions } from '../../index.ts';
import { type OptionalPackage, packageState } from '../../core/runtime/optional-packages.ts';
import { ExitCode } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { addFlags, type FlagValues } from './flags.ts';
import { modelProviders, ownKey } from './model-options.ts';
import { writeOutput } from './output.ts';
import { prefixOption, storeOf, storeOption, type StoreValues } from './store-options.ts';
import { byteSize, tableLines } from './terminal-text.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';

const flags = {
  require: '<name,…> exit with code 1 unless these are available: browser, ocr, redis, …',
  json: 'print the findings as JSON, and stderr as with --log json',
} as const;

interface DoctorValues extends StoreValues, FlagValues<typeof flags> {}

/** One part, and its state. */
interface CheckResult {
  /** In the form that `--require` takes. */
  readonly name: string;
  /** `missing` is not an error, because the part is optional. */
  readonly state: 'ok' | 'missing' | 'broken';
  readonly detail: string;
  /** Instructions to get or repair it. */
  readonly fix?: string;
}

/** Adds the command. */
export function addDoctorCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('doctor')
    .summary('check what is installed, and how to get the rest')
    .description(
      'Checks the runtime, browser, optional packages, keys and store, and says how to get missing parts.',
    )
    .addOption(storeOption('also test reading and writing this store'))
    .addOption(prefixOption());
  addFlags(command, flags);
  command.addHelpText('after', examples).action(async (values: DoctorValues) => {
    const findings = await examine(values, run);
    const wanted = new Set([...(values.require ?? []), 'node', 'store', 'config']);
    const unknown = (values.require ?? []).filter(
      (name) => !findings.some((one) => one.name === name),
    );
    if (unknown.length > 0) {
      command.error(
        `--require: unknown part ${unknown.join(', ')}; known: ${findings.map(({ name }) => name).join(', ')}`,
      );
    }
    const text =
      values.json === true ? JSON.stringify(findings, null, 2) : report(findings).join('\n');
    await writeOutput(undefined, `${text}\n`, run.log);
    const required = new Set(values.require ?? []);
    const isBad = ({ name, state }: CheckResult): boolean =>
      (state === 'broken' && wanted.has(name)) || (state !== 'ok' && required.has(name));
    run.finish(findings.some(isBad) ? ExitCode.failure : ExitCode.success);
  });
}

async function examine(values: DoctorValues, run: CommandRun): Promise<CheckResult[]> {
  const packages = packageFindings();
  const ocr = packages.find(({ name }) => name === 'tesseract.js');
  return [
    runtime(),
    { name: 'pagewright', state: 'ok', detail: packageVersion() },
    await config(run),
    await browser(run),
    { ...(ocr ?? { state: 'missing', detail: 'not installed' }), name: 'ocr' },
    modelKeys(),
    ...(values.store === undefined ? [] : [await store(values.store, values.prefix)]),
    await proxies(run),
    await disk(),
    ...packages,
  ];
}

const marks = { ok: '✓', missing: '–', broken: '✗' };

function report(findings: readonly CheckResult[]): string[] {
  const rows = findings.map(({ name, state, detail, fix }) => [
    marks[state],
    name,
    fix === undefined ? detail : `${detail}: ${fix}`,
  ]);
  return tableLines(rows);
}

function runtime(): CheckResult {
  const { versions } = process as { versions: Readonly<Record<string, string | undefined>> };
  const { bun, deno } = versions;
  const other = bun === undefined ? deno && `Deno ${deno}` : `Bun ${bun}`;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = other === undefined && (major < 20 || (major === 20 && minor < 19));
  const detail = `${other ?? `Node ${process.version}`} on ${process.platform} ${process.arch}`;
  return isOld
    ? { name: 'node', state: 'broken', detail, fix: 'Node 20.19 or later is needed' }
    : { name: 'node', state: 'ok', detail };
}

async function config({ config: load }: CommandRun): Promise<CheckResult> {
  try {
    const keys = Object.keys(await load());
    const detail = keys.length === 0 ? 'no config file' : `sets ${keys.join(', ')}`;
    return { name: 'config', state: keys.length === 0 ? 'missing' : 'ok', detail };
  } catch (error) {
    return { name: 'config', state: 'broken', detail: messageOf(error) };
  }
}

/** Finds the browser that the config file names, or one of this machine, and starts it. */
async function browser({ config: load }: CommandRun): Promise<CheckResult> {
  const name = 'browser';
  // A config file that cannot be read is a finding of its own.
  const { browser: choice = {} } = await load().catch((): ClientOptions => ({}));
  if (choice === false)
    return { name, state: 'missing', detail: 'the config file has browser: false' };
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  let executablePath: string;
  try {
    executablePath = choice.executablePath ?? (await locateChromium());
  } catch (error) {
    return { name, state: 'missing', detail: messageOf(error) };
  }
  try {
    const { browser: started } = await openBrowser({
      stealth: false,
      executablePath,
      args: choice.args,
      warn,
    });
    const version = started.version();
    await started.close();
    const isOff = choice.args?.includes('--no-sandbox') === true;
    const sandbox = warnings.length > 0 ? 'as root, so without' : isOff ? 'without' : 'with';
    const detail = `Chromium ${version} starts ${sandbox} its sandbox (${executablePath})`;
    return { name, state: 'ok', detail };
  } catch (error) {
    return { name, state: 'broken', detail: messageOf(error) };
  }
}

function modelKeys(): CheckResult {
  const variables = [...Object.values(modelProviders).flatMap(({ key }) => key ?? []), ownKey];
  const set = variables.filter((variable) => (process.env[variable] ?? '') !== '');
  return set.length === 0
    ? {
        name: 'model',
        state: 'missing',
        detail: 'no key is set in the environment',
        fix: `set one of ${variables.join(', ')}, or use --model ollama:<name>`,
      }
    : { name: 'model', state: 'ok', detail: `${set.join(', ')} set` };
}

/** Writes a value, reads it and removes it. */
async function store(location: string, prefix: string | undefined): Promise<CheckResult> {
  const name = 'store';
  try {
    const opened = storeOf(location, prefix);
    try {
      const key = `doctor/${process.pid}`;
      const value = Buffer.from('pagewright doctor');
      await opened.set(key, value);
      const read = await opened.get(key);
      await opened.delete(key);
      if (read === undefined || Buffer.compare(read, value) !== 0) {
        return {
          name,
          state: 'broken',
          detail: `${location} gives back another value than was written`,
        };
      }
    } finally {
      await opened.release?.();
    }
    return { name, state: 'ok', detail: `${withoutPassword(location)} can be read and written` };
  } catch (error) {
    return { name, state: 'broken', detail: `${withoutPassword(location)}: ${messageOf(error)}` };
  }
}

function withoutPassword(location: string): string {
  return location.replace(/^([a-z]+:\/\/[^/@]*:)[^/@]*@/i, '$1…@');
}

async function proxies({ config: load }: CommandRun): Promise<CheckResult> {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];
  const set = names.filter(
    (name) => (process.env[name] ?? process.env[name.toLowerCase()] ?? '') !== '',
  );
  if (set.length === 0)
    return { name: 'proxy', state: 'missing', detail: 'no proxy variables are set' };
  const { proxy } = await load().catch((): ClientOptions => ({}));
  if (proxy === 'environment')
    return { name: 'proxy', state: 'ok', detail: `${set.join(', ')} is set` };
  return {
    name: 'proxy',
    state: 'missing',
    detail: `${set.join(', ')} is set and not used`,
    fix: 'give --proxy environment',
  };
}

async function disk(): Promise<CheckResult> {
  const folders = [...new Set([process.cwd(), tmpdir()])];
  const free = await Promise.all(
    folders.map(async (folder) => {
      const { bavail, bsize } = await statfs(folder);
      return `${byteSize(bavail * bsize)} free in ${folder}`;
    }),
  ).catch((error: unknown) => [messageOf(error)]);
  return { name: 'disk', state: 'ok', detail: free.join(', ') };
}

/** The purpose of each optional package. */
const purposes: Readonly<Record<OptionalPackage, string>> = {
  '@duckduckgo/autoconsent': 'consent banners in a browser',
  '@e965/xlsx': 'spreadsheets',
  '@ghostery/adblocker': 'filter lists of your own',
  '@langchain/core': 'the loader for LangChain.js',
  '@llamaindex/core': 'the reader for LlamaIndex.TS',
  '@mozilla/readability': "mainContent: 'readability'",
  '@opentelemetry/api': 'spans and metrics',
  '@photostructure/sqlite': 'SQLite on Node before 22',
  aws4fetch: 's3:// stores',
  bullmq: 'workers on other machines',
  defuddle: "mainContent: 'defuddle'",
  'got-scraping': 'stealth without a browser',
  'hyparquet-writer': 'Parquet files',
  impit: "stealth: 'impit'",
  keyv: 'keyvStore()',
  linkedom: 'other extractors of main content',
  minisearch: 'client.index()',
  'patchright-core': 'another browser driver',
  'pdfjs-dist': 'images of PDF pages, for OCR',
  'playwright-core': 'pages in a browser',
  redis: 'redis:// stores and workers',
  'tesseract.js': 'OCR of scans and images',
  turndown: 'turndownMarkdown()',
  unstorage: 'unstorageStore()',
  yaml: 'reading folders of markdown',
};

function packageFindings(): CheckResult[] {
  return (Object.keys(purposes) as OptionalPackage[]).map((name): CheckResult => {
    const { installedVersion, isUsable, install: fix } = packageState(name);
    const purpose = `(${purposes[name]})`;
    if (isUsable) return { name, state: 'ok', detail: `${installedVersion} ${purpose}` };
    return installedVersion === undefined
      ? { name, state: 'missing', detail: `not installed ${purpose}`, fix }
      : { name, state: 'broken', detail: `${installedVersion} is not supported ${purpose}`, fix };
  });
}

const examples = `
✓ there, – not there and not needed by all, ✗ does not work.

Examples:
  pagewright doctor
  pagewright doctor --store redis://10.0.0.5:6379
  pagewright doctor --require browser,redis --json
`;
