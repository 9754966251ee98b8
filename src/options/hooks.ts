/** The check of `hooks`, for a client and for a crawl. */
import { z } from 'zod';
import { hookNames } from '../hooks/hook-lists.ts';
import type { Hooks } from '../model/hooks.ts';

const aHook = z
  .custom((value) => typeof value === 'function', 'expected a function of one object')
  .optional();

/** Functions by name. */
export const hooksSchema: z.ZodType<object | undefined> = z
  .strictObject(Object.fromEntries(hookNames.map((name) => [name, aHook])))
  .optional();

/** Checked hooks, each bound to the object that it came with. */
export function boundHooks(options: unknown): Hooks | undefined {
  const { hooks } = (options ?? {}) as { readonly hooks?: Record<string, unknown> };
  if (hooks === undefined) return undefined;
  const bound = hookNames.map((name) => {
    const hook = hooks[name];
    return [name, typeof hook === 'function' ? (hook.bind(hooks) as unknown) : undefined];
  });
  return Object.fromEntries(bound) as Hooks;
}
