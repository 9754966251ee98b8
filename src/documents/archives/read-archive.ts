/** Reads an archive as one document: each file under a heading with its path, read by the parsers. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { fileNameOf } from '../../core/url/path-kind.ts';
import type { DomElement } from '../../content/html/dom.ts';
import { escapeAttribute, escapeText } from '../../content/html/serialize.ts';
import type { HtmlPage, Page } from '../../core/model/page.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { readMarkdownBlocks } from '../../content/text/markdown-blocks.ts';
import { type FileContent, type FileContext, filePage } from '../../content/parsers/file-parser.ts';
import { fileSize, safeFragment } from '../../content/parsers/html-fragment.ts';
import { detectMediaType } from '../../content/parsers/media-type.ts';
import type { ParseContext, Parser } from '../../content/parsers/parser.ts';
import { archiveTypes } from '../document-parsers.ts';
import { type ArchivedFile, openArchive } from './open-archive.ts';
import type { UnpackingBudget } from '../../content/parsers/file-parser.ts';

const depthLimit = 1; // nested archives: one level, for a release inside a release
const mostWarnings = 20; // about files in an archive; further ones are only counted

/** The state of reading an archive. */
interface ArchiveReadingState {
  readonly parsers: readonly Parser[];
  readonly context: ParseContext;
  readonly budget: UnpackingBudget;
  readonly sections: string[];
  readonly verbatim: VerbatimTexts;
  /** Paths of files that were not read, each with the reason. */
  readonly left: string[];
  /** Warnings of the files' own parsers, with their paths. */
  readonly warnings: string[];
  /** Number of all warnings, including those not reported. */
  warned: number;
  files: number;
  /** Characters that may still be written. */
  text: number;
  isCut: boolean;
}

/**
 * Reads each file with the first of `parsers` that accepts it. A file that cannot be read is listed. Throws
 * `PARSE_LIMIT` for an archive that unpacks to more than `limits.bodyBytes`.
 */
export async function archivePage(
  snapshot: Snapshot,
  context: ParseContext,
  parsers: readonly Parser[],
): Promise<HtmlPage> {
  const reading: ArchiveReadingState = {
    parsers,
    context,
    budget: { bytes: context.limits.bodyBytes },
    sections: [],
    left: [],
    warnings: [],
    verbatim: new VerbatimTexts(),
    files: 0,
    warned: 0,
    text: context.limits.text,
    isCut: false,
  };
  const name = fileNameOf(snapshot.url);
  await readFiles(reading, snapshot.body, {
    mediaType: context.mediaType,
    name,
    path: '',
    depth: 0,
  });
  return reading.verbatim.find(await filePage(snapshot, context, contentOf(name, reading)));
}

interface ArchiveLocation {
  readonly mediaType: string;
  /** The name of the archive's own file. */
  readonly name: string;
  /** The prefix of the paths in it. */
  readonly path: string;
  readonly depth: number;
}

async function readFiles(
  reading: ArchiveReadingState,
  bytes: Uint8Array,
  location: ArchiveLocation,
): Promise<void> {
  const { files, isCut } = openArchive(location.mediaType, bytes, location.name, reading.budget);
  const most = reading.context.archive?.maxFiles ?? Infinity;
  if (isCut && location.depth > 0) reading.left.push(`the rest of ${location.path.slice(0, -1)}`);
  else reading.isCut ||= isCut;
  for (const file of files) {
    if (isLitter(file.name)) continue;
    if (reading.files >= most) {
      reading.isCut = true;
      return;
    }
    await readFile(reading, file, location);
  }
}

async function readFile(
  reading: ArchiveReadingState,
  file: ArchivedFile,
  location: ArchiveLocation,
): Promise<void> {
  const { parsers, left } = reading;
  const path = location.path + file.name;
  const bytes = contentBytes(file, path, left);
  if (bytes === undefined) return;
  const url = `file:///${path.split('/').map(encodeURIComponent).join('/')}`;
  const { mediaType } = detectMediaType(typeByName(file.name), bytes, url);
  const report = (why: string): void => void left.push(`${path} (${why})`);
  if (archiveTypes.has(mediaType)) {
    if (location.depth >= depthLimit)
      return report(`${mediaType}, too many archives in one another`);
    const inner = { mediaType, name: file.name, path: `${path}/`, depth: location.depth + 1 };
    return readInner(reading, bytes, inner, report);
  }
  reading.files += 1;
  const inside = insideOf(reading, mediaType);
  const parser = parsers.find((one) => one.accepts(mediaType, inside));
  if (bytes.length === 0) return report('empty');
  if (parser === undefined) return report(`${mediaType}, ${fileSize(bytes.length)}`);
  if (reading.text <= 0) return report('the files before it have limits.text characters');
  try {
    const page = await parser.parse(snapshotOf(url, mediaType, bytes), inside);
    const section = `<h2>${escapeText(path)}</h2>\n${htmlOf(page, reading)}`;
    reading.text -= section.length;
    reading.sections.push(section);
    keepWarnings(reading, path, page);
  } catch (error) {
    if (!(error instanceof PagewrightError)) throw error;
    // The file unpacks to more than the whole archive may.
    if (error.code === 'PARSE_LIMIT' && reading.budget.bytes <= 0) throw error;
    report(error.message.replace(`${url} is ${mediaType}, which `, ''));
  }
}

/** A nested archive may be damaged like any file; the part already read stays. */
async function readInner(
  reading: ArchiveReadingState,
  bytes: Uint8Array,
  location: ArchiveLocation,
  report: (why: string) => void,
): Promise<void> {
  try {
    await readFiles(reading, bytes, location);
  } catch (error) {
    if (!isOfOneFile(error)) throw error;
    report(reasonIn.exec(error.message)?.[1] ?? error.message);
  }
}

function keepWarnings(reading: ArchiveReadingState, path: string, page: Page): void {
  reading.warned += page.warnings.length;
  const room = mostWarnings - reading.warnings.length;
  const listed = page.warnings.slice(0, room);
  reading.warnings.push(...listed.map((warning) => `${path.slice(0, 200)}: ${warning}`));
}

/** The context for a file, with the archive's remaining budget. */
function insideOf({ context, budget, text }: ArchiveReadingState, mediaType: string): FileContext {
  const limits = { ...context.limits, bodyBytes: Math.max(0, budget.bytes), text };
  return {
    ...context,
    limits,
    mediaType,
    charset: undefined,
    archive: undefined,
    unpacking: budget,
  };
}

/** A damaged or encrypted file is listed; one that is too large ends the whole reading. */
function contentBytes(file: ArchivedFile, path: string, left: string[]): Uint8Array | undefined {
  try {
    return file.read();
  } catch (error) {
    if (!isOfOneFile(error)) throw error;
    const [, why = error.message] = reasonIn.exec(error.message) ?? [];
    left.push(`${path} (${why})`);
    return undefined;
  }
}

const reasonIn = /^The (?:ZIP file|archive) cannot be read: (?:its entry ".*" )?(.+)\.$/s;

/** False for `PARSE_LIMIT`, which ends the whole reading: the bytes would be unpacked again. */
function isOfOneFile(error: unknown): error is PagewrightError {
  return error instanceof PagewrightError && error.code !== 'PARSE_LIMIT';
}

function htmlOf(page: Page, { context: { limits }, verbatim }: ArchiveReadingState): string {
  if (page.kind === 'html') {
    return safeFragment(page.root.innerHTML, { limits, base: undefined, headingsFrom: 3 });
  }
  const isWritten = page.mediaType === 'text/markdown' || page.mediaType === 'text/plain';
  // A fenced block of its parser, or plain text.
  const [, language, code] = isWritten ? [] : (fenced.exec(page.markdown) ?? []);
  if (code === undefined && endsItself(page.markdown)) return verbatim.add(page.markdown);
  const kind = page.mediaType === 'text/markdown' ? 'markdown' : language;
  const mark = kind ? ` class="language-${escapeAttribute(kind)}"` : '';
  return `<pre><code${mark}>${escapeText(code ?? page.markdown)}</code></pre>`;
}

const fenced = /^`{3,}([\w+#-]*)\n(.*)\n`{3,}$/s;

function contentOf(
  name: string,
  { sections, left, isCut, files, ...reading }: ArchiveReadingState,
): FileContent {
  const list = left.map((line) => `<li>${escapeText(line)}</li>`).join('');
  const html = [
    ...(name === '' ? [] : [`<h1>${escapeText(name)}</h1>`]),
    ...sections,
    ...(list === '' ? [] : [`<h2>Not read</h2>\n<ul>${list}</ul>`]),
  ].join('\n');
  const warnings = [
    ...(isCut
      ? [
          `The archive has more than the ${files} files that were read, or was cut off. parsers: [{ type: 'archive', maxFiles }] sets how many are read.`,
        ]
      : []),
    ...(left.length === 0
      ? []
      : [
          `Not read from the archive: ${left.slice(0, 10).join('; ')}${left.length > 10 ? `; and ${left.length - 10} more` : ''}.`,
        ]),
    ...reading.warnings,
    ...(reading.warned > mostWarnings
      ? [`Its files have ${reading.warned - mostWarnings} more warnings.`]
      : []),
  ];
  return { html, title: name || undefined, warnings };
}

/** True for files that desktop systems leave in archives. */
function isLitter(name: string): boolean {
  return /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$/.test(name);
}

/** The type by file name, if the first bytes do not decide. */
function typeByName(name: string): string | undefined {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return namedTypes.get(extension);
}

const namedTypes: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['doc', 'application/msword'],
  ['xls', 'application/vnd.ms-excel'],
  ['ppt', 'application/vnd.ms-powerpoint'],
]);

function snapshotOf(url: string, mediaType: string, body: Uint8Array): Snapshot {
  return {
    url,
    body,
    statusCode: 200,
    headers: { 'content-type': mediaType },
    engine: 'none',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: body.length,
  };
}

// Markdown and plain text in an archive stay unchanged in its markdown.

/** Marks the placeholder elements; content of a file in the archive has lost the attribute. */
const verbatimMark = 'data-verbatim';

/** The texts, and their placeholder elements. */
class VerbatimTexts {
  readonly #texts: string[] = [];

  /** Adds a text; returns the HTML of its placeholder. */
  add(text: string): string {
    const lines = text.replace(/\r\n?/g, '\n').replace(/^(?:[ \t]*\n)+/, '');
    this.#texts.push(lines.trimEnd());
    return `<div ${verbatimMark}="${this.#texts.length - 1}"><pre>\n${escapeText(lines)}</pre></div>`;
  }

  /** The page with the placeholder elements of its texts. */
  find(page: HtmlPage): HtmlPage {
    if (this.#texts.length === 0) return page;
    const verbatim = new Map<DomElement, string>();
    for (const element of page.root.querySelectorAll(`[${verbatimMark}]`)) {
      const text = this.#texts[Number(element.getAttribute(verbatimMark))];
      element.removeAttribute(verbatimMark);
      if (text !== undefined) verbatim.set(element, text);
    }
    return { ...page, file: { ...page.file, verbatim } };
  }
}

/** False for markdown that would absorb the text after it: an open fence, an open comment. */
function endsItself(markdown: string): boolean {
  const next = '# Next';
  const last = readMarkdownBlocks(`${markdown.replace(/\r\n?/g, '\n')}\n\n${next}`).at(-1);
  return last?.kind === 'heading' && last.start > 0 && last.depth === 0;
}
