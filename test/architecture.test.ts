/** How the source is laid out: floors, vendor rooms, cycles, names and heads of files. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/**
 * The rooms from the ground up: a folder of `core`, `content`, `browser`, `extract` or `entries`, the folder
 * `documents`, and the calls. A file imports its own room or one of a row above it; rooms of a row do not meet.
 */
const floors: readonly (readonly string[])[] = [
  ['core/runtime'],
  ['core/checks', 'core/url', 'core/storage', 'content/html', 'content/scan', 'content/text'],
  ['core/model', 'content/markdown', 'entries/storage'],
  ['core/frontier', 'core/hooks', 'core/telemetry'],
  ['content/parsers', 'browser/actions', 'extract/facts'],
  ['documents', 'browser/branding', 'extract/llm', 'extract/values', 'entries/crawlee'],
  ['core/http', 'content/clean', 'extract/product', 'extract/schema'],
  ['browser/chromium', 'extract/heuristics'],
  ['extract/provenance'],
  ['extract'],
  ['extract/with-model'],
  ['browser/act', 'extract/recipes'],
  ['content/formats'],
  ['core/fetch'],
  ['core/options', 'core/page'],
  ['core/jobs', 'entries/opentelemetry'],
  ['calls', 'entries/export'],
  ['entries/monitor', 'entries/search', 'entries/testing'],
  ['client'],
  ['index', 'entries/firecrawl', 'entries/fleet'],
  ['entries/agents'],
  ['entries/cli'],
];

/** Files directly in src that form one room. */
const calls = new Set([
  'scrape',
  'batch',
  'crawl',
  'plan',
  'map',
  'extract',
  'preview',
  'changes',
  'search',
  'session',
  'client-jobs',
  'job-visits',
  'parts',
]);

/** The rooms that may import a package; a package that is not listed may be imported nowhere. */
const vendors: Readonly<Record<string, readonly string[]>> = {
  '@crawlee/core': ['core/frontier'],
  '@crawlee/types': ['core/frontier'],
  '@csstools/css-color-parser': ['content/clean'],
  '@csstools/css-parser-algorithms': ['content/clean'],
  '@csstools/css-tokenizer': ['content/clean'],
  '@duckduckgo/autoconsent': ['browser/chromium'],
  '@e965/xlsx': ['documents'],
  '@exodus/bytes': ['content/text'],
  '@ghostery/adblocker': ['browser/chromium'],
  '@langchain/core': ['entries/agents'],
  '@llamaindex/core': ['entries/agents'],
  '@modelcontextprotocol/server': ['entries/agents'],
  '@mozilla/readability': ['content/clean'],
  '@opentelemetry/api': ['core/options', 'entries/opentelemetry'],
  '@photostructure/sqlite': ['entries/storage'],
  ajv: ['extract/schema'],
  'ajv-formats': ['extract/schema'],
  aws4fetch: ['entries/storage'],
  bullmq: ['entries/fleet'],
  commander: ['entries/cli'],
  'css-select': ['content/html'],
  'css-what': ['content/clean', 'content/html'],
  defuddle: ['content/clean'],
  diff: ['content/formats'],
  'fastest-levenshtein': ['core/checks'],
  fflate: ['documents'],
  fzstd: ['core/http'],
  'got-scraping': ['core/http'],
  'html-encoding-sniffer': ['content/text'],
  htmlparser2: ['content/html'],
  'hyparquet-writer': ['entries/export'],
  impit: ['core/http'],
  'ipaddr.js': ['core/http'],
  keyv: ['entries/storage'],
  linkedom: ['content/html'],
  minisearch: ['entries/search'],
  'p-queue': ['core/frontier', 'documents'],
  'playwright-core': [
    'core/model', // the type of a page, for hooks
    'browser/act',
    'browser/actions',
    'browser/branding',
    'browser/chromium',
  ],
  'postal-mime': ['documents'],
  re2js: ['core/checks'],
  redis: ['entries/fleet', 'entries/storage'],
  'string-width': ['entries/cli'],
  tldts: ['core/url'],
  'tough-cookie': ['core/http'],
  undici: ['core/http'],
  unpdf: ['documents'],
  unstorage: ['entries/storage'],
  'whatwg-mimetype': ['content/parsers'],
  yaml: ['entries/export'],
  zod: [
    'browser/act',
    'browser/actions',
    'content/formats',
    'core/checks',
    'core/frontier',
    'core/model',
    'core/options',
    'entries/agents',
    'entries/firecrawl',
    'entries/fleet',
    'entries/search',
    'entries/storage',
    'extract/recipes',
    'extract/schema',
  ],
  'zod-to-json-schema': ['extract/schema'],
};

/**
 * The most files and lines of a folder of `src`; `src` itself has the files directly in it. One that grows
 * raises its row, with the reason in the commit. `node .ci/house.mjs --budgets` prints the rows as they are now.
 */
const budgets: Readonly<Record<string, readonly [files: number, lines: number]>> = {
  'browser/act': [12, 2719],
  'browser/actions': [40, 3958],
  'browser/branding': [12, 2437],
  'browser/chromium': [38, 7830],
  'content/clean': [65, 13_154],
  'content/formats': [56, 8721],
  'content/html': [18, 5007],
  'content/markdown': [16, 3293],
  'content/parsers': [15, 2245],
  'content/scan': [4, 893],
  'content/text': [27, 3735],
  'core/checks': [7, 918],
  'core/fetch': [23, 4245],
  'core/frontier': [29, 5658],
  'core/hooks': [6, 508],
  'core/http': [36, 6195],
  'core/jobs': [48, 9723],
  'core/model': [21, 2513],
  'core/options': [25, 4952],
  'core/page': [16, 3040],
  'core/runtime': [21, 1317],
  'core/storage': [10, 1108],
  'core/telemetry': [5, 428],
  'core/url': [8, 986],
  documents: [71, 15_023],
  'entries/agents': [16, 2102],
  'entries/cli': [40, 5696],
  'entries/crawlee': [1, 20],
  'entries/export': [32, 4510],
  'entries/firecrawl': [14, 2242],
  'entries/fleet': [19, 2852],
  'entries/monitor': [9, 1871],
  'entries/opentelemetry': [4, 388],
  'entries/search': [9, 896],
  'entries/storage': [6, 1656],
  'entries/testing': [19, 4175],
  extract: [2, 544],
  'extract/facts': [9, 1402],
  'extract/heuristics': [17, 3614],
  'extract/llm': [14, 2788],
  'extract/product': [14, 2620],
  'extract/provenance': [10, 1850],
  'extract/recipes': [13, 2281],
  'extract/schema': [5, 995],
  'extract/values': [4, 999],
  'extract/with-model': [7, 1041],
  src: [15, 4301],
};

/** Names that say nothing, whole or as one word of a name. */
const bannedNames = /^(types|data|info|lib|constants|interfaces|stuff)$/;
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
      expect.arrayContaining(['index.ts', 'core/runtime/errors.ts', 'content/html/dom.ts']),
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
    ['a type import upwards', `import type { A } from '../../client.ts';`, /"client" is on floor/],
    ['a dynamic import upwards', `await import('../../client.ts');`, /"client" is on floor/],
    ['an import type upwards', `let a: import('../../client.ts').A;`, /"client" is on floor/],
    ['a neighbour', `export * from '../url/links.ts';`, /"core\/url" is a neighbour/],
    ['a folder without a floor', `import '../../extras/a.ts';`, /"extras\/a" has no floor/],
    ['an import without .ts', `import './fields';`, /no such file/],
    ['an import that leaves src', `import '../../../package.json';`, /no such file/],
    ['an import of this package by its name', `import 'pagewright';`, /by its path/],
    ['a computed import', `await import(name);`, /literal/],
  ])('floors: %s', (_, text, message) => {
    const files = {
      'core/checks/check.ts': text,
      'core/checks/fields.ts': '',
      'core/url/links.ts': '',
      'client.ts': '',
      'extras/a.ts': '',
    };
    expect(broken(checkFloors, files)).toMatch(message);
  });

  test('vendors: a package in a foreign room, and a package that nobody listed', () => {
    expect(broken(checkVendors, { 'core/url/a.ts': `import 'undici';` })).toMatch(
      /core\/http only/,
    );
    expect(broken(checkVendors, { 'core/url/a.ts': `import '@x/y/z.js';` })).toMatch(
      /"@x\/y" is not/,
    );
    expect(broken(checkVendors, { 'core/url/a.ts': `import 'node:path';` })).toBe('');
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
    expect(broken(checkNames, { 'url/file-type.ts': '', 'core/http/content-types.ts': '' })).toBe(
      '',
    );
  });

  test('budgets: a line too many, a file too many, a folder without a budget', () => {
    const [files, lines] = budgets['core/hooks']!;
    const short = Object.fromEntries(
      Array.from({ length: files }, (_, at) => [`core/hooks/${at}.ts`, '']),
    );
    expect(broken(checkBudgets, short)).toBe('');
    const long = { ...short, 'core/hooks/0.ts': '\n'.repeat(lines + 1) };
    expect(broken(checkBudgets, long)).toMatch(/lines/);
    expect(broken(checkBudgets, { ...short, 'core/hooks/more.ts': '' })).toMatch(/files/);
    expect(broken(checkBudgets, { 'extras/a.ts': '' })).toMatch(/"extras\/a" has no budget/);
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
    if (path === 'core/hooks/own-module.ts') return undefined;
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

/** The room of a file, and its floor: -1 for none. */
function place(path: string): [room: string, floor: number] {
  const room = roomOf(path);
  return [room, floorOf(room)];
}

function roomOf(path: string): string {
  const [first = '', second = ''] = path.replace(/\.ts$/, '').split('/');
  if (!path.includes('/')) return calls.has(first) ? 'calls' : first;
  const inner = `${first}/${second}`;
  return first === 'documents' || (floors.flat().includes(first) && !floors.flat().includes(inner))
    ? first
    : inner;
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
      const room = roomOf(path);
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
    const folder = path.includes('/') ? roomOf(path) : 'src';
    const { files, lines } = sizes.get(folder) ?? { files: 0, lines: 0 };
    sizes.set(folder, { files: files + 1, lines: lines + text.split('\n').length - 1 });
  }
  return [...sizes].flatMap(([folder, { files, lines }]) => {
    const [mostFiles, mostLines] = budgets[folder] ?? [];
    const row = `[${files}, ${lines}]`;
    if (mostFiles === undefined || mostLines === undefined) {
      return [
        `"${folder}" has no budget: add its row ${row} to budgets, with the reason in the commit`,
      ];
    }
    if (files <= mostFiles && lines <= mostLines) return [];
    return [
      `"${folder}" has ${files} files and ${lines} lines, and its budget is [${mostFiles}, ${mostLines}]: if it needs them, raise its row in budgets to ${row}, with the reason in the commit (node .ci/house.mjs --budgets prints all rows)`,
    ];
  });
}

/** The command line loads itself with its first line. */
function checkLoads(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path !== 'entries/cli.ts')
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
