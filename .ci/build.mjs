// `npm run build`: `build/` gets each module by itself, for tests and benches. `dist/`, which is published,
// gets them bundled into few files, together with the small packages that they need, and the declarations
// that users reach. docs/decisions/020-one-bundle.md says why.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { bundle } from './bundle.mjs';
import { root, tool } from './checks.mjs';

const build = join(root, 'build');
const dist = join(root, 'dist');
const {
  name: own,
  version,
  dependencies,
  optionalDependencies,
  peerDependencies,
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Users install these for their types; what runs of them is in the bundle. */
const typesOnly = ['zod'];
const optional = Object.keys({ ...optionalDependencies, ...peerDependencies });
const installed = [own, ...Object.keys(dependencies), ...optional];
/** Read from beside its module; the bundle has its text. */
const style = 'entries/export/report/report.css';
const external = installed.filter((name) => !typesOnly.includes(name));

for (const folder of [build, dist]) rmSync(folder, { recursive: true, force: true });
const compiler = tool('typescript', 'tsc', '-p', join(root, 'tsconfig.build.json'));
const { status } = spawnSync(process.execPath, compiler, { stdio: 'inherit' });
if (status !== 0) process.exit(1);
copyFileSync(join(root, 'src', style), join(build, style));
writeLicences(
  await bundle(dist, {
    version,
    isExternal: (id) => external.includes(packageOf(id)),
    optional,
  }),
);
for (const entry of [
  'index',
  'entries/agents/ai/index',
  'entries/crawlee',
  'entries/export/index',
  'entries/firecrawl/index',
  'entries/fleet/index',
  'entries/agents/loaders/langchain',
  'entries/agents/loaders/llamaindex',
  'entries/opentelemetry/index',
  'documents/ocr/index',
  'entries/search/index',
  'entries/storage/index',
  'entries/testing/index',
]) {
  copyDeclarations(join(build, `${entry}.d.ts`));
  writeCommonJs(join(dist, entry));
}

/** Copies a file of declarations, and those that it names. */
function copyDeclarations(file) {
  const copy = join(dist, relative(build, file));
  if (existsSync(copy)) return;
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy);
  // The compiler writes inferred types with double quotes: import("./module.ts").
  const names = readFileSync(file, 'utf8').matchAll(
    /(?:from|import\()\s*'([^']+)'|import\("([^"]+)"/g,
  );
  for (const [, written, inferred] of names) {
    const name = written ?? inferred ?? '';
    if (name.startsWith('.')) {
      copyDeclarations(join(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')));
    } else if (!name.startsWith('node:') && !installed.includes(packageOf(name))) {
      throw new Error(`${file} has types of ${name}, which users do not install.`);
    }
  }
}

/**
 * Writes what `require()` finds. It requires the module: Node warns of that in the code of a user, and not in a
 * package. Jest has a `require` of its own.
 */
function writeCommonJs(entry) {
  const module = `./${basename(entry)}.js`;
  const advice =
    "Jest cannot require pagewright: use await import('pagewright') in the test, and NODE_OPTIONS=--experimental-vm-modules.";
  const hasDefault = /\bas default\b/.test(readFileSync(`${entry}.d.ts`, 'utf8'));
  // With a default export, compilers look for the mark of a compiled module.
  const load = hasDefault
    ? `Object.defineProperty(exports, '__esModule', { value: true });
  const { default: main, ...others } = require(${JSON.stringify(module)});
  for (const name of Object.keys(others)) if (name !== '__esModule') exports[name] = others[name];
  exports.default = main;`
    : `module.exports = require(${JSON.stringify(module)});`;
  writeFileSync(
    `${entry}.cjs`,
    `try {
  ${load}
} catch (error) {
  if (process.env.JEST_WORKER_ID === undefined) throw error;
  throw new Error(${JSON.stringify(advice)}, { cause: error });
}
`,
  );
  // TypeScript refuses the import in a CommonJS file, although it knows the types.
  const names = hasDefault ? ['*', '{ default }'] : ['*'];
  writeFileSync(
    `${entry}.d.cts`,
    names.map((name) => `// @ts-ignore\nexport ${name} from ${JSON.stringify(module)};\n`).join(''),
  );
}

/** Writes the licences and notices of the packages in the bundle. */
function writeLicences(files) {
  const places = new Set(
    files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const texts = [...places].map((place) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(place, 'package.json'), 'utf8'),
    );
    const parts = readdirSync(place)
      .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
      .map((file) => readFileSync(join(place, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...parts].join('\n\n');
  });
  writeFileSync(
    join(dist, 'THIRD-PARTY-LICENSES.txt'),
    `${[...new Set(texts)].sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
  );
}

/** The package of an import, or undefined for a file. */
function packageOf(id) {
  return /^(?:@[^/]+\/)?[^/.@][^/]*/.exec(id)?.[0];
}
