/** What a reader sees of a line of markdown. */
import { oneLine } from './one-line.ts';

/**
 * The words of inline markdown on one line: texts of links and pictures, no targets, no marks.
 * Linear in the length of the text.
 */
export function markdownWords(markdown: string): string {
  let words = '';
  let end = 0;
  for (const { 0: mark, index } of markdown.matchAll(marks)) {
    words += markdown.slice(end, index);
    end = index + mark.length;
    words += shownInstead(mark, markdown[index - 1] ?? ' ', markdown[end] ?? ' ');
  }
  words += markdown.slice(end);
  return oneLine(words);
}

/** Lengths are bounded and no character fits two parts, so that the time is linear. */
const target = String.raw`\((?:[^\s()<>\\]|\\.|\([^\s()<>]{0,500}\)){0,2000}(?:\s"(?:[^"\\]|\\.){0,1000}")?\)`;

const marks = new RegExp(
  [
    String.raw`\\[!-/:-@[-\`{-~]`,
    String.raw`\`[^\`\n]{1,1000}\``,
    String.raw`&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});`,
    String.raw`<\/?[a-z][^<>]{0,2000}>`,
    String.raw`\](?:${target})?`,
    String.raw`!?\[(?:\^[^\s\]]{1,50}\])?`,
    String.raw`\*+|_+|~~|\`+`,
  ].join('|'),
  'gi',
);

/** What is shown in the place of a mark: of escapes the character, of code the code. */
function shownInstead(mark: string, before: string, after: string): string {
  if (mark.startsWith('\\')) return mark.slice(1);
  if (/^`[^`]/.test(mark)) return mark.slice(1, -1);
  if (mark.startsWith('&')) return referenced(mark);
  if (/^<(?:https?|mailto):/i.test(mark)) return mark.slice(1, -1);
  if (/^<(?:br|p|div|li)\b/i.test(mark)) return ' ';
  const isInside = /^_/.test(mark) && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  const isApart = /^[*_]/.test(mark) && before.trim() === '' && after.trim() === '';
  return isInside || isApart ? mark : '';
}

/** Those that stand for markup; all others are characters in markdown. */
const named: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
};

function referenced(reference: string): string {
  const [, hexadecimal, digits] = /^&#(x?)([\da-f]+);$/i.exec(reference) ?? [];
  if (digits === undefined) return named[reference.toLowerCase()] ?? reference;
  const code = Number.parseInt(digits, hexadecimal === '' ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
}
