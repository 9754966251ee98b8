/** How quiet a page is, as `observePage` tells it. */

/** What is seen; times in ms. */
export interface PageState {
  /** This document was not asked before. */
  readonly isNew: boolean;
  readonly isParsed: boolean;
  readonly isLoaded: boolean;
  /** A script is in the document, or a timer was started in it. */
  readonly hasScripts: boolean;
  /** Since content last changed, or since the first call. */
  readonly unchangedFor: number;
  /** It has, since the first call. */
  readonly hasChanged: boolean;
  /** Since a timer was started last; undefined when there was none in this document. */
  readonly noTimerFor: number | undefined;
  /** There is next to no text, or the element that a script is to fill is empty. */
  readonly isEmpty: boolean;
  /** A spinner or a skeleton is in sight, or something is marked as busy. */
  readonly isBusy: boolean;
  /** The page is going to leave for another one. */
  readonly leavesIn: number | undefined;
  /** The page is going to load itself again. */
  readonly reloadsIn: number | undefined;
}
