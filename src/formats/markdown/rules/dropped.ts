/** Elements that show nothing of their own, or nothing that text can hold. */
import type { Rule } from '../emitter.ts';

/** Leaves the element out with everything in it. */
export const dropped: Rule = () => {};
