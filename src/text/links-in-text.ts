/** Links in plain text and markdown. */

/** A link as the text has it. */
export interface TextLink {
  /** As written: absolute, or relative in a markdown link. */
  readonly href: string;
  /** The words of a markdown link. */
  readonly text?: string;
}

/**
 * Bare http(s) URLs without the punctuation around them, in document order. With `markdown` also
 * `[text](href)` and `[label]: href`; images are no links.
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

/** No alternative can give back what another took, so the time is linear in the text. */
const target = String.raw`\(\s{0,9}<?(?<href>[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*){0,9})`;
const markdownLink = [
  String.raw`(?<image>!\[[^\[\]]{0,999}\]\([^\s()<>]*)`,
  String.raw`\[(?<words>[^\[\]]{0,999})\]${target}`,
  String.raw`^ {0,3}\[[^\[\]]{1,999}\]:[ \t]{1,9}<?(?<definition>[^\s<>]+)`,
].join('|');

/** In a list of URLs without spaces (CSV), a comma before the next one ends the first. */
const bareUrl = String.raw`(?<bare>\bhttps?:\/\/(?:(?!,https?:)[^\s<>"\`{}|\\^])+)`;

function bareUrls(): RegExp {
  return new RegExp(bareUrl, 'gi');
}

/** What ends a sentence or closes a bracket that was opened before the URL is not part of it. */
function withoutPunctuation(url: string): string {
  let end = url.length;
  // Counted once: a URL of brackets alone must not be counted again for each of them.
  let unopened = count(url, ')') - count(url, '(');
  for (; end > 0; end--) {
    const last = url[end - 1] ?? '';
    if (last === ')' && unopened > 0) unopened--;
    else if (!/[.,;:!?'*\]]/.test(last)) break;
  }
  return url.slice(0, end);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
