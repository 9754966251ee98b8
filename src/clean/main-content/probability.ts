/** How likely a paragraph belongs to the main content. */
import { compileTrees, type TreeSum } from './decision-trees.ts';
import { FeatureRow } from './feature-row.ts';
import { readFeatures } from './features.ts';
import { model } from './model.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

const row: FeatureRow = new FeatureRow();
let sumOfTrees: TreeSum | undefined;

/** A probability, 0 to 1. */
export function probabilityOf(paragraph: Paragraph, page: MeasuredPage): number {
  readFeatures(row, paragraph, page);
  // At the first page, not at import: it takes some milliseconds.
  sumOfTrees ??= compileTrees(model, row.names);
  return 1 / (1 + Math.exp(-sumOfTrees(row.values)));
}
