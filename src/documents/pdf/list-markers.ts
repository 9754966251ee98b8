/** Finds bullets and numbers at the start of a line, written or drawn. */
import { firstIndex } from '../../core/runtime/first-index.ts';
import { type Box, boxAround, type Segment, type Shape, type TextRun } from './geometry.ts';
import { isCodeLine, isRightToLeft, joinedText } from './line-text.ts';

/** Bullets drawn as shapes, in multiples of the font size. */
const drawn = {
  maxSize: 1.1,
  minSize: 0.15,
  reach: 3, // distance from the line
  touching: 0.05,
  highest: 0.6, // middle of the bullet above the baseline
  lowest: 0.1,
  mostOblong: 1.4, // aspect ratio: a check mark. Only a dash is thinner
};

/** The marker of a list item. */
export interface ListMarker {
  /** Its number; undefined for a bullet. */
  readonly number: number | undefined;
  /** Left edges of the bullet or number, and of the item's text. */
  readonly left: number;
  readonly textLeft: number;
  /** The line without the marker. */
  readonly runs: readonly TextRun[];
}

const bullet = /^[•‣⁃▪▫■□●○◦◆◇◻◼⧫⬥⬧❍❏-❒❖☐-☒✓-✘➔➘➢➤·∙\uf021-\uf0ff–—*-]$/u;

const numbered = /^(?:\(?(\d{1,3})[.)]|\(([a-z])\)|([a-z])\))$/;

const bulletStart = /^([•‣⁃▪▫■□●○◦◆◇◻◼⧫⬥⬧❍❏-❒❖☐-☒✓-✘➔➘➢➤∙\uf0b7\uf0a7\uf0d8\uf0fc])\s*(?=\S)/u;

/** A check box has a state, so it is not only a bullet. */
const checkBox = /^[☐☑☒]/u;

const dashStart = /^([-–—*·])\s+(?=\S)/;

const numberStart = /^(?:\(?(\d{1,3})[.)]|\(([a-z])\)|([a-z])\))\s+(?=\S)/;

/** The marker of a line, with the rest of the line; undefined without a marker. */
export function listMarker(line: Segment): ListMarker | undefined {
  return writtenMarker(line) ?? drawnMarker(line);
}

function drawnMarker({ bullet: box, left, right, runs }: Segment): ListMarker | undefined {
  if (box === undefined) return undefined;
  const edges = box.left > right ? [-box.right, -right] : [box.left, left];
  return { number: undefined, left: edges[0] ?? 0, textLeft: edges[1] ?? 0, runs };
}

function writtenMarker(line: Segment): ListMarker | undefined {
  const sorted = [...line.runs].sort((a, b) => a.left - b.left);
  const [first, second] = sorted;
  if (first === undefined || first.verticalAlign !== undefined) return undefined;
  const text = first.text.trim();
  if (second !== undefined) {
    const found = numbered.exec(text);
    if (bullet.test(text) || found !== null || isInnerBullet(line)) {
      return {
        number: numberOf(found),
        left: first.left,
        textLeft: second.left,
        runs: checkBox.test(text) ? sorted : sorted.slice(1),
      };
    }
  }
  const mark = bulletStart.exec(text) ?? dashStart.exec(text);
  const found = mark === null ? numberStart.exec(text) : null;
  const length = (mark ?? found)?.[0].length;
  if (length === undefined) return undefined;
  const textLeft = first.left + ((first.right - first.left) * length) / text.length;
  const isBox = checkBox.test(text);
  const rest = isBox ? first : { ...first, text: text.slice(length), left: textLeft };
  return { number: numberOf(found), left: first.left, textLeft, runs: [rest, ...sorted.slice(1)] };
}

/** True for an `o` in a monospaced font, which Word writes as the bullet of inner lists. */
export function isInnerBullet({ runs }: Segment): boolean {
  if (!runs.some(({ text }) => text.trim() === 'o')) return false;
  const [first, second] = [...runs].sort((a, b) => a.left - b.left);
  if (first === undefined || second === undefined) return false;
  const isApart = second.left - first.right > first.size * 0.5;
  return first.text.trim() === 'o' && first.font.isMono && !second.font.isMono && isApart;
}

function numberOf(found: RegExpExecArray | null): number | undefined {
  if (found === null) return undefined;
  const letter = found[2] ?? found[3];
  return letter === undefined ? Number(found[1]) : letter.charCodeAt(0) - 96;
}

/** True for a segment that is only a bullet or a number. */
export function isLoneMarker({ runs }: Segment): boolean {
  const text = joinedText(runs);
  return bullet.test(text) || numbered.test(text);
}

// Bullets drawn as shapes or pictures: small, before a line, and similar to each other.

/** The drawn bullets, by line. */
export function drawnBullets(
  lines: readonly Segment[],
  shapes: readonly Shape[],
): ReadonlyMap<Segment, Box> {
  const bullets = new Map<Segment, Shape>();
  if (shapes.length === 0) return bullets;
  const before = new Set<Shape>();
  const sorted = [...shapes].sort((a, b) => middleOf(a) - middleOf(b));
  for (const line of lines) {
    const { found, box } = shapesBefore(line, sorted);
    if (box === undefined) continue;
    for (const shape of found) before.add(shape);
    bullets.set(line, box);
  }
  const all = [...bullets];
  for (const [line, box] of all) {
    if (!isBullet(box, line, all, { shapes, before })) bullets.delete(line);
  }
  return bullets;
}

/** The shapes right before a line, and their combined box; `sorted` are all shapes, from the top. */
function shapesBefore(
  line: Segment,
  sorted: readonly Shape[],
): { readonly found: readonly Shape[]; readonly box: Shape | undefined } {
  const { size, baseline } = line;
  const isMirrored = isRightToLeft(line.runs);
  const beside: Shape[] = [];
  const isLow = (shape: Shape | undefined): boolean =>
    shape === undefined || middleOf(shape) >= baseline - drawn.highest * size;
  const first = firstIndex(sorted.length, (at) => isLow(sorted[at]));
  for (let at = first; at < sorted.length; at += 1) {
    const shape = sorted[at];
    if (shape === undefined || middleOf(shape) > baseline - drawn.lowest * size) break;
    if (shape.bottom - shape.top < drawn.maxSize * size) beside.push(shape);
  }
  // Frames around code have corners.
  const far = isCodeLine(line) ? 1 : drawn.reach;
  const found = beside.filter(({ left, right }) => {
    const gap = isMirrored ? left - line.right : line.left - right;
    return gap > drawn.touching * size && gap < far * size;
  });
  if (found.length === 0) return { found, box: undefined };
  const box = { ...boxAround(found), isGlyph: found.some(({ isGlyph }) => isGlyph) };
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const isSquare = height < width * drawn.mostOblong && width < height * drawn.mostOblong;
  const isSmall = width > drawn.minSize * size && width < drawn.maxSize * size;
  // Legend symbols and check boxes also occur within a line.
  const inside = beside.filter(({ left, right }) => left > line.left && right < line.right);
  const isOne = !inside.some((shape) => areAlike(shape, box));
  return {
    found,
    box: isSmall && isOne && (isSquare || height < drawn.minSize * size) ? box : undefined,
  };
}

/**
 * Most shapes of a bullet's kind must be bullets: shapes of a chart occur elsewhere too. A dash or an unnamed
 * glyph may be part of anything, so it needs others aligned with it.
 */
function isBullet(
  box: Shape,
  line: Segment,
  all: readonly (readonly [Segment, Shape])[],
  { shapes, before }: { readonly shapes: readonly Shape[]; readonly before: ReadonlySet<Shape> },
): boolean {
  const alike = shapes.filter((shape) => areAlike(shape, box));
  if (alike.filter((shape) => before.has(shape)).length * 2 < alike.length) return false;
  if (box.isGlyph !== true && box.bottom - box.top > drawn.minSize * line.size) return true;
  return (
    line.runs.some(({ text }) => /\p{L}/u.test(text)) &&
    all.some(
      ([other, its]) =>
        other !== line && areAlike(its, box) && Math.abs(its.left - box.left) < tolerance,
    )
  );
}

function middleOf({ top, bottom }: Box): number {
  return (top + bottom) / 2;
}

const tolerance = 1; // points

function areAlike(a: Box, b: Box): boolean {
  return (
    Math.abs(a.right - a.left - b.right + b.left) < tolerance &&
    Math.abs(a.bottom - a.top - b.bottom + b.top) < tolerance
  );
}
