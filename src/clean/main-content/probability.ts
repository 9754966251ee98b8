/** How likely a paragraph belongs to the main content. */
import { compileTrees, type TreeSum } from './decision-trees.ts';
import { type Feature, features } from './features.ts';
import { model } from './model.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

const used: readonly Feature[] = model.features.map((name) => features[name] as Feature);

let sumOfTrees: TreeSum | undefined;

/** A probability, 0 to 1. */
export function probabilityOf(paragraph: Paragraph, page: MeasuredPage): number {
  // At the first page, not at import: it takes some milliseconds.
  sumOfTrees ??= compileTrees(model);
  const values = used.map((feature) => feature(paragraph, page));
  return 1 / (1 + Math.exp(-sumOfTrees(values)));
}
