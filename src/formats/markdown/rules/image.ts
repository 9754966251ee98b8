/** `img`. */
import type { DomElement } from '../../../html/dom.ts';
import { escapePieces } from '../escape.ts';
import type { Rule } from '../emitter.ts';
import { linkTarget } from '../link-target.ts';
import { withoutUnseen } from '../../../text/unseen.ts';

/** `![alt](absolute URL "title")`; without a source the alternative text. Pictures of emoji are characters. */
export const image: Rule = (element, out) => {
  const alt = withoutUnseen(element.getAttribute('alt') ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (isEmoji(element, alt)) {
    out.run.text(alt);
    return;
  }
  const source = out.urls.source(element.getAttribute('src'));
  if (source === undefined) {
    if (alt !== '') out.run.text(alt);
    return;
  }
  out.run.raw(`![${escapedAlt(alt)}](${linkTarget(source, titleOf(element, alt))})`);
};

/** Pictures of single characters are those characters. */
function isEmoji(element: DomElement, alt: string): boolean {
  if (alt === '') return false;
  if (
    /^\p{Extended_Pictographic}[\p{Extended_Pictographic}\p{M}\p{Emoji_Modifier}\u200d]*$/u.test(
      alt,
    )
  )
    return true;
  return (
    element.hasAttribute('class') && /(?:^|\s)(?:emoji|wp-smiley)(?:\s|$)/.test(element.className)
  );
}

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
    isFootnote: () => false,
  });
  return pieces[1]?.text ?? '';
}
