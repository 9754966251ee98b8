/** Rules of pictures and players: `img`, `video`, `audio`, `iframe`, `embed`, `object`, and the texts in an `svg`. */
import { type DomElement, findElement, isElement, nextNode } from '../../html/dom.ts';
import { blockElements } from '../../html/tags.ts';
import { withoutInvisible } from '../../text/plain-text.ts';
import type { Emitter, MarkdownRule } from '../emitter.ts';
import { escapePieces } from '../escape.ts';
import { linkTarget } from '../serialize-run.ts';

/**
 * `![alt](absolute URL "title")`; without a source the alternative text. Pictures of emoji become characters.
 * A picture without text is written once, however often it occurs.
 */
export const image: MarkdownRule = (element, out) => {
  const alt = readAlt(element);
  if (isEmoji(element, alt)) {
    out.run.text(alt);
    return;
  }
  const { images = 'inline' } = out.style;
  if (images !== 'inline') {
    if (images === 'alt' && alt !== '') out.run.alt(alt);
    return;
  }
  const source = out.urls.source(element.getAttribute('src'));
  if (source === undefined) {
    if (alt !== '') out.run.text(alt);
    return;
  }
  const title = titleOfImage(element, alt);
  const isNew = out.urls.isNewSource(source);
  if (isNew || alt !== '' || title !== '')
    out.run.raw(`![${escapedAlt(alt)}](${linkTarget(source, title)})`);
};

/** The alternative text of the picture. */
function readAlt(element: DomElement): string {
  // The label of a button describes its action.
  const label = element.hasAttribute('role') ? null : element.getAttribute('aria-label');
  const words = withoutInvisible(element.getAttribute('alt') ?? label ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return noWords.test(words) ? '' : words;
}

/** Alternative text of dots and dashes, or the name of the file. */
const noWords = /^(?:[.…_–—-]+|[^\s.]+\.(?:avif|gif|heic|jpe?g|png|svg|webp))$/i;

/** True for pictures of single characters, which are written as those characters. */
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

function titleOfImage(element: DomElement, alt: string): string {
  const title = element.getAttribute('title') ?? '';
  return title === alt ? '' : title;
}

/**
 * Alternative text is inline content: brackets are escaped as in link text. Later text of the paragraph may
 * close a tag or a code span, so `<` and backticks are always escaped.
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

// `video`, `audio`, `iframe`, `embed`, `object`.

/** A link to the embedded content. Frames too small to be seen are dropped. */
export const media: MarkdownRule = (element, out) => {
  const url = sourceOfPlayer(element, out);
  if (url === undefined || !/^https?:/i.test(url)) {
    // Without a source, an `object` renders its content.
    if (element.localName === 'object') out.children(element);
    return;
  }
  if (element.localName === 'iframe' && isInvisible(element)) return;
  out.run.wrap({ kind: 'link', url, title: '' }, () => out.run.text(nameOfPlayer(element, url)));
};

function sourceOfPlayer(element: DomElement, out: Emitter): string | undefined {
  const own = element.getAttribute(element.localName === 'object' ? 'data' : 'src');
  if (own !== null) return out.urls.source(own);
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child) && child.localName === 'source') {
      return out.urls.source(child.getAttribute('src'));
    }
  }
  return undefined;
}

function isInvisible(frame: DomElement): boolean {
  const isTiny = (size: string | null): boolean =>
    size !== null && /^\s*[01](?:px)?\s*$/.test(size);
  return (
    isTiny(frame.getAttribute('width')) ||
    isTiny(frame.getAttribute('height')) ||
    /display:\s*none|visibility:\s*hidden/.test(frame.getAttribute('style') ?? '')
  );
}

/** The page's name for the player, or its kind; for a frame its host. */
function nameOfPlayer(element: DomElement, url: string): string {
  const name = element.getAttribute('title') ?? element.getAttribute('aria-label') ?? '';
  if (name.trim() !== '') return name;
  if (element.localName === 'video') return 'Video';
  if (element.localName === 'audio') return 'Audio';
  return /^https?:\/\/(?:www\.)?([^/?#]+)/i.exec(url)?.[1] ?? url;
}

// `svg`.

/**
 * The HTML in its `foreignObject` elements, where diagrams have their labels: line by line, from left to
 * right. `<text>` elements are part of the picture and dropped with it.
 */
export const drawingText: MarkdownRule = (svg, out) => {
  const labels = labelsOf(svg);
  const [only] = labels;
  if (only !== undefined && labels.length === 1 && !hasBlocks(only)) {
    out.children(only);
  } else {
    for (const label of labels) out.paragraph(label);
  }
};

/** The origin and the scale of an element's coordinates. */
interface DrawingFrame {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

interface DrawingLabel {
  readonly element: DomElement;
  /** The coordinates of its middle. */
  readonly x: number;
  readonly y: number;
}

const lineTolerance = 8; // units of the drawing between the middles of labels on one line

/** Labels in reading order; in document order if the SVG gives no positions. */
function labelsOf(svg: DomElement): DomElement[] {
  const frames = new Map<DomElement | null, DrawingFrame>();
  const labels: DrawingLabel[] = [];
  for (let node = nextNode(svg, svg); node !== null;) {
    let skip = false;
    if (isElement(node)) {
      const name = node.localName.toLowerCase();
      const isLabel = name === 'foreignobject';
      skip = isLabel || undrawn.has(name) || isUndrawn(node);
      const frame = frameOf(node, frames.get(node.parentElement) ?? origin);
      if (!skip) frames.set(node, frame);
      else if (isLabel && !isUndrawn(node)) labels.push(labelOf(node, frame));
    }
    node = nextNode(node, svg, skip);
  }
  labels.sort((a, b) => a.y - b.y);
  return linesOf(labels).flatMap((line) =>
    line.sort((a, b) => a.x - b.x).map(({ element }) => element),
  );
}

function linesOf(labels: readonly DrawingLabel[]): DrawingLabel[][] {
  const lines: DrawingLabel[][] = [];
  let top = -Infinity;
  for (const label of labels) {
    const line = lines.at(-1);
    if (line !== undefined && label.y - top <= lineTolerance) {
      line.push(label);
    } else {
      lines.push([label]);
      top = label.y;
    }
  }
  return lines;
}

const origin: DrawingFrame = { x: 0, y: 0, scaleX: 1, scaleY: 1 };

/** Elements that are only drawn where referenced. */
const undrawn: ReadonlySet<string> = new Set(
  'clippath defs lineargradient marker mask metadata pattern radialgradient symbol'.split(' '),
);

function isUndrawn(element: DomElement): boolean {
  return (
    element.getAttribute('display') === 'none' || element.getAttribute('visibility') === 'hidden'
  );
}

/** Ignores rotation, which does not move a group's origin. */
function frameOf(element: DomElement, around: DrawingFrame): DrawingFrame {
  let { x, y, scaleX, scaleY } = around;
  const move = (right: number, down: number): void => {
    x += right * scaleX;
    y += down * scaleY;
  };
  const transform = (element.getAttribute('transform') ?? '').slice(0, 500);
  for (const [, name = '', list = ''] of transform.matchAll(/([a-z]+)\s*\(([^()]*)\)/gi)) {
    const values = list
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const [first = 0, second] = values;
    if (!values.every(Number.isFinite)) continue;
    if (name === 'translate') {
      move(first, second ?? 0);
    } else if (name === 'scale') {
      scaleX *= first;
      scaleY *= second ?? first;
    } else if (name === 'matrix') {
      const [, , , down = 1, right = 0, below = 0] = values;
      move(right, below);
      scaleX *= first;
      scaleY *= down;
    }
  }
  move(lengthOf(element, 'x'), lengthOf(element, 'y'));
  return { x, y, scaleX, scaleY };
}

/** Some editors let a label fill the drawing and move the box inside by its margins. */
function labelOf(element: DomElement, { x, y, scaleX, scaleY }: DrawingFrame): DrawingLabel {
  const style = element.firstElementChild?.getAttribute('style') ?? '';
  const right =
    pixelsOf(style, 'margin-left') + (lengthOf(element, 'width') || pixelsOf(style, 'width')) / 2;
  const down = pixelsOf(style, 'padding-top') + lengthOf(element, 'height') / 2;
  return { element, x: x + right * scaleX, y: y + down * scaleY };
}

/** A length in user units; 0 if it is missing or a percentage. */
function lengthOf(element: DomElement, name: string): number {
  const [, digits = '0'] =
    /^\s*(-?\d{1,9}(?:\.\d{1,9})?)(?:px)?\s*$/.exec(element.getAttribute(name) ?? '') ?? [];
  return Number(digits);
}

function pixelsOf(style: string, property: string): number {
  const [, digits = '0'] =
    new RegExp(`(?:^|[;\\s])${property}\\s*:\\s*(-?\\d{1,9}(?:\\.\\d{1,9})?)px`).exec(style) ?? [];
  return Number(digits);
}

function hasBlocks(label: DomElement): boolean {
  const isBlock = ({ localName }: DomElement): boolean =>
    blockElements.has(localName) || localName === 'br';
  return [...label.children].some((child) => findElement(child, isBlock) !== undefined);
}
