/** How many pictures an animated GIF has (GIF89a, appendix B). */

/** Frames that are counted; what has more is a film. */
const most = 100_000;

/** At least 1; of a file that was cut off those that begin before its end. */
export function countGifFrames(view: Buffer): number {
  let frames = 0;
  let at = 13 + colorBytes(view[10] ?? 0);
  while (at < view.length && frames < most) {
    const kind = view[at];
    if (kind === 0x21) at = afterBlocks(view, at + 2);
    else if (kind === 0x2c) {
      frames += 1;
      at = afterBlocks(view, at + 11 + colorBytes(view[at + 9] ?? 0));
    } else break;
  }
  return Math.max(1, frames);
}

/** A table of colors, where its flag is set. */
function colorBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Each block says how long it is; an empty one is the last. */
function afterBlocks(view: Buffer, from: number): number {
  let at = from;
  for (let size = view[at] ?? 0; size > 0; size = view[at] ?? 0) at += size + 1;
  return at + 1;
}
