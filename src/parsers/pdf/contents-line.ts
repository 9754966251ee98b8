/** Lines of a table of contents: dots lead to a page number. */
import { inReadingOrder } from './line-text.ts';
import type { Line } from './line-features.ts';
import type { ListMarker } from './list-marker.ts';

const dots = /(?:[.·][  ]?){4,}|…{2,}|(?:\s\.){1,3}\s\d{1,4}$/;

/** The line as an entry of a list, without the dots; undefined for other lines. */
export function contentsLine({ segment, text, isCode }: Line): ListMarker | undefined {
  if (isCode || !dots.test(text) || !/[\p{L}\p{N}]\W*$/u.test(text)) return undefined;
  let isAfterDots = false;
  const runs = inReadingOrder(segment.runs).flatMap((run) => {
    const plain = run.text.replace(/(?:[.·][  ]?){4,}|…{2,}|^[.· ]+$|(?:\s\.){1,3}$/g, ' ');
    if (plain === run.text) {
      const kept = isAfterDots ? { ...run, afterSpace: true } : run;
      isAfterDots = false;
      return [kept];
    }
    isAfterDots = true;
    return plain.trim() === '' ? [] : [{ ...run, text: plain }];
  });
  const { left } = segment;
  return runs.length === 0 ? undefined : { number: undefined, left, textLeft: left, runs };
}
