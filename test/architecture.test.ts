/** How the source is laid out: floors, vendor rooms, cycles, names and heads of files. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** From the ground up. A file imports its own room or a lower floor; neighbours do not meet. */
const floors: readonly (readonly string[])[] = [
  ['errors', 'call-site'],
  ['file-descriptors'],
  ['load-module'],
  ['optional-packages'],
  ['html', 'url', 'text'],
  ['model'],
  ['telemetry'],
  ['actions', 'proxies', 'storage', 'llm', 'network', 'warc'],
  ['extraction/page-facts'],
  ['extraction/values'],
  ['extraction/schema'],
  ['extraction/heuristics', 'extraction/product'],
  ['extraction/grounding'],
  ['extraction'],
  ['extraction/with-model'],
  ['extraction/learned-selectors'],
  ['branding', 'actions/act'],
  ['frontier', 'cache', 'engines', 'parsers', 'clean', 'formats', 'hooks', 'search-engines'],
  ['fetching', 'processing'],
  ['options', 'pipeline', 'webhooks'],
  ['parts', 'jobs'],
  ['verbs', 'search-index', 'monitor'],
  ['client', 'testing', 'crawlee', 'export', 'opentelemetry'],
  ['fleet'],
  ['index'],
  ['agent-tools'],
  ['mcp', 'ai', 'loaders', 'firecrawl'],
  ['cli'],
];

/** Files directly in src that form one room. */
const verbs = new Set([
  'scrape',
  'batch',
  'crawl',
  'plan',
  'map',
  'extract',
  'preview',
  'search',
  'session',
]);

/** The rooms that may import a package; a package that is not listed may be imported nowhere. */
const vendors: Readonly<Record<string, readonly string[]>> = {
  '@crawlee/core': ['frontier'],
  '@crawlee/types': ['frontier'],
  '@csstools/css-color-parser': ['clean'],
  '@csstools/css-parser-algorithms': ['clean'],
  '@csstools/css-tokenizer': ['clean'],
  '@duckduckgo/autoconsent': ['engines'],
  '@e965/xlsx': ['parsers'],
  '@exodus/bytes': ['text'],
  '@ghostery/adblocker': ['engines'],
  '@mozilla/readability': ['clean'],
  '@opentelemetry/api': ['opentelemetry', 'options'],
  '@photostructure/sqlite': ['storage'],
  '@langchain/core': ['loaders'],
  '@llamaindex/core': ['loaders'],
  '@modelcontextprotocol/server': ['mcp'],
  ajv: ['options', 'extraction'],
  'ajv-formats': ['options', 'extraction'],
  aws4fetch: ['storage'],
  bullmq: ['fleet'],
  commander: ['cli'],
  'css-select': ['html'],
  'css-what': ['html', 'clean'],
  defuddle: ['clean'],
  diff: ['formats'],
  'fastest-levenshtein': ['text'],
  fflate: ['parsers'],
  fzstd: ['engines'],
  'got-scraping': ['engines'],
  'html-encoding-sniffer': ['text'],
  htmlparser2: ['html'],
  'hyparquet-writer': ['export'],
  impit: ['engines'],
  'ipaddr.js': ['network'],
  keyv: ['storage'],
  linkedom: ['html'],
  minisearch: ['search-index'],
  'p-queue': ['jobs', 'frontier', 'parsers'],
  'playwright-core': ['actions', 'branding', 'engines'],
  'postal-mime': ['parsers'],
  re2js: ['text'],
  redis: ['storage', 'fleet'],
  'string-width': ['cli'],
  tldts: ['url'],
  'tough-cookie': ['engines'],
  undici: ['engines'],
  unpdf: ['parsers'],
  unstorage: ['storage'],
  'whatwg-mimetype': ['parsers'],
  yaml: ['export'],
  zod: [
    'actions',
    'agent-tools',
    'ai',
    'extraction',
    'firecrawl',
    'fleet',
    'formats',
    'options',
    'search-engines',
    'storage',
    'text',
  ],
  'zod-to-json-schema': ['extraction'],
};

/**
 * The most files and lines of a folder of `src`; `src` itself has the files directly in it. One that grows
 * raises its row, with the reason in the commit. `node .ci/house.mjs --budgets` prints the rows as they are now.
 */
const budgets: Readonly<Record<string, readonly [files: number, lines: number]>> = {
  actions: [53, 6788],
  'agent-tools': [8, 1465],
  ai: [1, 197],
  branding: [13, 2571],
  cache: [6, 981],
  clean: [65, 13_449],
  cli: [37, 5740],
  client: [2, 942],
  engines: [67, 13_028],
  export: [30, 4925],
  extraction: [81, 15_674],
  fetching: [17, 3877],
  firecrawl: [18, 3037],
  fleet: [19, 2869],
  formats: [69, 11_982],
  frontier: [22, 5605],
  hooks: [6, 511],
  html: [18, 4929],
  jobs: [38, 9156],
  llm: [14, 2914],
  loaders: [3, 208],
  mcp: [4, 284],
  model: [15, 1767],
  monitor: [9, 1886],
  network: [6, 773],
  opentelemetry: [4, 388],
  options: [22, 4961],
  parsers: [86, 18_028],
  processing: [13, 2475],
  proxies: [3, 820],
  'search-engines': [9, 929],
  'search-index': [3, 364],
  src: [20, 4756],
  storage: [16, 2766],
  telemetry: [5, 407],
  testing: [17, 3880],
  text: [37, 4591],
  url: [8, 986],
  warc: [3, 378],
  webhooks: [4, 623],
};

/** Names that say nothing, whole or as one word of a name. */
const bannedNames = /^(types|data|info|lib|core|constants|interfaces|stuff)$/;
const bannedWords =
  /^(utils?|helpers?|common|misc|shared|managers?|handlers?|services?|processors?)$/;

interface Source {
  /** Relative to src, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** What it imports, types and dynamic imports included, as written; undefined when computed. */
  readonly imports: readonly (string | undefined)[];
  /** Lines that load a module at once: a failure would be for good. */
  readonly bareLoads: readonly number[];
  /** Lines with the type `any`. */
  readonly anyLines: readonly number[];
}

type Rule = (sources: readonly Source[]) => string[];

const rules: Readonly<Record<string, Rule>> = {
  'imports go to the own room or to a lower floor': checkFloors,
  'a third-party package is imported by its own rooms only': checkVendors,
  'no file imports itself over other files, types included': checkCycles,
  'file and folder names say what is inside': checkNames,
  'a file starts with a comment that says what it is': checkHeads,
  'nothing has the type any': checkAny,
  'a folder has no more files and lines than its budget': checkBudgets,
  'modules are loaded by loadModule': checkLoads,
};

describe('the source keeps the architecture', () => {
  const folder = fileURLToPath(new URL('../src/', import.meta.url));
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => readSource(path, readFileSync(join(folder, path), 'utf8')));

  test('all files are read', () => {
    expect(sources.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['index.ts', 'errors.ts', 'html/dom.ts']),
    );
  });

  test.each(Object.entries(rules))('%s', (_, rule) => {
    expect(rule(sources)).toEqual([]);
  });
});

describe('each rule notices what breaks it', () => {
  const head = '/** What this file is. */\n';
  const broken = (rule: Rule, files: Readonly<Record<string, string>>): string =>
    rule(Object.entries(files).map(([path, text]) => readSource(path, text))).join('\n');

  test.each([
    ['a type import upwards', `import type { A } from '../client.ts';`, /"client" is on floor/],
    ['a dynamic import upwards', `await import('../client.ts');`, /"client" is on floor/],
    ['an import type upwards', `let a: import('../client.ts').A;`, /"client" is on floor/],
    ['a neighbour', `export * from '../parsers/parser.ts';`, /"parsers" is a neighbour/],
    ['a folder without a floor', `import '../extras/a.ts';`, /"extras" has no floor/],
    ['an import without .ts', `import './engine';`, /no such file/],
    ['an import that leaves src', `import '../../package.json';`, /no such file/],
    ['an import of this package by its name', `import 'pagewright';`, /by its path/],
    ['a computed import', `await import(name);`, /literal/],
  ])('floors: %s', (_, text, message) => {
    const files = {
      'engines/http.ts': text,
      'engines/engine.ts': '',
      'parsers/parser.ts': '',
      'client.ts': '',
      'extras/a.ts': '',
    };
    expect(broken(checkFloors, files)).toMatch(message);
  });

  test('vendors: a package in a foreign room, and a package that nobody listed', () => {
    expect(broken(checkVendors, { 'clean/a.ts': `import 'undici';` })).toMatch(/engines only/);
    expect(broken(checkVendors, { 'clean/a.ts': `import '@x/y/z.js';` })).toMatch(/"@x\/y" is not/);
    expect(broken(checkVendors, { 'clean/a.ts': `import 'node:path';` })).toBe('');
  });

  test('cycles: over type imports and three files', () => {
    const files = {
      'a.ts': `import type { B } from './b.ts';`,
      'b.ts': `export { c } from './c.ts';`,
      'c.ts': `const a = () => import('./a.ts');`,
      'd.ts': `import './a.ts';`,
    };
    expect(broken(checkCycles, files)).toBe('import cycle: a.ts → b.ts → c.ts → a.ts');
  });

  test('names: a banned word, and a name that is not kebab-case', () => {
    expect(broken(checkNames, { 'url/url-helpers.ts': '' })).toMatch(/helpers/);
    expect(broken(checkNames, { 'common/url.ts': '' })).toMatch(/common/);
    expect(broken(checkNames, { 'types.ts': '' })).toMatch(/types/);
    expect(broken(checkNames, { 'url/parseUrl.ts': '' })).toMatch(/kebab-case/);
    expect(broken(checkNames, { 'url/file-type.ts': '', 'engines/content-types.ts': '' })).toBe('');
  });

  test('budgets: a line too many, a file too many, a folder without a budget', () => {
    const [files, lines] = budgets['warc']!;
    const short = Object.fromEntries(
      Array.from({ length: files }, (_, at) => [`warc/${at}.ts`, '']),
    );
    expect(broken(checkBudgets, short)).toBe('');
    const long = { ...short, 'warc/0.ts': '\n'.repeat(lines + 1) };
    expect(broken(checkBudgets, long)).toMatch(/lines/);
    expect(broken(checkBudgets, { ...short, 'warc/more.ts': '' })).toMatch(/files/);
    expect(broken(checkBudgets, { 'extras/a.ts': '' })).toMatch(/"extras" has no budget/);
  });

  test('loads: an import() that Node would not repeat', () => {
    const line = `const a = await import('./b.ts');\nawait loadModule(() => import('./b.ts'));`;
    expect(broken(checkLoads, { 'a.ts': line })).toMatch(/^a\.ts:1: write loadModule[^\n]*$/);
  });

  test('heads, any', () => {
    expect(broken(checkHeads, { 'a.ts': `import './b.ts';\n${head}` })).toMatch(/a\.ts/);
    expect(broken(checkHeads, { 'a.ts': `#!/usr/bin/env node\n${head}` })).toBe('');
    expect(broken(checkAny, { 'a.ts': `${head}let a: Array<any>;` })).toMatch(/^a\.ts:2/);
    expect(broken(checkAny, { 'a.ts': `// any\nlet any = 'any';` })).toBe('');
  });
});

function checkFloors(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  const problems: string[] = [];
  for (const { path, imports } of sources) {
    const [room, floor] = place(path);
    if (floor < 0) problems.push(`${path}: the room "${room}" has no floor; add it to the table`);
    for (const specifier of imports) {
      const problem = importProblem(path, specifier, paths);
      if (problem !== undefined) problems.push(`${path} imports ${specifier ?? '?'}: ${problem}`);
    }
  }
  return problems;
}

function importProblem(
  path: string,
  specifier: string | undefined,
  paths: ReadonlySet<string>,
): string | undefined {
  if (specifier === undefined) {
    // The worker loads modules of the caller.
    if (path === 'hooks/own-module.ts') return undefined;
    return 'the argument of import() has to be a literal';
  }
  if (/^pagewright(\/|$)/.test(specifier)) return 'the source imports its own files by its path';
  const target = targetOf(path, specifier);
  if (target === undefined) return undefined;
  if (!paths.has(target)) return 'no such file in src; relative imports end in .ts';
  const [room, floor] = place(path);
  const [otherRoom, otherFloor] = place(target);
  if (room === otherRoom || otherFloor < floor)
    return otherFloor < 0 ? noFloor(otherRoom) : undefined;
  return otherFloor === floor
    ? `"${otherRoom}" is a neighbour of "${room}" on floor ${floor}, and neighbours do not meet`
    : `"${otherRoom}" is on floor ${otherFloor}, above "${room}" on floor ${floor}`;
}

function noFloor(room: string): string {
  return `the room "${room}" has no floor`;
}

/** The room of a file, a room within a room where the table has it, and its floor: -1 for none. */
function place(path: string): [room: string, floor: number] {
  const [first = '', second = ''] = path.replace(/\.ts$/, '').split('/');
  const inner = `${first}/${second}`;
  if (floors.some((rooms) => rooms.includes(inner))) return [inner, floorOf(inner)];
  const room = !path.includes('/') && verbs.has(first) ? 'verbs' : first;
  return [room, floorOf(room)];
}

function floorOf(room: string): number {
  return floors.findIndex((rooms) => rooms.includes(room));
}

function targetOf(path: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(path), specifier) : undefined;
}

function checkVendors(sources: readonly Source[]): string[] {
  const problems: string[] = [];
  for (const { path, imports } of sources) {
    for (const specifier of imports) {
      if (specifier === undefined || /^(\.|pagewright(\/|$))/.test(specifier)) continue;
      if (specifier.startsWith('node:')) continue;
      const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
      const room = place(path)[0].replace(/\/.*$/, '');
      const allowed = Object.hasOwn(vendors, name) ? vendors[name] : undefined;
      if (allowed?.includes(room)) continue;
      if (isBuiltin(name)) problems.push(`${path} imports ${name}: write node:${name}`);
      else if (allowed === undefined)
        problems.push(`${path}: "${name}" is not in the vendor table`);
      else problems.push(`${path} imports ${name}, which belongs in ${allowed.join(', ')} only`);
    }
  }
  return problems;
}

/** Depth-first; each cycle is told once, by the edge that closes it. */
function checkCycles(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const trail: string[] = [];
  const problems: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      problems.push(`import cycle: ${[...trail.slice(start), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) return;
    trail.push(path);
    for (const specifier of byPath.get(path)?.imports ?? []) {
      const target = specifier === undefined ? undefined : targetOf(path, specifier);
      if (target !== undefined) visit(target);
    }
    trail.pop();
    done.add(path);
  };
  for (const { path } of sources) visit(path);
  return problems;
}

function checkNames(sources: readonly Source[]): string[] {
  const problems: string[] = [];
  for (const { path } of sources) {
    for (const name of path.replace(/\.ts$/, '').split('/')) {
      const word = name.split('-').find((part) => bannedWords.test(part) || bannedNames.test(name));
      if (word !== undefined) problems.push(`${path}: "${name}" says nothing; name the idea`);
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) problems.push(`${path}: not in kebab-case`);
    }
  }
  return problems;
}

function checkHeads(sources: readonly Source[]): string[] {
  return sources
    .filter(({ text }) => !/^(#!.*\n)?\/(\*\*?\s[\s*]*|\/ )\S/.test(text))
    .map(({ path }) => `${path}: the first line has to be a comment on what this file is`);
}

function checkAny(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, anyLines }) =>
    anyLines.map((line) => `${path}:${line} has the type any: use unknown, or say what it is`),
  );
}

function checkBudgets(sources: readonly Source[]): string[] {
  const sizes = new Map<string, { files: number; lines: number }>();
  for (const { path, text } of sources) {
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : 'src';
    const { files, lines } = sizes.get(folder) ?? { files: 0, lines: 0 };
    sizes.set(folder, { files: files + 1, lines: lines + text.split('\n').length - 1 });
  }
  return [...sizes].flatMap(([folder, { files, lines }]) => {
    const [mostFiles, mostLines] = budgets[folder] ?? [];
    if (mostFiles === undefined || mostLines === undefined) return [`"${folder}" has no budget`];
    if (files <= mostFiles && lines <= mostLines) return [];
    return [
      `"${folder}" has ${files} files and ${lines} lines, and its budget is [${mostFiles}, ${mostLines}]`,
    ];
  });
}

/** The command line loads itself with its first line. */
function checkLoads(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path !== 'cli.ts')
    .flatMap(({ path, bareLoads }) =>
      bareLoads.map((line) => `${path}:${line}: write loadModule(() => import(…))`),
    );
}

function readSource(path: string, text: string): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: (string | undefined)[] = [];
  const anyLines: number[] = [];
  const bareLoads: number[] = [];
  const lineOf = (node: ts.Node): number =>
    file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      anyLines.push(lineOf(node));
    }
    if (isBareLoad(node)) bareLoads.push(lineOf(node));
    const specifier = importedBy(node);
    if (specifier !== undefined) {
      imports.push(ts.isStringLiteralLike(specifier) ? specifier.text : undefined);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { path, text, imports, anyLines, bareLoads };
}

/** True for an `import()` of a file that is not the whole of a function, which `loadModule` would call. */
function isBareLoad(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) {
    return false;
  }
  const [specifier] = node.arguments;
  const isBuiltIn =
    specifier !== undefined && ts.isStringLiteral(specifier) && isBuiltin(specifier.text);
  return !isBuiltIn && !ts.isArrowFunction(node.parent);
}

/** The node that names the module, when this one imports. */
function importedBy(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return node.arguments[0] ?? node;
  }
  return undefined;
}
