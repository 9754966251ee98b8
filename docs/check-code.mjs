// Checks the types of each block of code in README.md and docs/, as a user's compiler does. Needs the build.
// Names that a block uses and does not declare are those of code-globals.d.ts, or exports of the package. A
// block after `ts hooks` is the inside of `hooks: { … }`; `ts unchecked` needs a package that is not here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../', import.meta.url));
const guides = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', ...guides.map((name) => join('docs', name))].filter(
  (page) => page !== 'docs/public-api.md',
);
const exported = join(root, 'docs/code-exports.d.ts');
const { config } = ts.readConfigFile(join(root, 'docs/tsconfig.code.json'), ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);

/** The text of each file that is not on disk: a module for each block. */
const modules = new Map();
/** Its page, and the line of the page before its first one. */
const places = new Map();
for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8');
  for (const { index, 1: kind, 2: code } of text.matchAll(/^```ts( hooks)?\n([^]*?)^```/gm)) {
    const file = join(root, 'docs', `code-${modules.size}.mts`);
    const start = kind === undefined ? 'export {}; ' : 'export const hooks: Hooks = {';
    modules.set(file, kind === undefined ? start + code : `${start}\n${code}};`);
    const line = text.slice(0, index).split('\n').length;
    places.set(file, { page, line: kind === undefined ? line : line - 1 });
  }
}
const blocks = modules.size;
modules.set(exported, declareExports());

const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists, readFile } = host;
host.fileExists = (file) => modules.has(file) || fileExists(file);
host.readFile = (file) => modules.get(file) ?? readFile(file);
host.getSourceFile = (file, target, ...rest) =>
  modules.has(file)
    ? ts.createSourceFile(file, modules.get(file), target)
    : getSourceFile(file, target, ...rest);
const roots = [...modules.keys(), join(root, 'docs/code-globals.d.ts')];
const problems = ts.getPreEmitDiagnostics(ts.createProgram(roots, options, host));
for (const { file, start, messageText } of problems) {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n  ');
  const place = places.get(file?.fileName);
  const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
  const where =
    place === undefined ? (file?.fileName ?? '') : `${place.page}:${place.line + line + 1}`;
  console.error(`${where} ${message}`);
}
console.log(`${blocks} blocks of code, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Every value that the package exports, as a global. */
function declareExports() {
  const entry = join(root, 'dist/index.d.ts');
  const program = ts.createProgram([entry], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} exports nothing. Run: npm run build`);
  const names = checker
    .getExportsOfModule(module)
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    .filter((symbol) => symbol.flags & ts.SymbolFlags.Value)
    .map(({ name }) => name);
  return names
    .map((name) => `declare const ${name}: typeof import('pagewright').${name};`)
    .join('\n');
}
