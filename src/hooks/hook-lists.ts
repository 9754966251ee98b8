/** The hooks of several levels by name: those of a client, then those of a call. */
import { PagewrightError } from '../errors.ts';
import type { Hooks } from '../model/hooks.ts';

/** The name of a hook. */
export type HookName = keyof Hooks;

/** All hooks of one name, in the order in which they are asked. */
export type HookLists = {
  readonly [Name in HookName]: readonly NonNullable<Hooks[Name]>[];
};

const names: Readonly<Record<HookName, true>> = {
  beforeRequest: true,
  afterResponse: true,
  beforeFormats: true,
  onDocument: true,
  onError: true,
  onSkipped: true,
  transformLink: true,
};

/** Every hook there is. */
export const hookNames: readonly HookName[] = Object.keys(names) as HookName[];

/** Those of `before` are asked first. */
export function hookLists(hooks: Hooks = {}, before?: HookLists): HookLists {
  const lists = hookNames.map((name) => {
    const hook = hooks[name];
    return [name, [...(before?.[name] ?? []), ...(hook === undefined ? [] : [hook])]];
  });
  return Object.fromEntries(lists) as HookLists;
}

// A page that a hook vetoed: a skip for a crawl, an error for whoever wants this one page.

export class SkippedByHook extends PagewrightError {
  /** For the books of a job. */
  readonly rule: string;

  constructor(name: HookName, url: string, reason: string | undefined) {
    const why = reason === undefined ? '' : `: ${reason}`;
    super('HOOK_FAILED', `The hook "${name}" skipped ${url}${why}.`, { url });
    this.rule = `hooks.${name}${why}`;
  }
}
