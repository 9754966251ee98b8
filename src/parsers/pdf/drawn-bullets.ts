/** Bullets that a page draws as shapes or pictures: small, before a line, and like each other. */
import { isCodeLine } from './code-text.ts';
import { type Box, boxAround, type Segment, type Shape } from './geometry.ts';
import { isRightToLeft } from './line-text.ts';

/** In heights of the font: how large a bullet is, and how far before its line. */
const most = 1.1;
const least = 0.15;
const reach = 3;
const touching = 0.05;
/** In heights of the font above the line that letters stand on: where the middle of a bullet is. */
const highest = 0.6;
const lowest = 0.1;
/** How much longer one side of a bullet may be: that of a check mark is. Only a dash is thin. */
const mostOblong = 1.4;

/** The bullet of each line that has one. */
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

/** The shapes right before a line, and what they are together; `sorted` are all, from the top. */
function shapesBefore(
  line: Segment,
  sorted: readonly Shape[],
): { readonly found: readonly Shape[]; readonly box: Shape | undefined } {
  const { size, baseline } = line;
  const isMirrored = isRightToLeft(line.runs);
  const beside: Shape[] = [];
  for (let at = firstBelow(sorted, baseline - highest * size); at < sorted.length; at += 1) {
    const shape = sorted[at];
    if (shape === undefined || middleOf(shape) > baseline - lowest * size) break;
    if (shape.bottom - shape.top < most * size) beside.push(shape);
  }
  // Frames around code have corners.
  const far = isCodeLine(line) ? 1 : reach;
  const found = beside.filter(({ left, right }) => {
    const gap = isMirrored ? left - line.right : line.left - right;
    return gap > touching * size && gap < far * size;
  });
  if (found.length === 0) return { found, box: undefined };
  const box = { ...boxAround(found), isSign: found.some(({ isSign }) => isSign) };
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const isSquare = height < width * mostOblong && width < height * mostOblong;
  const isSmall = width > least * size && width < most * size;
  // The samples of a legend, or boxes to tick, stand within the line as well.
  const inside = beside.filter(({ left, right }) => left > line.left && right < line.right);
  const isOne = !inside.some((shape) => areAlike(shape, box));
  return { found, box: isSmall && isOne && (isSquare || height < least * size) ? box : undefined };
}

/**
 * Most shapes of a bullet's size are bullets: those of a chart stand elsewhere too. A dash, or a sign that
 * has no name, may be part of anything: there are others below each other.
 */
function isBullet(
  box: Shape,
  line: Segment,
  all: readonly (readonly [Segment, Shape])[],
  { shapes, before }: { readonly shapes: readonly Shape[]; readonly before: ReadonlySet<Shape> },
): boolean {
  const alike = shapes.filter((shape) => areAlike(shape, box));
  if (alike.filter((shape) => before.has(shape)).length * 2 < alike.length) return false;
  if (box.isSign !== true && box.bottom - box.top > least * line.size) return true;
  return (
    line.runs.some(({ text }) => /\p{L}/u.test(text)) &&
    all.some(
      ([other, its]) =>
        other !== line && areAlike(its, box) && Math.abs(its.left - box.left) < tolerance,
    )
  );
}

/** The first of the shapes whose middle is no higher. */
function firstBelow(sorted: readonly Shape[], y: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const at = (low + high) >> 1;
    const shape = sorted[at];
    if (shape !== undefined && middleOf(shape) < y) low = at + 1;
    else high = at;
  }
  return low;
}

function middleOf({ top, bottom }: Box): number {
  return (top + bottom) / 2;
}

/** Points. */
const tolerance = 1;

function areAlike(a: Box, b: Box): boolean {
  return (
    Math.abs(a.right - a.left - b.right + b.left) < tolerance &&
    Math.abs(a.bottom - a.top - b.bottom + b.top) < tolerance
  );
}
