/** What the pages of a job teach of their host: whether it needs a browser. */

/**
 * What one page said. `none` is also a page that failed, came from a copy, or was given to a browser at
 * once; a signal that `wasWrong` made a browser bring nothing, one that was `ignored` had done so before.
 */
export type Lesson =
  | 'none'
  | 'static'
  | {
      /** The words of `renderingSignal` for the static try. */
      readonly signal: string;
      readonly outcome: 'wasRight' | 'wasWrong' | 'ignored';
    };

/** What one page is taught by those before it, and teaches those after it. */
export interface Lessons {
  /** Why the static try of this page is left out, in words for `metadata.engineReason`. */
  readonly reasonToRender: string | undefined;
  /** False for a signal that was wrong on this host before; a promise where that is not known yet. */
  trusts(signal: string): boolean | Promise<boolean>;
  /** Told what the page said; the first time counts. */
  teach(lesson: Lesson): void;
}
