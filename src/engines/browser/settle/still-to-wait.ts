/** The rules of the smart wait, as numbers and in one function. `PageActivity` says them in words. */
import type { PageState } from './page-state.ts';
import type { AwaitedRequests } from './request-watch.ts';

/** All in ms, but `documents`. */
export const rules = {
  /** Renderers work in tasks of under 50 ms and paint within 16; chains of promises take less. */
  unchanged: 150,
  /** From an answer to the request that follows from it takes some ms, on a busy machine 50. */
  noRequest: 100,
  /** Debouncing, fading in and "after a moment" are 100 to 500 in what applications and libraries do. */
  noTimer: 500,
  /** A page that starts timers for ever is not waited for longer than this after its last change. */
  timersOnly: 1_000,
  /** How long a request, or the load event, is waited for while the page shows something. */
  patience: 2_000,
  /** Wait for the first content of a page that shows nothing. */
  empty: 3_000,
  /** Wait while a spinner is in sight; some stay for ever. */
  busy: 2_000,
  /** An action on a page without scripts may follow a link. */
  afterAction: 50,
  /** As the HTTP engine: who stays longer is meant to be read. */
  refresh: 10_000,
  /** Pages that pass on to another one. */
  documents: 3,
} as const;

/** What is known beside the page's own state. */
export interface Surroundings {
  /** Since the page was parsed. */
  readonly sinceStart: number;
  /** Since the wait began. */
  readonly sinceCall: number;
  /** Since the last request that counts ended. */
  readonly sinceRequest: number;
  readonly hasScripts: boolean;
  /** Scripts came in files of their own, or asked for something. */
  readonly usesNetwork: boolean;
  /** The page was painted since it was first looked at. */
  readonly isPainted: boolean;
  /** A request is under way that is younger than this. */
  isAsking(patience: number, awaited: AwaitedRequests): boolean;
  /** Nothing was done on this page yet. */
  readonly isFirst: boolean;
  readonly pictures: boolean;
}

/** Ms until it is worth to look again, 0 or less when the page has settled; or what to wait for. */
export function stillToWait(
  state: PageState,
  around: Surroundings,
): number | 'static' | 'painting' {
  if (!state.isParsed) return around.sinceCall < 200 ? 15 : 60;
  if (state.leavesIn !== undefined) return 50;
  const isBare = state.isEmpty || state.isBusy;
  const patience = isBare && around.hasScripts ? Infinity : rules.patience;
  const content = around.pictures ? 'picture' : 'content';
  if (around.isAsking(patience, around.hasScripts || around.pictures ? content : 'frames'))
    return 25;
  if (!around.hasScripts) {
    const rest = around.isFirst ? 0 : rules.afterAction - around.sinceCall;
    return rest > 0 ? rest : 'static';
  }
  if (!state.isLoaded && around.sinceStart < rules.patience) return 25;
  if (!isBare && isSimple(state, around)) return around.isPainted ? 0 : 'painting';

  const unchangedFor = Math.min(state.unchangedFor, around.sinceStart);
  const quietFor = Math.min(unchangedFor, around.sinceRequest, around.sinceCall);
  const waits = [
    rules.unchanged - unchangedFor,
    rules.noRequest - Math.min(around.sinceRequest, around.sinceCall),
  ];
  if (state.noTimerFor !== undefined && quietFor < rules.timersOnly) {
    waits.push(Math.min(rules.noTimer - state.noTimerFor, rules.timersOnly - quietFor));
  }
  if (state.isBusy && quietFor < rules.busy) waits.push(rules.busy - quietFor);
  if (state.isEmpty && around.isFirst) {
    // Where no timer ever ran and nothing is asked for, nothing is to come.
    waits.push((state.noTimerFor === undefined ? rules.noTimer : rules.empty) - quietFor);
  }
  // Not to sleep through what happens meanwhile: a timer that is started is noticed at the next look.
  return Math.min(Math.max(...waits), 50);
}

/** A few scripts in the page itself, which have run, and nothing that could call them again later. */
function isSimple(state: PageState, around: Surroundings): boolean {
  const hasRun = state.noTimerFor === undefined && !state.hasChanged;
  return hasRun && around.isFirst && !around.usesNetwork;
}
