/** The summary format: what a page is about, in a few of its own sentences. */
import type { Format } from '../format.ts';

/**
 * Three to five sentences of the page's prose, 120 words at most, in their order; of a short page
 * its text. Works in every language, without a model: `metadata.summaryMethod` is `extractive`.
 * Empty, with a warning, for a page without prose.
 */
export const summary: Format<'summary', string, undefined> = {
  name: 'summary',
  needs: 'content',
  async run(page) {
    const { summarize } = await import('./summarize.ts');
    const text = summarize(page);
    // An empty response was told by its parser.
    if (text === '' && /\S/.test(page.source) && !page.warnings.includes(nothingToSumUp)) {
      page.warnings.push(nothingToSumUp);
    }
    return text;
  },
};

const nothingToSumUp = 'The page has no text that a summary could be made of.';
