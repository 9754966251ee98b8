/** Mozilla's Readability, the reader view of Firefox. */
import { parseWithLinkedom } from '../../../html/parse-with-linkedom.ts';
import type { MainContentExtractor } from '../../../model/page.ts';

/** Its content is without the title of the page, which is in the metadata. */
export const readability: MainContentExtractor = async ({ html, url }) => {
  const { Readability } = await import('@mozilla/readability');
  const document = await parseWithLinkedom(html, url);
  const content = new Readability(document as unknown as Document).parse()?.content;
  // Its own id would be taken for one of the page.
  return content?.replace(' id="readability-page-1"', '');
};
