/** Tries recipes on a page, and makes its outline for a model that is to write one. */
import type { RecipeReading, RecipeWish } from '../formats/json/recipes/recipe-reading.ts';
import type { Page } from '../model/page.ts';
import { withoutUnseen } from '../text/unseen.ts';
import { findAttempts, withoutZeroWidth } from './model-text.ts';
import { seenCopy } from './seen-copy.ts';

/**
 * Reads the page as its readers see it, so that nothing hidden is a value. Undefined for a page that is
 * no HTML. `isHooked`: hooks may have changed the page, which is given as it is now.
 */
export async function readForRecipes(
  page: Page,
  { candidates, outline }: RecipeWish,
  isHooked: boolean,
): Promise<RecipeReading | undefined> {
  if (page.kind !== 'html') return undefined;
  const { trySchema } = await import('../formats/json/recipes/try-schema.ts');
  const { showingElements, templateNames, templateShape } =
    await import('../formats/json/recipes/template-names.ts');
  const { copy, html, hidden } = await seenCopy(page);
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
  const { pageOutline } = await import('../formats/json/recipes/page-outline.ts');
  const { html: seen, isShortened, dropped } = pageOutline(copy.root, showing, outline);
  const text = copy.root.textContent ?? '';
  const told = { ...hidden, words: [hidden.words, ...dropped].join('\n') };
  return {
    ...reading,
    outline: { html: withoutZeroWidth(withoutUnseen(seen)), isShortened },
    attempts: findAttempts(page, told, text.slice(0, 1_000_000)),
  };
}
