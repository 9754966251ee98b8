/** Words that a file writes in pieces: accents drawn over their letters, letters that are moved or turned. */
import { accented, accents } from './clean-text.ts';
import type { RawRun } from './text-runs.ts';

/** The runs of a page, in the file's order, with accents on their letters and logos on their line. */
export function withWholeWords(runs: readonly RawRun[]): RawRun[] {
  const whole = [...runs];
  for (let at = 1; at < whole.length; at += 1) {
    const [before, run, next] = [whole[at - 1], whole[at], whole[at + 1]];
    if (before === undefined || run === undefined) continue;
    const upright = uprightLetter(before, run);
    if (upright !== undefined) {
      whole[at] = upright;
      const isWithin = next !== undefined && upright.text.length === 1 && isTight(upright, next);
      if (isWithin) whole[at + 1] = { ...next, afterSpace: false };
      continue;
    }
    if (before.angle !== run.angle) continue;
    if (next !== undefined && isSetInto(before, run, next)) {
      whole[at] = { ...run, baseline: before.baseline, size: before.size, afterSpace: false };
      whole[at + 1] = { ...next, afterSpace: false };
      continue;
    }
    const accent = before.text.slice(-1);
    const letter = run.text.slice(0, 1);
    if (!accents.has(accent) || !/[A-Za-zıȷ]/.test(letter) || !isOver(before, run)) continue;
    const joined = accented(accent, letter) + run.text.slice(1);
    whole[at] = { ...run, text: joined, afterSpace: before.text === accent && before.afterSpace };
    whole[at - 1] = { ...before, text: before.text.slice(0, -1), right: run.left };
  }
  return whole.filter(({ text }) => text !== '');
}

/** True when the last sign of a run is above the first one of the next. */
function isOver(accent: RawRun, run: RawRun): boolean {
  return (
    Math.abs(accent.baseline - run.baseline) < run.size * 0.4 &&
    accent.right - run.left > run.size * 0.1 &&
    accent.right - run.left < run.size &&
    (accent.text.length > 1 || accent.left > run.left - run.size * 0.2)
  );
}

/** The E of TeX: a letter or two below or above the line, between letters that are moved up to it. */
function isSetInto(before: RawRun, run: RawRun, next: RawRun): boolean {
  const { size } = before;
  const shift = Math.abs(run.baseline - before.baseline);
  return (
    /^\p{Lu}{1,2}$/u.test(run.text) &&
    /\p{Lu}$/u.test(before.text) &&
    /^\p{Lu}/u.test(next.text) &&
    shift > 0.1 &&
    shift < size * 0.45 &&
    run.size > size * 0.6 &&
    Math.abs(next.baseline - before.baseline) < size * 0.05 &&
    isTight(before, run) &&
    isTight(run, next)
  );
}

/** In heights of the font: pdf.js tells no widths of single letters. */
const widthOfCapital = 0.68;

/**
 * The E of XeTeX, which is mirrored or upside down: it begins at its right edge, and pdf.js joins the rest of
 * the line to it. The way from its left edge to the rest is taken for a space.
 */
function uprightLetter(before: RawRun, run: RawRun): RawRun | undefined {
  const isTurned = Math.cos(run.angle - before.angle) < -0.999;
  if (!isTurned || !/\p{Lu}$/u.test(before.text) || !/^\p{Lu}(?:\s|$)/u.test(run.text)) {
    return undefined;
  }
  const [edge, length] = [-run.left, run.right - run.left];
  const gap = edge - before.right;
  const shift = Math.abs(-run.baseline - before.baseline);
  if (gap < 0 || gap > before.size || shift > before.size * 0.7) return undefined;
  const width = Math.min(length, run.size * widthOfCapital);
  return {
    ...run,
    text: run.text.replace(/\s/, ''),
    angle: before.angle,
    left: edge - width,
    right: Math.max(edge, edge + length - 2 * width),
    baseline: before.baseline,
    afterSpace: false,
  };
}

function isTight(a: RawRun, b: RawRun): boolean {
  const gap = b.left - a.right;
  return gap < 0.02 * a.size && gap > -0.6 * a.size;
}
