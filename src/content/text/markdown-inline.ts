/** Inline markdown: the visible words of a line, and the links in a text. */
import { oneLine } from './plain-text.ts';

/**
 * The words of inline markdown on one line: texts of links and pictures, no targets, no marks.
 * Linear in the length of the text.
 */
export function markdownWords(markdown: string): string {
  let words = '';
  let end = 0;
  for (const { 0: mark, index } of markdown.matchAll(markPattern)) {
    words += markdown.slice(end, index);
    end = index + mark.length;
    words += visibleText(mark, markdown[index - 1] ?? ' ', markdown[end] ?? ' ');
  }
  words += markdown.slice(end);
  return oneLine(words);
}

/** Lengths are bounded and the parts are disjoint, so that the time is linear. */
const targetPattern = String.raw`\((?:[^\s()<>\\]|\\.|\([^\s()<>]{0,500}\)){0,2000}(?:\s"(?:[^"\\]|\\.){0,1000}")?\)`;

const markPattern = new RegExp(
  [
    String.raw`\\[!-/:-@[-\`{-~]`,
    String.raw`\`[^\`\n]{1,1000}\``,
    String.raw`&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});`,
    String.raw`<\/?[a-z][^<>]{0,2000}>`,
    String.raw`\](?:${targetPattern})?`,
    String.raw`!?\[(?:\^[^\s\]]{1,50}\])?`,
    String.raw`\*+|_+|~~|\`+`,
  ].join('|'),
  'gi',
);

/** The visible text of a mark: for an escape the character, for code the code. */
function visibleText(mark: string, before: string, after: string): string {
  if (mark.startsWith('\\')) return mark.slice(1);
  if (/^`[^`]/.test(mark)) return mark.slice(1, -1);
  if (mark.startsWith('&')) return characterOfReference(mark);
  if (/^<(?:https?|mailto):/i.test(mark)) return mark.slice(1, -1);
  if (/^<(?:br|p|div|li)\b/i.test(mark)) return ' ';
  const isInside = /^_/.test(mark) && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  const isApart = /^[*_]/.test(mark) && before.trim() === '' && after.trim() === '';
  return isInside || isApart ? mark : '';
}

/** Entities for markup characters; all others are plain characters in markdown. */
const namedEntities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
};

function characterOfReference(reference: string): string {
  const [, hexadecimal, digits] = /^&#(x?)([\da-f]+);$/i.exec(reference) ?? [];
  if (digits === undefined) return namedEntities[reference.toLowerCase()] ?? reference;
  const code = Number.parseInt(digits, hexadecimal === '' ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
}

// Links in plain text and markdown.

/** A link as it is written in the text. */
export interface TextLink {
  /** The target as written: absolute, or relative in a markdown link. */
  readonly href: string;
  /** The words of a markdown link. */
  readonly text?: string;
}

/**
 * Bare http(s) URLs without the punctuation around them, in document order. With `markdown` also
 * `[text](href)` and `[label]: href`; images are left out.
 */
export function* linksInText(
  text: string,
  options: { readonly markdown: boolean },
): Generator<TextLink, void, undefined> {
  const pattern = options.markdown ? new RegExp(`${markdownLink}|${bareUrl}`, 'gim') : bareUrls();
  for (const match of text.matchAll(pattern)) {
    const { image, words, href, definition, bare } = match.groups ?? {};
    if (image !== undefined) continue;
    if (href !== undefined) {
      // In code, `list[0](x)` is a call.
      if (/[/.?:]/.test(href)) yield words?.trim() ? { href, text: words.trim() } : { href };
    } else if (definition !== undefined) yield { href: definition };
    else if (bare !== undefined) {
      const trimmed = withoutPunctuation(bare);
      if (/^https?:\/\/[^/]/i.test(trimmed)) yield { href: trimmed };
    }
  }
}

/** The alternatives are disjoint and cannot backtrack, so the time is linear in the text. */
const linkTargetPattern = String.raw`\(\s{0,9}<?(?<href>[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*){0,9})`;

const markdownLink = [
  String.raw`(?<image>!\[[^\[\]]{0,999}\]\([^\s()<>]*)`,
  String.raw`\[(?<words>[^\[\]]{0,999})\]${linkTargetPattern}`,
  String.raw`^ {0,3}\[[^\[\]]{1,999}\]:[ \t]{1,9}<?(?<definition>[^\s<>]+)`,
].join('|');

/** In a list of URLs without spaces (CSV), a comma before the next one ends the first. */
const bareUrl = String.raw`(?<bare>\bhttps?:\/\/(?:(?!,https?:)[^\s<>"\`{}|\\^])+)`;

function bareUrls(): RegExp {
  return new RegExp(bareUrl, 'gi');
}

/** Removes closing punctuation, and the end of a bracket opened before the URL. */
function withoutPunctuation(url: string): string {
  let end = url.length;
  // Counted once: a URL of brackets alone must not be counted again for each bracket.
  let unopened = countCharacter(url, ')') - countCharacter(url, '(');
  for (; end > 0; end--) {
    const last = url[end - 1] ?? '';
    if (last === ')' && unopened > 0) unopened--;
    else if (!/[.,;:!?'*\]]/.test(last)) break;
  }
  return url.slice(0, end);
}

function countCharacter(text: string, character: string): number {
  return text.split(character).length - 1;
}
