/** pdf: prints the page. */
import type { PdfOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';

export const pdf: ActionRun<PdfOptions> = async (
  page,
  { format = 'Letter', landscape = false, scale = 1 },
  _,
  outcome,
) => {
  const bytes = await page.pdf({ format, landscape, scale, printBackground: true });
  outcome.pdfs.push({ bytes, mediaType: 'application/pdf' });
};
