/** Makes text pages: the text of a snapshot within its limits, and fenced code blocks. */
import type { TextPage } from '../../core/model/page.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { decodeKnown } from '../text/decode.ts';
import type { TextKind } from '../text/decode-by-encoding.ts';
import type { ParseContext } from './parser.ts';

/** Makes the page of a snapshot from its text and its markdown. */
export function textPage(
  { url, statusCode }: Snapshot,
  { mediaType }: ParseContext,
  { source, markdown, warnings = [] }: Pick<TextPage, 'source' | 'markdown'> & Partial<TextPage>,
): TextPage {
  return { kind: 'text', url, baseUrl: url, statusCode, mediaType, source, markdown, warnings };
}

// The text of a snapshot, up to the limit.

/** A text with its warnings. */
export interface SourceText {
  readonly source: string;
  readonly warnings: string[];
  /** Its name in lower case. */
  readonly encoding: string;
}

/** Decodes the body and cuts it at `limits.text` characters. */
export async function readSource(
  { body, url }: Snapshot,
  { charset, limits }: ParseContext,
  kind: TextKind,
): Promise<SourceText> {
  const { text, encoding } = await decodeKnown(body, charset, kind, url);
  if (text.length <= limits.text) return { source: text, warnings: [], encoding };
  const last = text.charCodeAt(limits.text - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return {
    encoding,
    source: text.slice(0, isHalf ? limits.text - 1 : limits.text),
    warnings: [
      `The page has more than ${limits.text} characters; the rest was cut off. Raise limits.text to read it.`,
    ],
  };
}

// A text as a fenced code block that its content cannot end.

/** ```` ```language ````; with a longer fence where the text has one. No text gives no block. */
export function fence(text: string, language: string): string {
  if (text.trim() === '') return '';
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${text.replace(/\r?\n$/, '')}\n${marks}`;
}
