/** The visible text of a page for a language model, and the page for recipes, without hidden content. */
import type { HiddenText } from '../../content/clean/hidden-text/remove-hidden-text.ts';
import { cleanPage, cleanPageWith } from '../../content/clean/index.ts';
import { redactTree } from '../../content/clean/redact-page.ts';
import type { RecipeReading, RecipeReadingRequest } from '../../extract/recipes/recipe-page.ts';
import { markdown } from '../../content/formats/markdown.ts';
import { modelText } from '../../content/formats/model-text.ts';
import type { MarkdownOptions } from '../../content/markdown/markdown-options.ts';
import { type DomElement, elementsOf, isElement } from '../../content/html/dom.ts';
import { loadModule } from '../runtime/load-module.ts';
import type { HtmlPage, InstructionAttempt, ModelText, Page, UnseenNodes } from '../model/page.ts';
import {
  findHiddenInstructions,
  findModelInstructions,
} from '../../content/text/prompt-injection.ts';
import { withoutInvisible } from '../../content/text/plain-text.ts';
import type { Redactor } from '../../content/text/redactor.ts';
import type { CleanOptions } from '../model/request.ts';
import type { FormatContext, FormatRequest } from '../../content/formats/format.ts';

const nothingHidden: HiddenText = {
  words: '',
  code: '',
  unread: { files: false, rules: false },
};

const mostAttempts = 5; // prompt injections reported of each kind, visible and hidden

/** Reads the text from a copy: the page stays unchanged. */
export async function readModelText(
  page: Page,
  { clean, formats }: { readonly clean: CleanOptions; readonly formats: readonly FormatRequest[] },
  context: FormatContext,
): Promise<ModelText> {
  let hidden: HiddenText = nothingHidden;
  let read = page;
  if (page.kind === 'html') {
    const seen = await visibleCopy(page, clean.redactor);
    const { copy } = seen;
    hidden = seen.hidden;
    const { extractor } = clean;
    if (extractor === undefined) cleanPage(copy, clean);
    else await cleanPageWith(extractor, copy, clean, context);
    read = copy;
  }
  const text = await markdown.run(read, undefined, context);
  const style = formats.find(({ format }) => format === modelText)?.options as
    MarkdownOptions | undefined;
  const styled = style && (await markdown.run(read, style, context));
  return {
    markdown: withoutZeroWidth(text),
    styled: styled && withoutZeroWidth(styled),
    attempts: findAttempts(page, hidden, text),
    unreadStyles: hidden.unread,
  };
}

/** Prompt injections in the text of a page and in its hidden content. */
function findAttempts(
  { source }: Page,
  { words, code }: Pick<HiddenText, 'words' | 'code'>,
  text: string,
): InstructionAttempt[] {
  const hidden = [
    ...findHiddenInstructions(`${words}${spelledInTags(source)}`, mostAttempts),
    ...findModelInstructions(code, mostAttempts),
  ].slice(0, mostAttempts);
  return [
    ...hidden.map((quote) => ({ quote, isHidden: true })),
    ...findModelInstructions(text, mostAttempts).map((quote) => ({ quote, isHidden: false })),
  ];
}

/** Joiners have a meaning between letters of some scripts and in emoji; elsewhere they may hide a message. */
function withoutZeroWidth(text: string): string {
  return text.replace(
    /[\u200b-\u200f\u2060\ufeff]{2,}|(?<=[\p{Script=Latin}\p{N}\s]|^)[\u200b-\u200f]|[\u200b-\u200f](?=[\p{Script=Latin}\p{N}\s]|$)/gu,
    '',
  );
}

/** Tag characters (U+E0020 to U+E007E) spell ASCII without glyphs. */
function spelledInTags(source: string): string {
  if (!source.includes('\udb40')) return '';
  const spelled = source.slice(0, 1_000_000).match(/[\u{e0020}-\u{e007e}]+/gu) ?? [];
  return spelled
    .join(' ')
    .replace(/[\u{e0020}-\u{e007e}]/gu, (tag) =>
      String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000),
    );
}

// Tries recipes on a page, and makes its outline for a model that writes a recipe.

/**
 * Reads the visible page, so that hidden content has no values. Undefined for a page that is not
 * HTML. `isHooked`: hooks may have changed the page, whose current HTML is then returned.
 */
export async function readForRecipes(
  page: Page,
  { candidates, outline }: RecipeReadingRequest,
  { redactor, isHooked }: { readonly redactor: Redactor | undefined; readonly isHooked: boolean },
): Promise<RecipeReading | undefined> {
  if (page.kind !== 'html') return undefined;
  const { trySchema } = await loadModule(() => import('../../extract/recipes/try-schema.ts'));
  const { showingElements, templateNames, templateShape } = await loadModule(
    () => import('../../extract/recipes/template-names.ts'),
  );
  const { copy, html, hidden } = await visibleCopy(page, redactor);
  const showing = showingElements(copy.root);
  const reading: RecipeReading = {
    tried: candidates.map((schema) => trySchema(copy, html, schema)),
    names: templateNames(copy.root, showing),
    shape: templateShape(copy.root, showing),
    attempts: [],
    unreadStyles: hidden.unread,
    ...(isHooked ? { html: page.document.documentElement.outerHTML } : {}),
  };
  if (outline === 0) return reading;
  const { pageOutline } = await loadModule(() => import('../../extract/recipes/page-outline.ts'));
  const { html: seen, isShortened, dropped } = pageOutline(copy.root, showing, outline);
  const text = copy.root.textContent ?? '';
  const removed = { ...hidden, words: [hidden.words, ...dropped].join('\n') };
  return {
    ...reading,
    outline: { html: withoutZeroWidth(withoutInvisible(seen)), isShortened },
    attempts: findAttempts(page, removed, text.slice(0, 1_000_000)),
  };
}

// The visible page: a copy, with hidden content removed.

/** The copy, its html element, and the removed text, to be searched. */
interface VisibleCopy {
  readonly copy: HtmlPage;
  readonly html: DomElement;
  readonly hidden: HiddenText;
}

/** Copies the head too, for its styles; warnings of the copy are dropped. */
async function visibleCopy(page: HtmlPage, redactor: Redactor | undefined): Promise<VisibleCopy> {
  // Imported on demand with its CSS parser: models do not read most pages.
  const { removeHiddenText } = await loadModule(
    () => import('../../content/clean/hidden-text/remove-hidden-text.ts'),
  );
  const html = page.document.documentElement.cloneNode(true) as DomElement;
  let root: DomElement | undefined;
  for (let node = html.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && node.localName === page.root.localName) root = node;
  }
  root ??= page.root.cloneNode(true) as DomElement;
  const quirksMode = !/^\s*(?:<!--[^]{0,2000}?-->\s*|<\?[^>]{0,200}>\s*)?<!doctype html/i.test(
    page.source.slice(0, 3000),
  );
  const unseen = page.unseen && copyNodeSets(page.unseen, page.document.documentElement, html);
  const hidden = removeHiddenText(html, root, { quirksMode, unseen });
  // Hidden content no longer splits a value.
  if (redactor !== undefined) redactTree(root, redactor);
  return { copy: { ...page, root, warnings: [] }, html, hidden };
}

/** Maps the elements to their copies. */
function copyNodeSets(
  { hidden, faded, illegible }: UnseenNodes,
  original: DomElement,
  copy: DomElement,
): UnseenNodes {
  const copies = new Map<DomElement, DomElement>();
  const others = elementsOf(copy);
  for (const element of elementsOf(original)) {
    const other = others.next();
    if (other.done === true) break;
    copies.set(element, other.value);
  }
  const of = (elements: ReadonlySet<DomElement>): ReadonlySet<DomElement> =>
    new Set([...elements].flatMap((element) => copies.get(element) ?? []));
  return { hidden: of(hidden), faded: of(faded), illegible: of(illegible) };
}
