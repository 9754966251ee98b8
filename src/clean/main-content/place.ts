/** The evidence around an element: what kinds of boxes it is inside of. */
import { kindCount } from './evidence.ts';

/** By kind of evidence, in the order of `Evidence`. -1: the element is in no such box. */
export interface Place {
  /** Index of the outermost box. */
  readonly outermost: readonly number[];
  /** Depth of the innermost box. */
  readonly innermost: readonly number[];
}

const nowhere: Place = {
  outermost: new Array<number>(kindCount).fill(-1),
  innermost: new Array<number>(kindCount).fill(-1),
};

/** The place of an element by its own evidence and its parent's place. */
export function placeOf(
  evidence: number,
  index: number,
  depth: number,
  around: Place = nowhere,
): Place {
  if (evidence === 0) return around;
  const outermost = around.outermost.slice();
  const innermost = around.innermost.slice();
  for (let kind = 0; kind < kindCount; kind++) {
    if ((evidence & (1 << kind)) === 0) continue;
    if (outermost[kind] === -1) outermost[kind] = index;
    innermost[kind] = depth;
  }
  return { outermost, innermost };
}
