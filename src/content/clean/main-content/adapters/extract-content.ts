/** Runs a third-party extractor for the main content, and preserves the ids of headings. */
import { hookFailed } from '../../../../core/runtime/errors.ts';
import { type DomElement, elementsOf, isText, nodesOf } from '../../../html/dom.ts';
import { parseHtml } from '../../../html/parse.ts';
import { serializeNode } from '../../../html/serialize.ts';
import { loadModule } from '../../../../core/runtime/load-module.ts';
import type {
  ExtractorName,
  HtmlPage,
  MainContent,
  MainContentExtractor,
} from '../../../../core/model/page.ts';
import type { CleanOptions } from '../../../../core/model/request.ts';
import type { Limits } from '../../../../core/model/request-options.ts';
import { preview } from '../../../../core/checks/option-errors.ts';
import { oneLine } from '../../../text/plain-text.ts';
import { removeNoise } from '../../remove-noise.ts';

/** Inputs of the step besides the page. */
export interface ExtractionContext {
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
  /** Also apply to the extractor's result. */
  readonly limits: Limits;
}

/**
 * Replaces the body's children by the extractor's result; headings keep their ids. If the result is
 * empty although the page has text, the whole page stays, with a warning. Throws `HOOK_FAILED` if the extractor throws.
 */
export async function extractContent(
  extractor: ExtractorName | MainContentExtractor,
  page: HtmlPage,
  options: CleanOptions,
  { signal, limits }: ExtractionContext,
): Promise<void> {
  const { root, document, url, warnings } = page;
  if (!hasText(root)) return;
  const input = {
    url,
    signal,
    get html(): string {
      return serializeNode(document.documentElement);
    },
  };
  let html: string;
  try {
    const extract = typeof extractor === 'function' ? extractor : await loaders[extractor]();
    html = htmlOf(await extract(input));
  } catch (error) {
    signal.throwIfAborted();
    throw hookFailed(`The main content extractor ${nameOf(extractor)}`, url, error);
  }
  const content = parseHtml(html, limits, (warning) => warnings.push(warning)).body;
  removeNoise.apply({ ...page, root: content }, options);
  if (!hasText(content) && content.querySelector('img') === null) {
    warnings.push('The main content was not found: the whole page is given.');
    return;
  }
  keepHeadingIds(root, content);
  while (root.firstChild !== null) root.removeChild(root.firstChild);
  while (content.firstChild !== null) root.appendChild(content.firstChild);
}

/** Loads each extractor with its packages on first use. */
const loaders: Readonly<Record<ExtractorName, () => Promise<MainContentExtractor>>> = {
  readability: async () => (await loadModule(() => import('./readability.ts'))).readability,
  defuddle: async () => (await loadModule(() => import('./defuddle.ts'))).defuddle,
};

function htmlOf(content: MainContent): string {
  if (content === null || content === undefined) return '';
  const html: unknown = typeof content === 'string' ? content : content.outerHTML;
  if (typeof html === 'string') return html;
  throw new TypeError(`expected HTML, an element or nothing, got ${preview(content)}`);
}

function nameOf(extractor: ExtractorName | MainContentExtractor): string {
  const name = typeof extractor === 'function' ? extractor.name : extractor;
  return name === '' ? 'of the caller' : `"${name}"`;
}

function hasText(root: DomElement): boolean {
  return /\S/.test(root.textContent ?? '');
}

// Restores the ids of headings that an extractor dropped: links into the page need them.

/** Gives headings of `content` the ids of page headings with the same text, if there are any. */
function keepHeadingIds(page: DomElement, content: DomElement): void {
  const ids = new Set<string>();
  const unnamed: DomElement[] = [];
  for (const element of elementsOf(content)) {
    if (element.id !== '') ids.add(element.id);
    else if (isHeading(element)) unnamed.push(element);
  }
  if (unnamed.length === 0) return;
  const byText = readIds(page);
  for (const heading of unnamed) {
    const id = byText.get(headingText(heading)) ?? '';
    if (id === '' || ids.has(id)) continue;
    heading.id = id;
    ids.add(id);
  }
}

/** Ids by heading text; `` if the text is ambiguous. */
function readIds(page: DomElement): Map<string, string> {
  const ids = new Map<string, string>();
  for (const element of elementsOf(page)) {
    if (!isHeading(element)) continue;
    const text = headingText(element);
    ids.set(text, ids.has(text) ? '' : idOf(element));
  }
  return ids;
}

/** The heading's own id, or the id of a section that begins with it. */
function idOf(heading: DomElement): string {
  if (heading.id !== '' || heading.previousElementSibling !== null) return heading.id;
  const { parentElement } = heading;
  return parentElement?.localName === 'section' ? parentElement.id : '';
}

function isHeading({ localName }: DomElement): boolean {
  return /^h[1-6]$/.test(localName);
}

const longestHeading = 300; // characters and nodes: enough to tell headings apart

function headingText(heading: DomElement): string {
  let text = '';
  let count = 0;
  for (const node of nodesOf(heading)) {
    if (isText(node)) text += node.data;
    if (text.length > longestHeading || ++count > longestHeading) break;
  }
  return oneLine(text);
}
