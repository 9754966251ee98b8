/** Defuddle, the extractor of Obsidian's web clipper. */
import type { DomDocument } from '../../../html/dom.ts';
import { parseWithLinkedom } from '../../../html/parse-with-linkedom.ts';
import { loadModule } from '../../../../core/runtime/load-module.ts';
import type { MainContentExtractor } from '../../../../core/model/page.ts';

/** The content has no page title; the metadata has it. */
export const defuddle: MainContentExtractor = async ({ html, url }) => {
  const { Defuddle } = await loadModule(() => import('defuddle/node'));
  const document = await parseWithLinkedom(html, url);
  removeBrokenJsonLd(document);
  // `useAsync` would fetch from third parties, past the network policy.
  const { content } = await Defuddle(document as unknown as Document, url, { useAsync: false });
  return content;
};

/** Defuddle writes to the console about each script that it cannot parse. */
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
