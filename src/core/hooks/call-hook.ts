/** Calls one hook within its time limit, and names the hook in every error. */
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import { type Deadline, withSignal } from '../runtime/deadline.ts';
import { isThenable } from '../runtime/at-once.ts';
import { type HookName, SkippedByHook } from './hook-lists.ts';

/** The hook, its page, and the deadline. */
export interface HookCall {
  readonly name: HookName;
  readonly url: string;
  /** Checked when there is a promise to wait for. */
  readonly deadline: Pick<Deadline, 'signal' | 'waitsFor'>;
}

/** Rejects with `HOOK_FAILED` for every error of `call`, and with the deadline's reason. */
export async function callHook<Answer>(
  hookCall: HookCall,
  call: () => Answer,
): Promise<Awaited<Answer>> {
  const { name, url } = hookCall;
  let waitsIn: HookCall['deadline'] | undefined;
  try {
    const answer = call();
    if (!isThenable(answer)) return await answer;
    waitsIn = hookCall.deadline;
    waitsIn.waitsFor = `the hook "${name}"`;
    return await withSignal<Awaited<Answer>>(Promise.resolve(answer), waitsIn.signal);
  } catch (error) {
    waitsIn?.signal.throwIfAborted();
    const message = `The hook "${name}" threw for ${url}: ${messageOf(error)}`;
    throw new PagewrightError('HOOK_FAILED', message, { url, cause: error });
  } finally {
    if (waitsIn !== undefined) waitsIn.waitsFor = undefined;
  }
}

/** The same for a hook that may veto the page: rejects with `SkippedByHook` then. */
export async function callWithVeto<Answer>(
  hookCall: HookCall,
  call: (skip: (reason?: string) => void) => Answer,
): Promise<Awaited<Answer>> {
  let veto: SkippedByHook | undefined;
  const answer = await callHook(hookCall, () =>
    call((reason) => {
      veto ??= new SkippedByHook(hookCall.name, hookCall.url, reason);
    }),
  );
  if (veto !== undefined) throw veto;
  return answer;
}

/** The error for a hook with an invalid result. */
export function invalidHookResult({ name, url }: HookCall, problem: string): PagewrightError {
  return new PagewrightError('HOOK_FAILED', `The hook "${name}" gave ${problem} for ${url}.`, {
    url,
  });
}

// Checks that results of hooks are objects.
