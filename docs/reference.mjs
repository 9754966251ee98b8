// Writes docs/options.md, docs/errors.md and docs/channels.md, tables of all options, of all error codes and of the
// messages of all channels, from the docstrings of the sources. `--check` writes nothing and fails when a file is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = new URL('../', import.meta.url);

/** The options of each call: its name, how it is written, the type that has them, and where it is. */
const calls = [
  ['scrape', '`scrape(url, options)`, `parse(bytes, options)`', 'ScrapeOptions', 'scrape-options'],
  ['crawl', '`crawl(url, options)`', 'CrawlOptions', 'crawl-options'],
  ['batchScrape', '`batchScrape(urls, options)`', 'BatchOptions', 'batch-options'],
  ['map', '`map(url, options)`', 'MapOptions', 'map-options'],
  ['search', '`search(query, options)`', 'SearchOptions', 'search-options'],
  ['extract', '`extract(options)`', 'ExtractOptions', 'extract-options'],
  ['createClient', '`createClient(options)`', 'ClientOptions', 'client-options'],
  ['documents', '`job.documents(filter)`', 'DocumentFilter', 'document-filter'],
  [
    'resume',
    '`client.jobs.resume(id, options)`. The options of the start may be [given again](jobs.md#resuming).',
    'ResumeOptions',
    'resume-options',
  ],
  ['webhook', 'the option `webhook` of a job', 'WebhookOptions', 'webhook-options'],
  [
    'limits',
    'the option `limits` of a client and of a scrape',
    'Limits',
    '../model/request-options',
  ],
];

const pathOf = (file) => fileURLToPath(new URL(`src/core/options/${file}.ts`, root));
const errorsFile = fileURLToPath(new URL('src/core/runtime/errors.ts', root));
const { config } = ts.readConfigFile(
  fileURLToPath(new URL('tsconfig.json', root)),
  ts.sys.readFile,
);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, fileURLToPath(root));
const channelsFile = fileURLToPath(new URL('src/core/telemetry/channels.ts', root));
const program = ts.createProgram(
  [...calls.map(([, , , file]) => pathOf(file)), errorsFile, channelsFile],
  options,
);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });

write('docs/options.md', optionsPage());
write('docs/errors.md', errorsPage());
write('docs/channels.md', channelsPage());

/** Writes a page, or compares it with `--check`. */
function write(path, text) {
  const file = new URL(path, root);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is out of date. Run: npm run reference`);
    process.exitCode = 1;
  }
}

/** One row an option: a call that has the option of an earlier one, with the same words, links to its row. */
function optionsPage() {
  const anchors = new Map();
  const taken = new Set();
  const sections = calls.map(([call, written, name, file]) => {
    const own = [];
    const shared = [];
    for (const { name: option, type, fallback, text } of fieldsOf(
      declarationOf(pathOf(file), name),
    )) {
      const cells = [
        `[\`${option}\`](#ANCHOR)<br>${code(type)}`,
        fallback === '' ? text : `${text}<br>Default: ${fallback}`,
      ];
      const known = anchors.get(cells.join());
      const anchor = known ?? (taken.has(option) ? `${call}-${option}` : option);
      anchors.set(cells.join(), anchor);
      taken.add(option);
      if (known !== undefined) shared.push(`[\`${option}\`](#${known})`);
      else own.push(`| <a id="${anchor}"></a>${row(...cells).slice(2)}`.replace('ANCHOR', anchor));
    }
    const also = shared.length === 0 ? '' : `\n\nAs described above: ${shared.join(', ')}.`;
    const table = `${row('option', 'meaning')}\n|---|---|\n${own.join('\n')}`;
    return `## \`${call}\` options\n\n${written}\n\n${table}${also}`;
  });
  return `# Options\n\nEvery option of every call, with its type, meaning and default, as your editor shows them. An unknown option is \`BAD_REQUEST\`, and the message names the nearest known one. A \`Duration\` is milliseconds, or a number with its unit: \`'500ms'\`, \`'30s'\`, \`'15m'\`, \`'2h'\`, \`'7d'\`, \`'1w'\`. Sizes are in bytes.\n\n${sections.join('\n\n')}\n`;
}

/** The properties of a type: name, written type, default and text. */
function fieldsOf(type) {
  const properties = checker.getTypeAtLocation(type).getProperties();
  return properties.map((property) => {
    // Of a union's property, the words of the first member.
    const declaration = /** @type {import('typescript').PropertyDeclaration | undefined} */ (
      property.declarations?.[0]
    );
    const symbol =
      (declaration === undefined ? undefined : checker.getSymbolAtLocation(declaration.name)) ??
      property;
    const tag = symbol.getJsDocTags(checker).find((one) => one.name === 'default');
    return {
      name: property.name,
      isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
      type: writtenType(property, declaration)
        .replace(/\s*\|\s*undefined$/, '')
        .replace(/^\((.*)\)$/s, '$1'),
      fallback: plain(ts.displayPartsToString(tag?.text)),
      text: plain(ts.displayPartsToString(symbol.getDocumentationComment(checker))),
    };
  });
}

/** The type of a property as it is written, or of a row of the option table as it is computed. */
function writtenType(property, declaration) {
  if (declaration !== undefined && ts.isPropertySignature(declaration) && declaration.type) {
    const source = declaration.getSourceFile();
    const written = printer.printNode(ts.EmitHint.Unspecified, declaration.type, source);
    if (!written.startsWith('PageOptionsOf')) return written;
    const options = checker.getNonNullableType(checker.getTypeOfSymbol(property)).getProperties();
    return `{ ${options.map(({ name }) => name).join(', ')} }`;
  }
  const flags =
    ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;
  return checker.typeToString(checker.getTypeOfSymbol(property), undefined, flags);
}

function errorsPage() {
  const codes = declarationOf(errorsFile, 'ErrorCode');
  if (!ts.isTypeAliasDeclaration(codes) || !ts.isUnionTypeNode(codes.type)) {
    throw new Error('ErrorCode is not a union');
  }
  const text = codes.getSourceFile().getFullText();
  const [, retryable = ''] = /retryableCodes[^[]*\[([^\]]*)\]/.exec(text) ?? [];
  const comment = /(?:\/\/ ([^\n]+)\n\s*)?\/\*\*\s*((?:(?!\*\/)[^])*?)\s*\*\/\s*\|\s*$/;
  const parts = codes.type.types.map((member) => {
    const code = member.getText();
    const [, group, meaning] = comment.exec(text.slice(0, member.getStart())) ?? [];
    if (meaning === undefined) throw new Error(`${code} has no meaning`);
    const id = code.replaceAll("'", '');
    const name = `<a id="${id}"></a>[\`${id}\`](#${id})`;
    const line = row(name, plain(meaning), retryable.includes(code) ? 'yes' : '');
    const titles = row('code', 'meaning, and what to do', 'retryable');
    return group === undefined ? line : `\n## ${group}\n\n${titles}\n|---|---|---|\n${line}`;
  });
  return `# Error codes\n\nEverything that is thrown on purpose is a \`PagewrightError\` with a \`code\` of this table, the \`url\`, a message that says what to change, and \`cause\`. A page that fails in a job throws nothing: \`job.errors()\` lists it with the same code. \`error.retryable\` is true where the same call may succeed later.\n${parts.join('\n')}\n`;
}

function channelsPage() {
  const messages = declarationOf(channelsFile, 'ChannelMessages');
  if (!ts.isInterfaceDeclaration(messages)) throw new Error('ChannelMessages is no interface');
  const sections = messages.members.filter(ts.isPropertySignature).map((member) => {
    if (member.type === undefined) throw new Error(`${member.name.getText()} has no type`);
    const message = declarationOf(channelsFile, member.type.getText());
    const symbol = checker.getSymbolAtLocation(message.name);
    const about = plain(ts.displayPartsToString(symbol?.getDocumentationComment(checker)));
    const atEnd = member.name.getText().includes(':retry') ? 'if known' : 'at the end';
    const there = (isOptional) => (isOptional ? atEnd : 'always');
    const rows = fieldsOf(message).map(({ name, type, isOptional, text }) =>
      row(`\`${name}\``, code(type), there(isOptional), text),
    );
    const head = `${row('field', 'type', 'there', 'meaning')}\n|---|---|---|---|`;
    const title = member.name.getText().replaceAll("'", '');
    return `## \`${title}\`\n\n${about} Its type is \`${message.name.text}\`.\n\n${head}\n${rows.join('\n')}`;
  });
  return `# Channels\n\nThe messages of each channel of \`node:diagnostics_channel\`; [observability](observability.md) says how to subscribe. Fields that are there at the end are missing before, and where they are not known.\n\n${sections.join('\n\n')}\n`;
}

/** The declaration of a type in a file. */
function declarationOf(file, name) {
  for (const node of program.getSourceFile(file)?.statements ?? []) {
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
    if (isType && node.name.text === name) return node;
  }
  throw new Error(`${file} declares no ${name}`);
}

/** A row of a table. */
function row(...cells) {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function code(text) {
  return `\`${text.replace(/\s+/g, ' ').replace(/readonly /g, '')}\``;
}

/** One line; \`{@link}\` and braces outside of code would be markup of the site. */
function plain(text) {
  return text.replace(/\s*\*?\s*\n\s*\*?\s*/g, ' ').trim();
}
