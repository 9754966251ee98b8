// `npm run house`: measures how the source is laid out, and prints each figure beside the wanted one. It needs
// `npm run build` first, for the modules that an import and a scrape load.
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
const registry = await import(pathToFileURL(join(root, 'build/formats/registry.js')).href);
const formatNames = Object.values(registry).map(({ name }) => name);

let isHeld = true;
row('source files', sources.length, 750);
row('lines', sum(sources.map(({ lines }) => lines)), 92_000);
row('files of 30 lines or fewer', sources.filter(({ lines }) => lines <= 30).length);
row('files with one importer', oneImporter());
row('files of the largest folder', Math.max(...folderSizes()), 60);
row('heads that begin with a question word', sources.filter(asksInHead).length, 0);
row('literals spread into literals', sum(sources.map(spreadLiterals)), 0);
row('questions for the name of a format', sum(sources.map(nameChecks)), 0);
row('modules loaded by import', modulesLoadedBy(`await import('pagewright');`), 120);
row(
  'modules loaded by a scrape',
  modulesLoadedBy(
    `const { scrape } = await import('pagewright');
     await scrape({ html: '<p>One paragraph of text.', url: 'https://site.test/' });`,
  ),
  250,
);
row('frames from scrape() to the socket', framesToSocket(), 20);
process.exitCode = isHeld ? 0 : 1;

function row(name, value, wanted) {
  const holds = wanted === undefined || value <= wanted;
  isHeld &&= holds;
  const goal = wanted === undefined ? '' : `wanted at most ${wanted}${holds ? '' : '  ← not yet'}`;
  console.log(`${name.padEnd(40)}${String(value).padStart(8)}   ${goal}`.trimEnd());
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

/** Runs code in a process of its own and counts the modules of ours that V8 saw. */
function modulesLoadedBy(code) {
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-house-'));
  try {
    spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: root,
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const dist = pathToFileURL(join(root, 'dist/')).href;
    const urls = readdirSync(folder).flatMap((file) =>
      JSON.parse(readFileSync(join(folder, file), 'utf8')).result.map(({ url }) => url),
    );
    return new Set(urls.filter((url) => url.startsWith(dist))).size;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Frames of the library in the stack of the call that opens the socket, of the caller's line down to it. */
function framesToSocket() {
  const script = `
    import http from 'node:http';
    import net from 'node:net';
    import { once } from 'node:events';
    import { createClient } from 'pagewright';
    Error.stackTraceLimit = 200;
    const server = http.createServer((_, response) => response.end('<p>Text.')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    let stack;
    const { connect } = net.Socket.prototype;
    net.Socket.prototype.connect = function (...target) {
      stack ??= new Error().stack;
      return connect.apply(this, target);
    };
    const client = createClient({ network: { allow: ['127.0.0.1'] } });
    async function caller() {
      return await client.scrape(\`http://127.0.0.1:\${server.address().port}/\`);
    }
    await caller();
    server.close();
    const lines = stack.split('\\n');
    if (!lines.some((line) => line.includes('at async caller'))) throw new Error('The stack does not name its caller.');
    console.log(lines.filter((line) => /(?<!node_modules.*)\\/src\\/.*\\.ts/.test(line)).length);
    process.exit();`;
  const flags = ['--enable-source-maps', '--input-type=module'];
  const { stdout } = spawnSync(process.execPath, [...flags, '--eval', script], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return stdout === '' ? Infinity : Number(stdout);
}
