// The bundle of `npm run build`: which modules share a file, and how packages get in.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './checks.mjs';
import { isPackagePart, packageParts } from './package-parts.mjs';

/** Files that are loaded at once when the first of them is needed; the others are a chunk each. */
const loadedTogether = {
  reading: ['core/page/worker.ts', 'content/html/parse.ts', 'content/markdown/to-markdown.ts'],
  scraping: ['scrape.ts'],
  fetching: ['core/http/transports/undici/undici-transport.ts', 'core/http/follow-redirects.ts'],
  crawling: ['crawl.ts', 'core/frontier/queue/request-queue.ts', 'core/page/worker-pool.ts'],
};

/** The modules of each group: its roots and all that they import, without those of the groups before. */
const groupOf = new Map();

/** @type {import('rolldown').Plugin} */
const closures = {
  name: 'closures',
  buildEnd() {
    const closure = (ids, found = new Set()) => {
      for (const id of ids) {
        if (found.has(id)) continue;
        found.add(id);
        const { importedIds = [], dynamicallyImportedIds = [] } = this.getModuleInfo(id) ?? {};
        closure([...importedIds, ...dynamicallyImportedIds.filter(isPackagePart)], found);
      }
      return found;
    };
    const worker = closure([join(root, 'src/core/page/worker.ts')]);
    for (const id of closure([join(root, 'src/index.ts')])) {
      groupOf.set(id, worker.has(id) ? 'shared' : 'client');
    }
    for (const [name, files] of Object.entries(loadedTogether)) {
      for (const id of closure(files.map((file) => join(root, 'src', file)))) {
        if (!groupOf.has(id)) groupOf.set(id, name);
      }
    }
    // An entry runs where it is the entry: the worker's code listens to its parent.
    for (const id of groupOf.keys()) if (this.getModuleInfo(id)?.isEntry) groupOf.delete(id);
  },
};

/**
 * A package that is required where it is first needed is in the bundle too, and runs then.
 *
 * @type {import('rolldown').Plugin}
 */
const requires = {
  name: 'requires',
  transform: {
    filter: { id: /\/src\/.*\.ts$/ },
    // Lines stay where they are: the map need not change.
    handler: (code) => ({
      code: code.replace(/createRequire\(import\.meta\.url\)(?=\('[^']+'\))/g, 'require'),
      map: null,
    }),
  },
};

/**
 * A text that a module reads from the file beside it is in the bundle.
 *
 * @type {import('rolldown').Plugin}
 */
const texts = {
  name: 'texts',
  transform: {
    filter: { id: /\/src\/.*\.ts$/ },
    handler: (code, id) => ({
      code: code.replace(
        /readFileSync\(new URL\('([^']+)', import\.meta\.url\), 'utf8'\)/g,
        (_, file) => JSON.stringify(readFileSync(join(dirname(id), file), 'utf8')),
      ),
      map: null,
    }),
  },
};

/**
 * What users bundle again. esbuild takes a package as optional where the failure of its import is caught beside
 * it. In a CommonJS bundle `import.meta.url` is undefined.
 */
const bundledAgain = (optional) => ({
  name: 'bundled-again',
  renderChunk: (code) => ({
    code: code
      .replace(/\bimport\("((?:@[^/"]+\/)?[^/"]+)[^"]*"\)/g, (call, name) =>
        optional.includes(name) ? `${call}.catch((error) => Promise.reject(error))` : call,
      )
      .replace(
        '(() => createRequire(import.meta.url))()',
        'createRequire(import.meta.url ?? __filename)',
      ),
    // Lines stay where they are: the map need not change.
    map: null,
  }),
});

/** Writes the bundle into a folder; returns the files that went into it. */
export async function bundle(dist, { version, isExternal, optional }) {
  const bundled = await rolldown({
    cwd: root,
    input: {
      index: 'src/index.ts',
      'entries/storage/index': 'src/entries/storage/index.ts',
      'entries/search/index': 'src/entries/search/index.ts',
      'documents/ocr/index': 'src/documents/ocr/index.ts',
      'entries/crawlee': 'src/entries/crawlee.ts',
      'entries/testing/index': 'src/entries/testing/index.ts',
      'entries/export/index': 'src/entries/export/index.ts',
      'entries/firecrawl/index': 'src/entries/firecrawl/index.ts',
      'entries/fleet/index': 'src/entries/fleet/index.ts',
      'entries/opentelemetry/index': 'src/entries/opentelemetry/index.ts',
      'entries/agents/ai/index': 'src/entries/agents/ai/index.ts',
      'entries/agents/loaders/langchain': 'src/entries/agents/loaders/langchain.ts',
      'entries/agents/loaders/llamaindex': 'src/entries/agents/loaders/llamaindex.ts',
      'entries/cli': 'src/entries/cli.ts',
      // Started by its URL, beside the chunk of worker-file.ts.
      'chunks/worker': 'src/core/page/worker.ts',
    },
    platform: 'node',
    tsconfig: false,
    plugins: [packageParts, requires, texts, closures, bundledAgain(optional)],
    external: isExternal,
    transform: { target: 'es2023', define: { PAGEWRIGHT_VERSION: JSON.stringify(version) } },
    // Unbundled, more is loaded on demand.
    checks: { ineffectiveDynamicImport: false },
    onLog(level, log, print) {
      if (level === 'warn') throw new Error(log.message);
      print(level, log);
    },
  });
  const { output } = await bundled.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      groups: ['shared', 'client', ...Object.keys(loadedTogether)].map(
        (name, index, { length }) => ({
          name,
          priority: length - index,
          test: (id) => groupOf.get(id) === name,
        }),
      ),
    },
    // Names and lines stay: Node prints the line of an error that nobody catches, and its stack.
    comments: false,
    // One letter beyond Latin-1 makes V8 keep a file with two bytes a character.
    charset: 'ascii',
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundled.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
