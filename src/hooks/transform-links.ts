/** The hook about links: `transformLink`. */
import { setImmediate } from 'node:timers/promises';
import type { LinkState } from '../model/hooks.ts';
import type { Deadline } from '../network/deadline.ts';
import { preview } from '../text/preview.ts';
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import { badAnswer, callHook } from './call-hook.ts';
import type { HookLists } from './hook-lists.ts';

/** Links that are asked about before the process goes on. */
const linksAtOnce = 1000;

/** A link as it was found, without a place in time. */
export type FoundLink = Omit<LinkState, 'signal'>;

/** Asks about each link in turn; gives where it leads now, or false for one that is left out. */
export async function* runTransformLink(
  hooks: HookLists['transformLink'],
  links: Iterable<FoundLink>,
  deadline: Deadline,
): AsyncGenerator<{ readonly link: FoundLink; readonly url: string | false }, void, undefined> {
  let asked = 0;
  for (const link of links) {
    let url: string | false = link.url;
    for (const hook of hooks) {
      const state = Object.freeze({ ...link, url, signal: deadline.signal });
      url = await transformed(hook, state, deadline);
      if (url === false) break;
    }
    yield { link, url };
    if (++asked % linksAtOnce === 0) await setImmediate();
  }
}

async function transformed(
  hook: HookLists['transformLink'][number],
  state: LinkState,
  deadline: Deadline,
): Promise<string | false> {
  const call = { name: 'transformLink', url: state.url, deadline } as const;
  const answer: unknown = await callHook(call, () => hook(state));
  if (answer === undefined) return state.url;
  if (answer === false) return false;
  const url = typeof answer === 'string' ? resolveLink(answer, state.url) : undefined;
  if (url === undefined) throw badAnswer(call, `${preview(answer)} in place of a URL or false`);
  return normalizeUrl(url, {});
}
