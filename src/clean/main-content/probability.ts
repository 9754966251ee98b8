/** How likely paragraphs belong to the main content. */
import { compileTrees, type TreeSum } from './decision-trees.ts';
import { FeatureRow } from './feature-row.ts';
import { readFeatures, readNextFeatures } from './features.ts';
import { model } from './model.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

const row: FeatureRow = new FeatureRow();
let sumOfTrees: TreeSum | undefined;

/** Of each of these paragraphs of a page a probability, 0 to 1. */
export function probabilitiesOf(paragraphs: readonly Paragraph[], page: MeasuredPage): number[] {
  return paragraphs.map((paragraph, index) => {
    if (index === 0) readFeatures(row, paragraph, page);
    else readNextFeatures(row, paragraph, page);
    // At the first page, not at import: it takes some milliseconds.
    sumOfTrees ??= compileTrees(model, row.names);
    return 1 / (1 + Math.exp(-sumOfTrees(row.values)));
  });
}
