/** Bullets and numbers at the beginning of a line. */
import type { Segment, TextRun } from './geometry.ts';

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
  if (first === undefined || first.raised !== undefined) return undefined;
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
