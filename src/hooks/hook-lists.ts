/** The hooks of several levels by name: those of a client, then those of a call. */
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
