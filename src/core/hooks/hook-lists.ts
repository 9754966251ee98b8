/** The hooks of several levels by name: the client's, then the call's. */
import { PagewrightError } from '../runtime/errors.ts';
import type { BeforeFormats, Hooks, WorkerHook } from '../model/hooks.ts';

/** The name of a hook. */
export type HookName = keyof Hooks;

/** All hooks of one name, in call order. */
export type HookLists = {
  readonly [Name in HookName]: readonly NonNullable<Hooks[Name]>[];
};

const names: Readonly<Record<HookName, true>> = {
  beforeRequest: true,
  onChallenge: true,
  afterResponse: true,
  beforeFormats: true,
  onDocument: true,
  onError: true,
  onSkipped: true,
  transformLink: true,
};

/** The names of all hooks. */
export const hookNames: readonly HookName[] = Object.keys(names) as HookName[];

/** The hooks of `before` are called first. */
export function hookLists(hooks: Hooks = {}, before?: HookLists): HookLists {
  const lists = hookNames.map((name) => {
    const hook = hooks[name];
    return [name, [...(before?.[name] ?? []), ...(hook === undefined ? [] : [hook])]];
  });
  return Object.fromEntries(lists) as HookLists;
}

/** True for a hook that a worker loads. */
export function isWorkerHook(hook: BeforeFormats | WorkerHook): hook is WorkerHook {
  return typeof hook !== 'function';
}

// A page that a hook vetoed: a skip in a crawl, an error in a scrape.

export class SkippedByHook extends PagewrightError {
  /** The rule in a job's report. */
  readonly rule: string;

  constructor(name: HookName, url: string, reason: string | undefined) {
    const why = reason === undefined ? '' : `: ${reason}`;
    super('HOOK_FAILED', `The hook "${name}" skipped ${url}${why}.`, { url });
    this.rule = `hooks.${name}${why}`;
  }
}

/** Throws the veto of a `beforeFormats` hook. */
export function throwVeto(
  url: string,
  hooked: { readonly veto?: { readonly reason: string | undefined } | undefined } | undefined,
): void {
  if (hooked?.veto === undefined) return;
  throw new SkippedByHook('beforeFormats', url, hooked.veto.reason);
}
