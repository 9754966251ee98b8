/** A page that is not a tree. */
import type { TextPage } from '../model/page.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ParseContext } from './parser.ts';

/** Makes the page of a snapshot from its text and the markdown of it. */
export function textPage(
  { url, statusCode }: Snapshot,
  { mediaType }: ParseContext,
  { source, markdown, warnings = [] }: Pick<TextPage, 'source' | 'markdown'> & Partial<TextPage>,
): TextPage {
  return { kind: 'text', url, baseUrl: url, statusCode, mediaType, source, markdown, warnings };
}
