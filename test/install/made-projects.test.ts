/**
 * The packed library in projects made with npm and pnpm: beside old versions of its optional packages, in modules
 * and in CommonJS, under strict TypeScript, in bundles. Each project scrapes, crawls and extracts. It installs from
 * the npm registry, which is why it takes long, and fails where the registry cannot be reached.
 */
import { execFile } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../entries/cli/run-pagewright.ts';
import { isDeep } from '../support/deep.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pagewright-install-'));
const run = promisify(execFile);

interface Project {
  readonly name: string;
  /** Packages beside pagewright, with their versions. @default none */
  readonly packages?: Readonly<Record<string, string>>;
  /** @default npm */
  readonly manager?: 'npm' | 'pnpm';
  /** Further words of `npm install`. */
  readonly words?: readonly string[];
  /** @default module */
  readonly type?: 'module' | 'commonjs';
  /** Code that gives the schema of the extraction. @default JSON Schema */
  readonly schema?: string;
  /** Code that gives what else is looked at, as JSON. */
  readonly also?: string;
  /** What that code gives. */
  readonly expected?: unknown;
  /** Further files. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commands, besides the program itself. */
  readonly commands?: readonly (readonly string[])[];
  /** Left to `npm run test:deep`. */
  readonly isRare?: boolean;
}

const typedFile = `
  import { createClient, PagewrightError, type Document } from 'pagewright';
  import { fixturesEngine } from 'pagewright/testing';
  import { fileStore } from 'pagewright';
  import { z } from 'zod';
  export async function read(): Promise<readonly unknown[]> {
    const engine = fixturesEngine({ 'https://site.test': 'site' });
    const client = createClient({ engines: [engine], storage: fileStore('jobs') });
    const page = await client.scrape('https://site.test/', { formats: ['markdown', 'links'] });
    const markdown: string = page.markdown;
    const url: string | undefined = page.links[0];
    // @ts-expect-error: it was not asked for.
    void page.html;
    const { data } = await client.crawl('https://site.test/', { limit: 5 });
    const documents: readonly Document<readonly ['markdown']>[] = data;
    const schema = z.object({ name: z.string(), price: z.number() });
    const { data: lamp } = await client.extract({ urls: ['https://site.test/'], schema });
    const price: number = lamp.price;
    // @ts-expect-error: a number is not a string.
    const wrong: string = lamp.price;
    try {
      await client.close();
    } catch (error) {
      if (error instanceof PagewrightError && error.code === 'STORAGE') throw error;
    }
    return [markdown, url, documents, price, wrong];
  }`;

/** A strict project that has the same file as a module and in CommonJS. */
function typed(typescript: string, zod: string): Pick<Project, 'packages' | 'files' | 'commands'> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2022',
    module: 'node16',
    moduleResolution: 'node16',
    // Before 5.7 an array of bytes had no type parameter.
    skipLibCheck: typescript === '~5.4.0',
    types: ['node'],
  };
  return {
    packages: { typescript, zod, '@types/node': '^20.19.0' },
    files: {
      'typed.mts': typedFile,
      'typed.cts': typedFile,
      'tsconfig.json': JSON.stringify({ compilerOptions, files: ['typed.mts', 'typed.cts'] }),
    },
    commands: [['node_modules/.bin/tsc']],
  };
}

/** The files of the site. */
const pages = {
  'index.html':
    '<title>Lamps</title><h1>Lamps</h1><p>All lamps of the shop.</p><a href="/lamp.html">Lamp</a> <a href="/about.html">About</a>',
  'lamp.html': `<title>Lamp</title><h1>Desk lamp</h1>
    <article><p>${'A lamp of brass for a desk, with a cable of two metres. '.repeat(8)}</p></article>
    <script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Desk lamp",
    "offers":{"@type":"Offer","price":"49","priceCurrency":"EUR"}}</script>`,
  'about.html': '<title>About</title><h1>About</h1><p>We sell lamps.</p>',
};

const jsonSchema = `{ type: 'object', required: ['name', 'price'],
  properties: { name: { type: 'string' }, price: { type: 'number' } } }`;

const projects: readonly Project[] = [
  {
    name: 'nothing beside it, without optional packages',
    words: ['--omit=optional', '--omit=peer'],
    type: 'commonjs',
  },
  {
    name: 'keyv 4, redis 4, yaml 1',
    packages: { keyv: '^4.5.4', redis: '^4.7.0', yaml: '^1.10.2' },
    also: `
      const { default: Keyv } = await import('keyv');
      const { keyvStore, redisStore } = await import('pagewright/storage');
      const kept = createClient({ engines, storage: keyvStore(new Keyv()) });
      const first = kept.crawl('https://site.test/');
      await first;
      const again = await kept.jobs.resume(first.id);
      const refused = [];
      try { redisStore({ url: 'redis://127.0.0.1:1' }); } catch (error) { refused.push(error.message); }
      writeFileSync('site/noted.md', '---\\n# noted\\ntitle: &a Noted\\n---\\nText');
      const { readMarkdownFolder } = await import('pagewright/export');
      try { for await (const page of readMarkdownFolder('site')) void page; } catch (error) { refused.push(error.message); }
      return { resumed: again.data.length, refused };`,
    expected: {
      resumed: 3,
      refused: [
        expect.stringMatching(/"redis", which is installed in version 4\..*"redis@>=5\.0\.0"$/),
        expect.stringMatching(/"yaml", which is installed in version 1\..*"yaml@>=2\.0\.0"$/),
      ],
    },
  },
  {
    name: 'pdfjs-dist 3, tesseract.js 5, linkedom 0.16, playwright-core 1.50',
    isRare: true,
    packages: {
      'pdfjs-dist': '~3.11.0',
      'tesseract.js': '^5.1.0',
      linkedom: '~0.16.0',
      '@mozilla/readability': '^0.6.0',
      'playwright-core': '~1.50.0',
    },
    // pdfjs-dist 3 has canvas as an optional package, which has to be compiled.
    words: ['--omit=optional'],
    also: `
      const { tesseractOcr } = await import('pagewright/ocr');
      const own = createClient({ engines, browser: { maxPages: 1 }, ocr: tesseractOcr() });
      const { markdown } = await own.scrape('https://site.test/lamp.html', { mainContent: 'readability' });
      return markdown.includes('brass');`,
    expected: true,
  },
  {
    name: 'CommonJS, zod 3, TypeScript 5.4',
    ...typed('~5.4.0', '^3.25.0'),
    type: 'commonjs',
    schema: schemaOf("require('zod')"),
  },
  {
    name: 'pnpm, zod 4, TypeScript 7',
    ...typed('^7.0.0', '^4.0.0'),
    manager: 'pnpm',
    schema: schemaOf("await import('zod')"),
  },
  {
    // With a zod that does not share the descriptions of schemas.
    name: 'AI SDK 7, zod 4.1',
    isRare: true,
    packages: { ai: '^7.0.173', zod: '4.1.8' },
    // It asks for Node 22, and runs on Node 20.
    words: ['--engine-strict=false'],
    also: `
      const { generateText, isStepCount } = await import('ai');
      const { MockLanguageModelV4 } = await import('ai/test');
      const { createWebTools } = await import('pagewright/ai');
      const usage = {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      };
      const calls = ['https://site.test/about.html', 'file:///etc/passwd'];
      const outputs = [];
      let tool;
      const model = new MockLanguageModelV4({
        doGenerate: async ({ prompt, tools }) => {
          tool = tools[0];
          if (prompt.at(-1).role === 'tool') outputs.push(prompt.at(-1).content[0].output);
          const url = calls[outputs.length];
          const unified = url === undefined ? 'stop' : 'tool-calls';
          const content = url === undefined
            ? { type: 'text', text: 'Done.' }
            : { type: 'tool-call', toolCallId: url, toolName: 'scrape', input: JSON.stringify({ url }) };
          return { content: [content], finishReason: { unified }, usage, warnings: [] };
        },
      });
      const own = createClient({ engines });
      const web = createWebTools({ client: own, tools: ['scrape'] });
      const { text } = await generateText({ model, prompt: 'Read.', tools: web.tools, stopWhen: isStepCount(5) });
      await web.close();
      await own.close();
      return {
        text,
        types: outputs.map(({ type }) => type),
        isRead: outputs[0].value.includes('We sell lamps.'),
        description: tool.inputSchema.properties.url.description,
      };`,
    expected: {
      text: 'Done.',
      types: ['text', 'error-text'],
      isRead: true,
      description: 'An absolute http or https URL',
    },
  },
  { name: 'TypeScript 5.9', ...typed('~5.9.0', '^4.0.0'), isRare: true },
  { name: 'TypeScript 6.0', ...typed('~6.0.0', '^4.0.0'), isRare: true },
  {
    name: 'esbuild',
    packages: { esbuild: '^0.28.0' },
    commands: [
      [
        'node_modules/.bin/esbuild',
        'program.mjs',
        '--bundle',
        '--platform=node',
        '--format=esm',
        '--outfile=bundle.mjs',
      ],
      [process.execPath, 'bundle.mjs'],
      [
        'node_modules/.bin/esbuild',
        'wrapped.cjs',
        '--bundle',
        '--platform=node',
        '--format=cjs',
        '--outfile=bundle.cjs',
      ],
      [process.execPath, 'bundle.cjs'],
    ],
    files: { 'wrapped.cjs': programOf({ name: '', type: 'commonjs' }) },
  },
  {
    name: 'Vite SSR and webpack',
    isRare: true,
    packages: { vite: '^8.0.0', webpack: '^5.113.0', 'webpack-cli': '^6.0.0' },
    files: {
      'vite.config.mjs': "export default { build: { ssr: 'program.mjs', outDir: 'vite' } };",
      'webpack.config.cjs': `module.exports = {
        mode: 'production', target: 'node20', entry: './program.mjs',
        externals: { pagewright: 'module pagewright' }, experiments: { outputModule: true },
        output: { path: __dirname, filename: 'webpack.mjs', module: true, library: { type: 'module' } },
      };`,
    },
    commands: [
      ['node_modules/.bin/vite', 'build'],
      [process.execPath, 'vite/program.js'],
      ['node_modules/.bin/webpack', '-c', 'webpack.config.cjs'],
      [process.execPath, 'webpack.mjs'],
    ],
  },
  {
    name: 'Jest, with tests in CommonJS',
    isRare: true,
    packages: { jest: '^30.0.0' },
    type: 'commonjs',
    files: {
      'read.test.cjs': `test('reads', async () => {
        const { parse } = await import('pagewright');
        expect((await parse('<h1>Lamp</h1>')).markdown).toBe('# Lamp');
      });`,
      'required.test.cjs': `test('says what to do instead of require()', () => {
        expect(() => require('pagewright')).toThrow("use await import('pagewright')");
      });`,
    },
    commands: [
      [
        process.execPath,
        '--experimental-vm-modules',
        'node_modules/.bin/jest',
        '--testMatch',
        '**/*.test.cjs',
      ],
    ],
  },
  {
    name: 'pnpm, CommonJS, keyv 5, linkedom 0.18, defuddle',
    isRare: true,
    manager: 'pnpm',
    type: 'commonjs',
    packages: { keyv: '^5.0.0', linkedom: '^0.18.0', defuddle: '^0.19.0' },
    also: `
      const { Keyv } = require('keyv');
      const { keyvStore } = require('pagewright/storage');
      const kept = createClient({ engines, storage: keyvStore(new Keyv({ throwOnErrors: true })) });
      const { markdown } = await kept.scrape('https://site.test/lamp.html', { mainContent: 'defuddle' });
      return markdown.includes('brass');`,
    expected: true,
  },
  {
    name: 'Next.js 16',
    isRare: true,
    packages: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
    files: {
      'next.config.mjs': "export default { serverExternalPackages: ['pagewright'] };",
      'app/layout.js': 'export default function Layout({ children }) { return children; }',
      // The build calls it, and keeps what it answers.
      'app/lamp/route.js': `import { parse } from 'pagewright';
        export const dynamic = 'force-static';
        export async function GET() {
          return new Response((await parse('<h1>Lamp</h1>')).markdown);
        }`,
      'check.mjs': `import { readFileSync } from 'node:fs';
        if (readFileSync('.next/server/app/lamp.body', 'utf8') !== '# Lamp') throw new Error('no lamp');`,
    },
    commands: [
      ['node_modules/.bin/next', 'build'],
      [process.execPath, 'check.mjs'],
    ],
  },
];

/** A schema of the project's own zod. */
function schemaOf(zod: string): string {
  return `(({ z }) => z.object({ name: z.string(), price: z.number() }))(${zod})`;
}

/** The program of a project: the same in all, and what its table line adds. */
function programOf({
  type = 'module',
  schema = jsonSchema,
  also = 'return undefined;',
}: Project): string {
  const imports =
    type === 'module'
      ? "import { writeFileSync } from 'node:fs'; import { createClient } from 'pagewright'; import { fixturesEngine } from 'pagewright/testing';"
      : "const { writeFileSync } = require('node:fs'); const { createClient } = require('pagewright'); const { fixturesEngine } = require('pagewright/testing');";
  return `${imports}
    const engines = [fixturesEngine({ 'https://site.test': 'site' })];
    async function main() {
      const client = createClient({ engines });
      const page = await client.scrape('https://site.test/lamp.html');
      const { data: crawled } = await client.crawl('https://site.test/');
      const schema = ${schema};
      const { data } = await client.extract({ urls: ['https://site.test/lamp.html'], schema });
      await client.close();
      const also = await (async () => { ${also} })();
      console.log(JSON.stringify({ title: page.metadata.title, crawled: crawled.length, data, also }));
      void writeFileSync;
    }
    main().catch((error) => { console.error(error); process.exitCode = 1; });`;
}

/** Two installs at a time: they wait for the network and for the disk. */
const queue = new PQueue({ concurrency: 2 });
const outcomes = new Map<string, Promise<string>>();

function isRun({ name, isRare = false }: Project): boolean {
  return !isRare || isDeep(name);
}

beforeAll(async () => {
  requireBuild();
  const { stdout } = await run('npm', ['pack', root, '--ignore-scripts', '--silent'], {
    cwd: folder,
  });
  const tarball = join(folder, stdout.trim());
  for (const project of projects.filter(isRun)) {
    const outcome = queue.add(() => perform(project, tarball));
    outcome.catch(() => undefined);
    outcomes.set(project.name, outcome);
  }
}, 60_000);

// Thousands of files.
afterAll(async () => {
  await Promise.allSettled(outcomes.values());
  rmSync(folder, { recursive: true, force: true });
}, 600_000);

function folderOf({ name }: Project): string {
  return join(folder, name.replaceAll(/\W+/g, '-'));
}

/** Installs the project, runs its commands, and gives what its program prints. */
async function perform(project: Project, tarball: string): Promise<string> {
  const { manager = 'npm', words = [], packages = {}, type = 'module', files = {} } = project;
  const cwd = folderOf(project);
  mkdirSync(join(cwd, 'site'), { recursive: true });
  const manifest = {
    private: true,
    type,
    dependencies: { ...packages, pagewright: `file:${tarball}` },
  };
  const program = type === 'module' ? 'program.mjs' : 'program.cjs';
  const all = { 'package.json': JSON.stringify(manifest), [program]: programOf(project), ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(cwd, 'site', name), text);
  const started = performance.now();
  // Scripts of esbuild only check its binary.
  const flags = ['--prefer-offline', '--ignore-scripts', ...words];
  await (manager === 'pnpm'
    ? command(['npx', '--yes', 'pnpm@10', 'install', ...flags], cwd)
    : command(['npm', 'install', '--no-audit', '--no-fund', ...flags], cwd));
  if (project === projects[0]) tellSize(join(cwd, 'node_modules'), performance.now() - started);
  for (const one of project.commands ?? []) await command(one, cwd);
  const { stdout, stderr } = await command([process.execPath, program], cwd);
  expect(stderr, 'warnings').toBe('');
  return stdout;
}

async function command(
  [file = '', ...words]: readonly string[],
  cwd: string,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  // vitest sets NODE_ENV and its own options.
  const { NODE_ENV: _, NODE_OPTIONS: __, ...env } = process.env;
  try {
    return await run(file, words, { cwd, env, timeout: 240_000 });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${[file, ...words].join(' ')} failed:\n${stdout}\n${stderr}`, {
      cause: error,
    });
  }
}

/** For the README, as `npm` counts packages and `du` counts bytes. */
function tellSize(modules: string, milliseconds: number): void {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true });
  const blocks = files.map(({ parentPath, name }) => lstatSync(join(parentPath, name)).blocks);
  const megabytes = blocks.reduce((sum, count) => sum + count, 0) / 2048;
  const installed = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  const count = Object.keys(installed.packages).length;
  process.stdout.write(
    `npm install --omit=optional pagewright: ${count} packages, ${megabytes.toFixed(1)} MB, ${(milliseconds / 1000).toFixed(1)} s\n`,
  );
  expect(count, 'packages without the optional ones').toBeLessThan(16);
}

test.each(projects.filter(isRun))('$name', { timeout: 600_000 }, async ({ name, expected }) => {
  const outcome: unknown = JSON.parse((await outcomes.get(name)) ?? '');
  expect(outcome).toEqual({
    title: 'Lamp',
    crawled: 3,
    data: { name: 'Desk lamp', price: 49 },
    ...(expected === undefined ? {} : { also: expected }),
  });
});

test('the examples start as README says, in a CommonJS project', { timeout: 600_000 }, async () => {
  const [bare] = projects as [Project];
  await outcomes.get(bare.name);
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, copy = '', start = ''] =
    /`(cp -r [^`]+)`, then `(npx --yes tsx [^`]+)`/.exec(readme) ?? [];
  const cwd = folderOf(bare);
  await command(copy.split(' '), cwd);
  const words = start.split(' ');
  const expected = readFileSync(join(root, 'test/examples/output/crawl.txt'), 'utf8');
  expect((await command(words, cwd)).stdout).toBe(expected);
  const other = [...words.slice(0, -1), 'examples/turndown.ts'];
  await expect(command(other, cwd)).rejects.toThrow(
    /failed:\n\nThis example needs: npm i turndown\n$/,
  );
  // tsx loads the library twice here: its own errors are known all the same.
  writeFileSync(
    join(cwd, 'refused.ts'),
    `import { PagewrightError, scrape } from 'pagewright';
    scrape('http://10.0.0.1/').catch((error) => console.log(error instanceof PagewrightError, error.code));`,
  );
  const refused = await command([...words.slice(0, -1), 'refused.ts'], cwd);
  expect(refused.stdout).toBe('true BLOCKED_ADDRESS\n');
});
