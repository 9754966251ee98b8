/** Due times of targets: on the grid of their first round, so that rounds neither drift nor pile up. */
import type { TargetSettings } from '../../core/options/monitor-options.ts';
import type { MonitorState, TargetState } from './monitor-store.ts';

/** Milliseconds since 1970: at once for a new target, never for one without `every`. */
export function dueAt({ key, every }: TargetSettings, { targets }: MonitorState): number {
  const known = targets[key];
  if (every === undefined) return Infinity;
  // A target that gets another interval retains the time of its last round.
  return known === undefined ? -Infinity : known.dueAt - (known.every ?? every) + every;
}

/** The next time at which a target is due. */
export function nextRoundAt(targets: readonly TargetSettings[], state: MonitorState): number {
  return Math.min(...targets.map((target) => dueAt(target, state))) + state.delay;
}

/** The state of a target after a round that ends `now`: missed rounds are made up for once. */
export function afterRound(
  target: TargetSettings,
  state: MonitorState,
  {
    at,
    now,
    since,
  }: { readonly at: number; readonly now: number; readonly since?: string | undefined },
): TargetState {
  const { every } = target;
  const earlier = since ?? state.targets[target.key]?.since;
  const version = earlier === undefined ? {} : { since: earlier };
  if (every === undefined) return { dueAt: at, ...version };
  const due = Math.max(
    dueAt(target, state),
    state.targets[target.key] === undefined ? at : -Infinity,
  );
  const missed = due > now ? 0 : Math.floor((now - due) / every) + 1;
  return { dueAt: due + missed * every, every, ...version };
}
