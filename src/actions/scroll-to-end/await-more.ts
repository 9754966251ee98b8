/** At the end of a list: waits while more may come. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListView } from '../in-page/list-state.ts';
import type { OpenRequests } from './open-requests.ts';

/** What is watched, and how. */
export interface MoreWatch {
  readonly requests: OpenRequests;
  /** More came before: it is a list that loads. */
  readonly hasGrown: boolean;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly signal: AbortSignal;
  look(): Promise<ListView>;
  /** Scrolls up a little and back: lists that were loading did not listen. */
  nudge(): Promise<void>;
}

/** Milliseconds without a sign that more comes. */
const plain = 500;
/** Milliseconds when requests are open, something turns, or more came before. */
const hopeful = 2500;
const interval = 100;

/** The list once it is longer; undefined when nothing came. */
export async function awaitMore(end: ListView, watch: MoreWatch): Promise<ListView | undefined> {
  const from = Date.now();
  let hasNudged = false;
  let hasSign = watch.hasGrown;
  for (;;) {
    const view = await watch.look();
    if (view.height > end.height + 1) return view;
    hasSign ||= view.isBusy || view.hasChanged || watch.requests.count > 0;
    const now = Date.now();
    if (now - from >= (hasSign ? hopeful : plain) || now >= watch.until) return undefined;
    if (!hasNudged && now - from >= plain / 2) {
      hasNudged = true;
      await watch.nudge();
    }
    await sleep(interval, undefined, { signal: watch.signal });
  }
}
