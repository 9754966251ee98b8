// `npm run house`: measures how the source is laid out, and prints each figure beside the one of the table in
// `docs/architecture.md` and the wanted one. It needs `npm run build` first: what an import and a scrape load is
// counted in `build/`, which has each module by itself. `--budgets` prints the budgets of folders instead.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path/posix';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from './checks.mjs';

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(root, 'src', path), 'utf8');
    return { path, text, lines: text.split('\n').length - 1 };
  });
if (process.argv.includes('--budgets')) {
  printBudgets();
  process.exit();
}
const built = pathToFileURL(join(root, 'build/')).href;
const entry = `${built}index.js`;
const documented = documentedFigures();
const registry = await import(`${built}content/formats/registry.js`);
const formatNames = Object.values(registry).map(({ name }) => name);

let isHeld = true;
const ofImport = modulesLoadedBy(`await import('${entry}');`);
const ofScrape = modulesLoadedBy(scrapeOfOwnServer(''));
console.log(`${''.padEnd(40)}${'now'.padStart(8)}${'documented'.padStart(12)}   wanted`);
row('source files', sources.length, 720);
row('lines', linesOf(sources), 118_500);
row('modules loaded by import', ofImport.length);
row('built lines loaded by import', builtLinesOf(ofImport));
row('modules loaded by a scrape', ofScrape.length, 180);
row('built lines loaded by a scrape', builtLinesOf(ofScrape), 30_000);
row('frames in the stack at the socket', framesAtSocket(), 20);
row('files of 30 lines or fewer', sources.filter(({ lines }) => lines <= 30).length);
row('files with one importer', oneImporter());
row('files of the largest folder', Math.max(...folderSizes()), 60);
row('heads that begin with a question word', sources.filter(asksInHead).length, 0);
row('literals spread into literals', sum(sources.map(spreadLiterals)), 0);
row('questions for the name of a format', sum(sources.map(nameChecks)), 0);
process.exitCode = isHeld ? 0 : 1;

function row(name, value, wanted) {
  const holds = wanted === undefined || value <= wanted;
  isHeld &&= holds;
  const goal = wanted === undefined ? '' : `at most ${wanted}${holds ? '' : '  ← not yet'}`;
  const before = documented.get(name) ?? '';
  console.log(
    `${name.padEnd(40)}${String(value).padStart(8)}${before.padStart(12)}   ${goal}`.trimEnd(),
  );
}

/** Prints the rows of `budgets` in `test/architecture.test.ts` as they would hold now. */
function printBudgets() {
  const sizes = new Map();
  for (const { path, lines } of sources) {
    const [first, second] = path.replace(/\.ts$/, '').split('/');
    const isWhole = first === 'documents' || (first === 'extract' && path.split('/').length === 2);
    const folder = !path.includes('/') ? 'src' : isWhole ? first : `${first}/${second}`;
    const [files, sum] = sizes.get(folder) ?? [0, 0];
    sizes.set(folder, [files + 1, sum + lines]);
  }
  for (const [folder, [files, lines]] of [...sizes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const key = /\W/.test(folder) ? `'${folder}'` : folder;
    const figure = lines < 10_000 ? lines : lines.toLocaleString('en-US').replace(',', '_');
    console.log(`  ${key}: [${files}, ${figure}],`);
  }
}

/** The figures of the table in the document, by their names. */
function documentedFigures() {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  return new Map(
    [...text.matchAll(/^\| ([a-z][^|]*?) +\| +([\d,]+) \|$/gm)].map(
      ([, name = '', figure = '']) => [name, figure.replaceAll(',', '')],
    ),
  );
}

function linesOf(files) {
  return sum(files.map(({ lines }) => lines));
}

function builtLinesOf(urls) {
  return sum(urls.map((url) => readFileSync(new URL(url), 'utf8').split('\n').length - 1));
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function oneImporter() {
  const importers = new Map();
  for (const { path, text } of sources) {
    for (const [, specifier = ''] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const target = join(dirname(path), specifier);
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return [...importers.values()].filter(({ size }) => size === 1).length;
}

function folderSizes() {
  const sizes = new Map();
  for (const { path } of sources) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return sizes.values();
}

function asksInHead({ text }) {
  return /^(?:#!.*\n)?\/\*\*\s*(?:\*\s*)?(?:What|Whether|Which|How|Who|Whose|Where|When|Why)\b/.test(
    text,
  );
}

/** Counts `...{ a }` and `...[a]` inside of a literal. */
function spreadLiterals({ path, text }) {
  let count = 0;
  const visit = (node) => {
    if (ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) {
      const { expression, parent } = node;
      const isLiteral =
        ts.isObjectLiteralExpression(expression) || ts.isArrayLiteralExpression(expression);
      if (isLiteral && !ts.isCallExpression(parent)) count += 1;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return count;
}

/** Counts comparisons of a format, or of its name or type, with the name of a built-in one. */
function nameChecks({ path, text }) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const formats = new Set();
  const isFormat = (node) => {
    const from = ts.isPropertyAccessExpression(node) ? node.expression : node;
    const named = from.getText().split('.').at(-1);
    return /format$/i.test(named) || formats.has(named);
  };
  let count = 0;
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) || ts.isParameter(node)) {
      if (/format/i.test(originOf(node))) for (const name of namesIn(node.name)) formats.add(name);
    }
    if (ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText())) {
      const { left, right } = node;
      const isName =
        (ts.isStringLiteral(right) && formatNames.includes(right.text)) ||
        (/\.name$/.test(left.getText()) &&
          formatNames.includes(right.getText().replace(/\.name$/, '')));
      if (isName && isFormat(left)) count += 1;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return count;
}

/** The type or the value that a name gets, without arguments; for a parameter, the function that is called with it. */
function originOf(declaration) {
  const { type, initializer, parent } = declaration;
  const around = parent.parent;
  const given =
    ts.isForOfStatement(around) || ts.isCallExpression(around) ? around.expression : undefined;
  const text = (type ?? initializer ?? given)?.getText() ?? '';
  return text.replace(/\(.*$/s, '');
}

function namesIn(name) {
  return ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) =>
        ts.isOmittedExpression(element) ? [] : namesIn(element.name),
      );
}

/** Runs code in a process of its own, and gives the URLs of the modules of ours that V8 saw. */
function modulesLoadedBy(code) {
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-house-'));
  try {
    runCode(code, { NODE_V8_COVERAGE: folder });
    const urls = readdirSync(folder).flatMap((file) =>
      JSON.parse(readFileSync(join(folder, file), 'utf8')).result.map(({ url }) => url),
    );
    return [...new Set(urls)].filter((url) => url.startsWith(built));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The frames of the library in the stack of the call that opens the socket, as far as V8 follows its awaits. */
function framesAtSocket() {
  const stack = runCode(
    scrapeOfOwnServer(`
      Error.stackTraceLimit = 200;
      const { connect } = net.Socket.prototype;
      net.Socket.prototype.connect = function (...target) {
        console.log(new Error().stack);
        return connect.apply(this, target);
      };`),
  );
  const frames = stack.split('\n').filter((line) => line.includes(built)).length;
  if (frames === 0) throw new Error('The stack at the socket has no frame of the library.');
  return frames;
}

/** Code that scrapes a page of a server on loopback, after other code. */
function scrapeOfOwnServer(before) {
  return `
    import { once } from 'node:events';
    import http from 'node:http';
    import net from 'node:net';
    import { createClient } from '${entry}';
    const answer = (_, response) => response.setHeader('content-type', 'text/html').end('<p>Text.');
    const server = http.createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ${before}
    const client = createClient({ network: { allow: ['127.0.0.1'] } });
    await client.scrape(\`http://127.0.0.1:\${server.address().port}/\`);
    await client.close();
    server.close();`;
}

/** Runs code in a process of its own, and gives what it wrote. */
function runCode(code, env = {}) {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error('The code failed.');
  return stdout;
}
