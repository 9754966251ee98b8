/** HTML text to a tree that always has html, head and body, within limits of depth and size. */
import { Tokenizer } from 'htmlparser2';
import type { DomDocument } from './dom.ts';
import { TagReader } from './tag-reader.ts';
import { type ParseLimits, TreeBuilder } from './tree-builder.ts';

export type { ParseLimits } from './tree-builder.ts';

/**
 * Parses a whole page or a fragment, in time that is linear in its length.
 *
 * What is nested too deep is flattened, attributes beyond the limit are dropped: `warn` is told.
 * Throws `PARSE_LIMIT` when there are more nodes than allowed.
 */
export function parseHtml(
  source: string,
  limits: ParseLimits,
  warn: (message: string) => void = () => undefined,
): DomDocument {
  const builder = new TreeBuilder(limits);
  const tokenizer = new Tokenizer({}, new TagReader(source, builder));
  tokenizer.write(source);
  tokenizer.end();
  for (const warning of builder.warnings) warn(warning);
  return builder.document;
}
