/** Parses HTML text to a linkedom document, for packages that need a full DOM. */
import { loadModule } from '../../core/runtime/load-module.ts';
import type { DomDocument } from './dom.ts';

/**
 * Parses a whole document. Its URLs should be absolute: linkedom has no base of its own, and `url`
 * becomes its `documentURI` and `baseURI`.
 */
export async function parseWithLinkedom(html: string, url: string): Promise<DomDocument> {
  const { parseHTML } = await loadModule(() => import('linkedom'));
  const { document } = parseHTML(html) as { readonly document: DomDocument };
  Object.defineProperties(document, { documentURI: { value: url }, baseURI: { value: url } });
  return document;
}
