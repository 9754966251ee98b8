/** Mozilla's Readability, the reader view of Firefox. */
import { parseWithLinkedom } from '../../../html/parse-with-linkedom.ts';
import { loadModule } from '../../../../core/runtime/load-module.ts';
import type { MainContentExtractor } from '../../../../core/model/page.ts';

/** The content has no page title; the metadata has it. */
export const readability: MainContentExtractor = async ({ html, url }) => {
  const { Readability } = await loadModule(() => import('@mozilla/readability'));
  const document = await parseWithLinkedom(html, url);
  const content = new Readability(document as unknown as Document).parse()?.content;
  // Readability's own id would be mistaken for one of the page.
  return content?.replace(' id="readability-page-1"', '');
};
