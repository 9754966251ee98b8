/** What an editor tells users of the built package: errors that name the right option, and docstrings on hover. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import * as registry from '../../src/content/formats/registry.ts';

const head = `
import { batchScrape, crawl, createClient, defineFormat, extract, parse, scrape } from 'pagewright';
import type { CrawlOptions, FormatInput, ScrapeOptions } from 'pagewright';
import { z } from 'zod';
const url = 'https://example.com';
const shout = defineFormat({
  name: 'shout',
  needs: 'content',
  parseOptions: ({ loudly }): { readonly loudly: boolean } => ({ loudly: loudly === true }),
  run: (_, { loudly }) => loudly,
});
const client = createClient({ formats: [shout] });
declare const unknown: FormatInput[];
declare const scrapeOptions: ScrapeOptions;
declare const crawlOptions: CrawlOptions;
const known = await scrape(url, { formats: [
  ${Object.keys(registry)
    .map((name) => `{} as Extract<FormatInput, { readonly type: '${name}' }>,`)
    .join('\n  ')}
] });
const any = await scrape(url, { formats: unknown });
const page = await scrape(url, { formats: [{ type: 'json', schema: {}, provenance: true, recipe: 'use' }] });
const crawlJob = crawl(url);
const extractJob = extract({ urls: [url], schema: {} });
`;

const mistakes: readonly (readonly [call: string, message: RegExp])[] = [
  // Options of formats and of actions.
  [
    `scrape(url, { formats: [{ type: 'chunks', maxToken: 9 }] })`,
    mistyped('maxToken', 'maxTokens'),
  ],
  [
    `scrape(url, { formats: ['links', { type: 'screenshot', fullpage: true }] })`,
    mistyped('fullpage', 'fullPage'),
  ],
  [
    `parse('', { formats: [{ type: 'json', schema: z.object({}), promt: '' }] })`,
    mistyped('promt', 'prompt'),
  ],
  [
    `crawl(url, { scrapeOptions: { formats: [{ type: 'attributes', selectors: [], selector: '' }] } })`,
    mistyped('selector', 'selectors'),
  ],
  [
    `batchScrape([url], { formats: ['markdown', { type: 'changeTracking', mods: ['json'] }] })`,
    mistyped('mods', 'modes'),
  ],
  [
    `parse('', { formats: [{ type: 'question', question: '', questions: '' }] })`,
    mistyped('questions', 'question'),
  ],
  [
    `parse('', { formats: [{ type: 'highlights', query: '', limits: 3 }] })`,
    mistyped('limits', 'limit'),
  ],
  ...['markdown', 'html', 'links', 'summary', 'product', 'branding'].map(
    (name): [string, RegExp] => [
      `parse('', { formats: [{ type: '${name}', absolute: true }] })`,
      /'absolute' does not exist in type/,
    ],
  ),
  [
    `client.scrape(url, { formats: [{ type: 'shout', loudly: true, loudy: true }] })`,
    mistyped('loudy', 'loudly'),
  ],
  [
    `client.crawl(url, { scrapeOptions: { formats: [{ type: 'chunks', maxToken: 9 }] } })`,
    mistyped('maxToken', 'maxTokens'),
  ],
  [
    `client.batchScrape([url], { formats: ['shout', { type: 'shout', loudly: 'yes' }] })`,
    /Type 'string' is not assignable to type 'boolean'/,
  ],
  [
    `scrape(url, { formats: [{ type: 'chunks', maxTokens: '9' }] })`,
    /Type 'string' is not assignable to type 'number'/,
  ],
  [`scrape(url, { actions: [{ type: 'click', selectr: '' }] })`, mistyped('selectr', 'selector')],
  [`scrape(url, { actions: [{ type: 'fill', selector: '', txt: '' }] })`, mistyped('txt', 'text')],
  // Names of formats.
  [`scrape(url, { formats: ['markdwon'] })`, /Did you mean '"markdown"'/],
  [`crawl(url, { scrapeOptions: { formats: ['markdown', 'link'] } })`, /Did you mean '"links"'/],
  [`scrape(url, { formats: [{ type: 'chunk', maxTokens: 9 }] })`, /Did you mean '"chunks"'/],
  // Options of calls.
  [`scrape(url, { onlyMainContnt: true })`, mistyped('onlyMainContnt', 'onlyMainContent')],
  [`crawl(url, { limt: 9 })`, mistyped('limt', 'limit')],
  [
    `crawl(url, { scrapeOptions: { onlyMainContnt: true } })`,
    mistyped('onlyMainContnt', 'onlyMainContent'),
  ],
  [`extract({ urls: [url], schma: z.object({}) })`, mistyped('schma', 'schema')],
  [
    `extract({ urls: [url], schema: 'price' })`,
    /Type 'string' is not assignable to type 'SchemaInput/,
  ],
  // Fields of documents.
  [
    `scrape(url).markdown`,
    /'markdown' does not exist on type 'Promise<Document<.* Did you forget to use 'await'/,
  ],
  [`(await scrape(url)).html`, /Property 'html' does not exist on type/],
  [
    `crawl(url, { hooks: { onDocument: ({ document }) => document.html } })`,
    /Property 'html' does not exist on type/,
  ],
];

const hovers: readonly (readonly [expression: string, docs: RegExp])[] = [
  ...Object.keys(registry).flatMap((name): [string, RegExp][] => [
    [`known.${name}`, /\w+ \w+ .*\.$/],
    [`any.${name}`, /\w+ \w+ .*\.$/],
  ]),
  ['page.json', /Data that fits the `schema`/],
  ['page.jsonProvenance', /Where on the page/],
  ['page.jsonRecipe', /learned selectors/],
  ['page.metadata', /Facts of the fetch/],
  ['page.metadata.truncated', /body ended early/],
  ['page.warning', /Problems of a document/],
  ['scrapeOptions.timeout', /Milliseconds for the whole scrape/],
  ['scrapeOptions.formats', /content of the document/],
  ['crawlOptions.limit', /Documents kept, exactly/],
  ['client.scrape', /exactly the formats asked for/],
  ['client.crawl', /The pages of a site/],
  ['crawlJob.on', /Adds a listener/],
  ['crawlJob.cancel', /Stops the job/],
  ['crawlJob.progress', /The numbers now/],
  ['extractJob.status', /with the data so far/],
];

// The declarations of the package and its dependencies are read once, which takes seconds.
describe('an editor', { timeout: 120_000 }, () => {
  const calls = mistakes.map(([call]) => `void ${call};`);
  const editor = openEditor({
    'mistakes.ts': [head, ...calls].join('\n'),
    'hovers.ts': [head, ...hovers.map(([expression]) => `void ${expression};`)].join('\n'),
  });

  test('finds no error in the right lines', () => {
    const lines = calls.length;
    expect([...editor.errors('mistakes.ts').keys()].filter((line) => line >= lines)).toEqual([]);
    expect(editor.errors('mistakes.ts').size).toBe(lines);
    expect([...editor.errors('hovers.ts')]).toEqual([]);
  });

  test.each(mistakes.map(([call, message], index) => ({ call, message, index })))(
    '$call',
    ({ message, index }) => {
      expect(editor.errors('mistakes.ts').get(index)).toMatch(message);
    },
  );

  test.each(hovers)('%s', (expression, docs) => {
    expect(editor.docs('hovers.ts', expression)).toMatch(docs);
  });
});

test('the types of all entries need no lib.dom', () => {
  const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
  const entries = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => join(dist, path));
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    strict: true,
    noEmit: true,
  });
  const problems = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(dist))
    .flatMap((file) => program.getSemanticDiagnostics(file))
    .map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`);
  expect(problems).toEqual([]);
});

function mistyped(wrong: string, right: string): RegExp {
  return new RegExp(`'${wrong}' does not exist in type .* Did you mean to write '${right}'\\?`);
}

interface Editor {
  /** The messages of each line after the head, by its index from 0. */
  errors(file: string): ReadonlyMap<number, string>;
  /** The docstring of the last name of an expression. */
  docs(file: string, expression: string): string;
}

/** The language service over files that import the built package by its name. */
function openEditor(files: Readonly<Record<string, string>>): Editor {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const pathOf = (file: string): string => `${root}test/types/${file}`;
  const texts = new Map(Object.entries(files).map(([file, text]) => [pathOf(file), text]));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...texts.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = texts.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  const headLines = head.split('\n').length;
  return {
    errors: (file) => {
      const lines = new Map<number, string>();
      for (const diagnostic of service.getSemanticDiagnostics(pathOf(file))) {
        if (diagnostic.file === undefined) continue;
        const { line } = ts.getLineAndCharacterOfPosition(diagnostic.file, diagnostic.start ?? 0);
        const related = diagnostic.relatedInformation ?? [];
        const messages = [diagnostic, ...related].map(({ messageText }) =>
          ts.flattenDiagnosticMessageText(messageText, ' '),
        );
        lines.set(line - headLines, messages.join(' '));
      }
      return lines;
    },
    docs: (file, expression) => {
      const end = files[file]?.indexOf(`void ${expression};`) ?? -1;
      const position = end + `void ${expression}`.length - 1;
      const info = service.getQuickInfoAtPosition(pathOf(file), position);
      return ts.displayPartsToString(info?.documentation).replaceAll('\n', ' ');
    },
  };
}
