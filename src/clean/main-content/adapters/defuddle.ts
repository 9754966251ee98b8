/** Defuddle, the extractor of Obsidian's web clipper. */
import type { DomDocument } from '../../../html/dom.ts';
import { parseWithLinkedom } from '../../../html/parse-with-linkedom.ts';
import type { MainContentExtractor } from '../../../model/page.ts';

/** Its content is without the title of the page, which is in the metadata. */
export const defuddle: MainContentExtractor = async ({ html, url }) => {
  const { Defuddle } = await import('defuddle/node');
  const document = await parseWithLinkedom(html, url);
  removeBrokenJsonLd(document);
  // It would ask sites of its own choice for what a page lacks, past the network policy.
  const { content } = await Defuddle(document as unknown as Document, url, { useAsync: false });
  return content;
};

/** Defuddle writes to the console about each that it cannot read. */
function removeBrokenJsonLd(document: DomDocument): void {
  for (const script of [...document.querySelectorAll('script[type="application/ld+json"]')]) {
    if (!isJsonObject(script.textContent ?? '')) script.remove();
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
