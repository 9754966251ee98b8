/** The step that asks another's extractor for the main content. */
import { hookFailed } from '../../../errors.ts';
import type { DomElement } from '../../../html/dom.ts';
import { parseHtml } from '../../../html/parse.ts';
import { serializeNode } from '../../../html/serialize.ts';
import type {
  ExtractorName,
  MainContent,
  MainContentExtractor,
} from '../../../model/main-content-extractor.ts';
import type { HtmlPage } from '../../../model/page.ts';
import type { CleanOptions, Limits } from '../../../model/request.ts';
import { preview } from '../../../text/preview.ts';
import { removeNoise } from '../../remove-noise.ts';
import { keepHeadingIds } from './keep-heading-ids.ts';

/** What the step is told beside the page. */
export interface ExtractionContext {
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
  /** They hold for what the extractor gives, too. */
  readonly limits: Limits;
}

/**
 * Replaces the body's children by what the extractor gives; headings keep their ids. Where that is nothing although the page
 * has text, the whole page stays, with a warning. Throws `HOOK_FAILED` when the extractor does.
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

/** Loaded with the packages that they need, when they are asked for. */
const loaders: Readonly<Record<ExtractorName, () => Promise<MainContentExtractor>>> = {
  readability: async () => (await import('./readability.ts')).readability,
  defuddle: async () => (await import('./defuddle.ts')).defuddle,
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
