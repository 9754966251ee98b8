/** `img`. */
import type { DomElement } from '../../../html/dom.ts';
import { escapePieces } from '../escape.ts';
import type { Rule } from '../emitter.ts';
import { linkTarget } from '../link-target.ts';
import { withoutUnseen } from '../../../text/unseen.ts';

/**
 * `![alt](absolute URL "title")`; without a source the alternative text. Pictures of emoji are
 * characters. One without words is written once, however often the page shows it.
 */
export const image: Rule = (element, out) => {
  const alt = readAlt(element);
  if (isEmoji(element, alt)) {
    out.run.text(alt);
    return;
  }
  const source = out.urls.source(element.getAttribute('src'));
  if (source === undefined) {
    if (alt !== '') out.run.text(alt);
    return;
  }
  const title = titleOf(element, alt);
  const isNew = out.urls.isNewSource(source);
  if (isNew || alt !== '' || title !== '')
    out.run.raw(`![${escapedAlt(alt)}](${linkTarget(source, title)})`);
};

/** What stands for the picture in words. */
function readAlt(element: DomElement): string {
  // The label of a button says what it does.
  const label = element.hasAttribute('role') ? null : element.getAttribute('aria-label');
  const words = withoutUnseen(element.getAttribute('alt') ?? label ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return noWords.test(words) ? '' : words;
}

/** Dots and dashes, or the name of the file. */
const noWords = /^(?:[.…_–—-]+|[^\s.]+\.(?:avif|gif|heic|jpe?g|png|svg|webp))$/i;

/** Pictures of single characters are those characters. */
function isEmoji(element: DomElement, alt: string): boolean {
  if (alt === '') return false;
  if (
    /^\p{Extended_Pictographic}[\p{Extended_Pictographic}\p{M}\p{Emoji_Modifier}\u200d]*$/u.test(
      alt,
    )
  )
    return true;
  if (emoticon.test(alt)) return true;
  return (
    element.hasAttribute('class') && /(?:^|\s)(?:emoji|wp-smiley)(?:\s|$)/.test(element.className)
  );
}

/** `:-)`, `:wink:` */
const emoticon = /^(?:[:;=]['-]?[()DPpOo|/\\[\]]|:[a-z][\w+-]*:)$/;

function titleOf(element: DomElement, alt: string): string {
  const title = element.getAttribute('title') ?? '';
  return title === alt ? '' : title;
}

/**
 * Alternative text is inline content: brackets in it are escaped as in the text of a link. What
 * follows in the paragraph may close a tag or a code span, so `<` and backticks always are.
 */
function escapedAlt(alt: string): string {
  if (!/[\\`*_[\]<&~!]/.test(alt)) return alt;
  const pieces = [
    { text: '[', role: 'linkOpen' as const, pair: 0 },
    { text: alt, role: 'text' as const, pair: 0 },
    { text: ']>', role: 'linkClose' as const, pair: 0 },
  ];
  escapePieces(pieces, {
    blockStart: false,
    itemStart: false,
    inCell: false,
    followsLink: true,
    isFootnote: () => false,
  });
  return pieces[1]?.text ?? '';
}
