/**
 * The state of one host and port: plain numbers, and the rules that change them. The processes of a fleet share such a
 * state in Redis, where a script has the same names, bounds and rules.
 */

import type { HostLimits } from '../model/pace.ts';

/** The bounds of the rules. */
export const hostBounds = {
  tolerance: 5, // failures in a row before requests are spaced out
  firstGap: 500, // milliseconds between requests after `tolerance` failures; each further doubles
  longestGap: 10_000, // milliseconds
  longestClosure: 60_000, // milliseconds that Retry-After can close a host; then it is tried again
  patience: 600_000, // milliseconds without a good response after which jobs give up a busy host
  goodAnswers: 8, // before concurrency grows: a host that refuses at one more refuses 1 in 16
  longestWait: 5000, // milliseconds that a request waits for its host before it is postponed
  minute: 61_000, // milliseconds: a second more for requests that arrive late
};

const latencyBounds = {
  weight: 1 / 8, // of one response in the smoothed latency, as TCP smooths its round trips
  slowdown: 4, // a host is slowing down at this many times its lowest smoothed latency
  leastSlowdown: 1000, // and this many milliseconds more: smaller differences are noise
};

/** Times are milliseconds of one clock. */
export interface HostState {
  /** Failures in a row; a success halves them. */
  failures: number;
  /** When the last failure was counted. */
  failedAt: number;
  /** No request starts before this time: the host requested a pause. */
  closed: number;
  /** The end of that pause as the host set it: later than `closed` if the pause was shortened. */
  paused: number;
  /** When the host first set a pause, without a good response since. */
  busySince: number;
  /** When the last request started. */
  last: number;
  /** Minimum gap between the last start and the next. */
  distance: number;
  /** Maximum requests in flight. */
  limit: number;
  /** The number of requests in flight when the limit was first set: there the limit ends. */
  end: number;
  /** Good responses at the limit. */
  good: number;
  /** When the limit was last lowered: requests sent earlier reflect a past load. */
  lowered: number;
  /** The smoothed latency. */
  latency: number | undefined;
  lowestLatency: number;
  /** When the last requests started: as many as may within a minute. */
  readonly starts: number[];
}

/** A host never contacted. */
export function newHostState(): HostState {
  return {
    failures: 0,
    failedAt: -Infinity,
    closed: 0,
    paused: 0,
    busySince: Infinity,
    last: -Infinity,
    distance: 0,
    limit: Infinity,
    end: Infinity,
    good: 0,
    lowered: -Infinity,
    latency: undefined,
    lowestLatency: Infinity,
    starts: [],
  };
}

/** When a request may start, after `ahead` others that are not sent yet and count for its minute. */
export function opensAt(
  { closed, last, distance, starts }: HostState,
  { delay, perMinute }: HostLimits,
  ahead = 0,
): number {
  const oldest = starts.at(Math.min(ahead, perMinute - 1) - perMinute) ?? -Infinity;
  return Math.max(closed, last + Math.max(distance, delay), oldest + hostBounds.minute);
}

/** Milliseconds until a request may be sent, by Retry-After and pace. */
export function waitFor(state: HostState, now: number, limits: HostLimits, ahead = 0): number {
  const pausedUntil = now < state.closed ? state.paused : 0;
  return Math.max(0, pausedUntil - now, opensAt(state, limits, ahead) - now);
}

/** The host is closed, and has only sent rate limits for too long. */
export function isUnavailable({ closed, busySince }: HostState, now: number): boolean {
  return now < closed && now - busySince >= hostBounds.patience;
}

/** Minimum gap between the starts of waiting requests: it grows after failures in a row. */
export function spacing({ failures }: HostState, delay: number): number {
  const { tolerance, firstGap, longestGap } = hostBounds;
  const more = failures - tolerance;
  return Math.max(delay, more < 0 ? 0 : Math.min(firstGap * 2 ** more, longestGap));
}

/** Records the start of a request; `before` is an earlier one of the same request, which was held up since. */
export function started(
  state: HostState,
  now: number,
  { delay, perMinute }: HostLimits,
  before?: number,
): void {
  const { starts } = state;
  state.last = now;
  state.distance = spacing(state, delay);
  if (before !== undefined && starts.includes(before)) starts.splice(starts.indexOf(before), 1);
  if (perMinute < Infinity) starts.push(now);
  if (starts.length > perMinute) starts.shift();
}

/** A request that ended: when it was sent, and how many were in flight with it. */
export interface EndedRequest {
  readonly now: number;
  readonly sentAt: number;
  readonly inFlight: number;
}

/** Records a good response; `isFile` for one whose latency is no measure for pages. */
export function answered(state: HostState, request: EndedRequest, isFile = false): void {
  state.busySince = Infinity;
  state.failures = Math.floor(state.failures / 2);
  if (!isFile) adaptToAnswer(state, request);
}

/** Records that the host was overloaded or silent; `pause` is its Retry-After in ms. */
export function refused(state: HostState, request: EndedRequest, pause: number): void {
  const { now, sentAt } = request;
  if (pause > 0) {
    const { longestClosure } = hostBounds;
    // A host open for a while before its next pause starts a new period.
    const isNew = now - state.closed > longestClosure || state.busySince === Infinity;
    if (isNew) state.busySince = now;
    state.closed = Math.max(state.closed, now + Math.min(pause, longestClosure));
    state.paused = Math.max(state.paused, now + pause);
  }
  // Requests in flight together that fail together are one failure.
  if (sentAt >= state.failedAt) {
    state.failures += 1;
    state.failedAt = now;
  }
  lowerLimit(state, request);
}

/**
 * Additive increase, multiplicative decrease (AIMD), as in TCP. There is no limit before the first
 * sign of overload, nor once the host again handles the number of requests in flight then.
 */
function lowerLimit(state: HostState, { inFlight, sentAt, now }: EndedRequest): void {
  // A limit of one cannot be lowered; gaps between requests are set elsewhere.
  if (inFlight <= 1 || sentAt < state.lowered) return;
  if (state.limit === Infinity) state.end = inFlight;
  state.limit = Math.max(1, Math.floor(Math.min(state.limit, inFlight) / 2));
  state.lowered = now;
  state.good = 0;
}

function adaptToAnswer(state: HostState, request: EndedRequest): void {
  const { inFlight, sentAt, now } = request;
  if (isSlowingDown(state, now - sentAt) && inFlight > 1) {
    lowerLimit(state, request);
    // If fewer requests do not help, their number is not the cause: latency does not lower the
    // limit again.
    state.lowestLatency = state.latency ?? Infinity;
    return;
  }
  if (inFlight < state.limit || sentAt < state.lowered) return;
  state.good += 1;
  if (state.good < hostBounds.goodAnswers) return;
  state.good = 0;
  state.limit += 1;
  if (state.limit >= state.end) state.limit = Infinity;
}

function isSlowingDown(state: HostState, latency: number): boolean {
  const { weight, slowdown, leastSlowdown } = latencyBounds;
  const before = state.latency ?? latency;
  const smoothed = before + (latency - before) * weight;
  state.latency = smoothed;
  state.lowestLatency = Math.min(state.lowestLatency, smoothed);
  const lowest = state.lowestLatency;
  return smoothed > lowest * slowdown && smoothed > lowest + leastSlowdown;
}
