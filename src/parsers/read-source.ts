/** The text of a snapshot, as much of it as may be read. */
import type { Snapshot } from '../model/snapshot.ts';
import { decodeText } from '../text/decode.ts';
import type { TextKind } from '../text/text-kind.ts';
import type { ParseContext } from './parser.ts';

/** Text with what has to be told about it. */
export interface SourceText {
  readonly source: string;
  readonly warnings: string[];
}

/** Decodes the body and cuts it at `limits.text` characters. */
export async function readSource(
  { body, url }: Snapshot,
  { charset, limits }: ParseContext,
  kind: TextKind,
): Promise<SourceText> {
  const text = await decodeText(body, charset, kind, url);
  if (text.length <= limits.text) return { source: text, warnings: [] };
  const last = text.charCodeAt(limits.text - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return {
    source: text.slice(0, isHalf ? limits.text - 1 : limits.text),
    warnings: [
      `The page has more than ${limits.text} characters; the rest was cut off. Raise limits.text to read it.`,
    ],
  };
}
