/** Bullets and numbers at the beginning of a line, written or drawn. */
import { type Box, boxAround, type Segment, type Shape, type TextRun } from './geometry.ts';
import { isCodeLine, isRightToLeft } from './line-text.ts';

/** How an entry of a list begins. */
export interface ListMarker {
  /** Its number; undefined for a bullet. */
  readonly number: number | undefined;
  /** Where bullet or number is, and where its text begins. */
  readonly left: number;
  readonly textLeft: number;
  /** The line without it. */
  readonly runs: readonly TextRun[];
}

const bullet = /^[•‣⁃▪▫■□●○◦◆◇◻◼⧫⬥⬧❍❏-❒❖☐-☒✓-✘➔➘➢➤·∙\uf021-\uf0ff–—*-]$/u;

const numbered = /^(?:\(?(\d{1,3})[.)]|\(([a-z])\)|([a-z])\))$/;

const bulletStart = /^([•‣⁃▪▫■□●○◦◆◇◻◼⧫⬥⬧❍❏-❒❖☐-☒✓-✘➔➘➢➤∙\uf0b7\uf0a7\uf0d8\uf0fc])\s*(?=\S)/u;

const dashStart = /^([-–*·])\s+(?=\S)/;

const numberStart = /^(?:\(?(\d{1,3})[.)]|\(([a-z])\)|([a-z])\))\s+(?=\S)/;

/** The marker of a line, and the line after it; undefined where it begins otherwise. */
export function listMarker(line: Segment): ListMarker | undefined {
  return writtenMarker(line) ?? drawnMarker(line);
}

function drawnMarker({ bullet: box, left, right, runs }: Segment): ListMarker | undefined {
  if (box === undefined) return undefined;
  const places = box.left > right ? [-box.right, -right] : [box.left, left];
  return { number: undefined, left: places[0] ?? 0, textLeft: places[1] ?? 0, runs };
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
        runs: sorted.slice(1),
      };
    }
  }
  const mark = bulletStart.exec(text) ?? dashStart.exec(text);
  const found = mark === null ? numberStart.exec(text) : null;
  const length = (mark ?? found)?.[0].length;
  if (length === undefined) return undefined;
  const textLeft = first.left + ((first.right - first.left) * length) / text.length;
  const rest = { ...first, text: text.slice(length), left: textLeft };
  return { number: numberOf(found), left: first.left, textLeft, runs: [rest, ...sorted.slice(1)] };
}

/** Word writes the bullets of inner lists as an `o` in a typewriter font. */
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

/** A part of a line that is nothing but a bullet or a number. */
export function isLoneMarker({ runs }: Segment): boolean {
  const text = runs
    .map((run) => run.text)
    .join('')
    .trim();
  return bullet.test(text) || numbered.test(text);
}

// Bullets that a page draws as shapes or pictures: small, before a line, and like each other.

/** In heights of the font: how large a bullet is, and how far before its line. */
const maxBulletSize = 1.1;

const minBulletSize = 0.15;

const bulletReach = 3;

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
    if (shape.bottom - shape.top < maxBulletSize * size) beside.push(shape);
  }
  // Frames around code have corners.
  const far = isCodeLine(line) ? 1 : bulletReach;
  const found = beside.filter(({ left, right }) => {
    const gap = isMirrored ? left - line.right : line.left - right;
    return gap > touching * size && gap < far * size;
  });
  if (found.length === 0) return { found, box: undefined };
  const box = { ...boxAround(found), isGlyph: found.some(({ isGlyph }) => isGlyph) };
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const isSquare = height < width * mostOblong && width < height * mostOblong;
  const isSmall = width > minBulletSize * size && width < maxBulletSize * size;
  // The samples of a legend, or boxes to tick, stand within the line as well.
  const inside = beside.filter(({ left, right }) => left > line.left && right < line.right);
  const isOne = !inside.some((shape) => areAlike(shape, box));
  return {
    found,
    box: isSmall && isOne && (isSquare || height < minBulletSize * size) ? box : undefined,
  };
}

/**
 * Most shapes of a bullet's size are bullets: those of a chart stand elsewhere too. A dash, or a glyph that
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
  if (box.isGlyph !== true && box.bottom - box.top > minBulletSize * line.size) return true;
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
