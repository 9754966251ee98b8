/** Answers of callers to challenges of hosts, `hooks.onChallenge`: asked one at a time, and kept while they hold. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { lowerCaseNames } from '../../content/text/http-headers.ts';
import { schemaOf, split } from '../checks/option.ts';
import { callHook, invalidHookResult } from '../hooks/call-hook.ts';
import type { HookLists } from '../hooks/hook-lists.ts';
import type { ChallengeState } from '../model/hooks.ts';
import type { HostHeaders, PageRequest } from '../model/request.ts';
import { type Cookie, requestRows } from '../model/request-options.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { getOrInsert } from '../runtime/get-or-insert.ts';

const bounds = {
  asks: 3, // in a row without a page that got through
  pause: 10 * 60_000, // milliseconds until a host that was given up is asked for again
  hosts: 1000, // in memory
};

/** The answer to a challenge, for one origin. Lower-case names. */
export interface ChallengePass {
  readonly cookies: readonly Cookie[];
  readonly headers: Readonly<Record<string, string>>;
}

const answerSchema = schemaOf({ cookies: requestRows.cookies, headers: requestRows.headers });

class ChallengedOrigin {
  pass: ChallengePass | undefined;
  asking: Promise<ChallengePass | undefined> | undefined;
  /** Since a page got through. */
  asks = 0;
  lastAskedAt = 0;
}

/** The passes of one client, by origin. */
export class ChallengePasses {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #origins = new Map<string, ChallengedOrigin>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The pass for a URL, unless one of its cookies has expired. */
  of(url: string): ChallengePass | undefined {
    const pass = this.#origins.get(new URL(url).origin)?.pass;
    const now = this.#clock.now() / 1000;
    return pass?.cookies.some(({ expires }) => expires >= 0 && expires <= now) ? undefined : pass;
  }

  /** Resets the count of calls: the host has sent a page instead of a challenge. */
  gotThrough(url: string): void {
    const origin = this.#origins.get(new URL(url).origin);
    if (origin !== undefined) origin.asks = 0;
  }

  /**
   * A pass other than the `failed` one: that of another page, whose call of a hook `wait` waits for, or the answer of
   * `ask`. Undefined without one, or after too many calls of `ask`. Rejects as `ask` does.
   */
  async another(
    url: string,
    failed: ChallengePass | undefined,
    ask: (() => Promise<ChallengePass | undefined>) | undefined,
    wait: ((asking: Promise<unknown>) => Promise<unknown>) | undefined,
  ): Promise<ChallengePass | undefined> {
    const origin = getOrInsert(this.#origins, new URL(url).origin, () => new ChallengedOrigin());
    const [oldest = ''] = this.#origins.keys();
    if (this.#origins.size > bounds.hosts) this.#origins.delete(oldest);
    while (origin.asking !== undefined) {
      if (wait === undefined) return undefined;
      await wait(origin.asking.catch(() => undefined));
    }
    const known = this.of(url);
    if (known !== undefined && known !== failed) return known;
    origin.pass = undefined;
    const now = this.#clock.now();
    if (now - origin.lastAskedAt >= bounds.pause) origin.asks = 0;
    if (ask === undefined || origin.asks >= bounds.asks) return undefined;
    origin.asks += 1;
    origin.lastAskedAt = now;
    origin.asking = ask();
    try {
      return (origin.pass = await origin.asking);
    } finally {
      origin.asking = undefined;
    }
  }
}

/** The hooks that run: what they request themselves cannot wait for their answer. */
const running = new AsyncLocalStorage<Set<unknown>>();

/** True for hooks that a page may call. */
export function mayAsk(hooks: HookLists['onChallenge']): boolean {
  return hooks.length > 0 && !hooks.some((hook) => running.getStore()?.has(hook));
}

/** Calls the hooks until one answers. Rejects with `HOOK_FAILED`. */
export async function askHooks(
  hooks: HookLists['onChallenge'],
  state: ChallengeState,
  deadline: Deadline,
): Promise<ChallengePass | true | undefined> {
  const call = { name: 'onChallenge', url: state.url, deadline } as const;
  for (const hook of hooks) {
    const inside = new Set([...(running.getStore() ?? []), hook]);
    const asked = async (): Promise<unknown> => hook(Object.freeze(state));
    const run = (): unknown => running.run(inside, asked).finally(() => inside.clear());
    const answer = await callHook(call, run);
    if (answer === undefined || answer === false) continue;
    if (answer === true) {
      if (state.page !== undefined) return answer;
      throw invalidHookResult(call, 'true, although no browser has the page open,');
    }
    const { success, data } = answerSchema.safeParse(answer);
    // Values may be secrets.
    if (!success)
      throw invalidHookResult(call, 'a wrong answer in place of true or { cookies, headers }');
    const { hostname } = new URL(state.url);
    const { cookies = [], headers = {} } = data;
    const foreign = cookies.find(({ domain }) => !covers(domain, hostname));
    if (foreign !== undefined) throw invalidHookResult(call, `a cookie of ${foreign.domain}`);
    return { cookies, headers: lowerCaseNames(headers) };
  }
  return undefined;
}

/** True for a cookie of the host. */
function covers(domain: string, hostname: string): boolean {
  const name = domain.replace(/^\./, '').toLowerCase();
  return hostname === name || (domain.startsWith('.') && hostname.endsWith(`.${name}`));
}

/** The request with a pass for the origin of `url`: no other gets its headers, which replace those that were refused. */
export function withPass(
  request: Pick<PageRequest, 'headers' | 'hostHeaders' | 'cookies'>,
  url: string,
  pass: ChallengePass | undefined,
): typeof request {
  if (pass === undefined) return request;
  const { hostHeaders, cookies = [] } = request;
  const { origin, hostname } = new URL(url);
  const passed = { ...request, cookies: [...cookies, ...pass.cookies] };
  if (Object.keys(pass.headers).length === 0) return passed;
  const [, headers] = split(request.headers, pass.headers);
  const of: HostHeaders['of'] = (target) => {
    const others = hostHeaders?.of(target);
    return target.origin === origin ? { ...others, ...pass.headers } : others;
  };
  const hosts = [...(hostHeaders?.hosts ?? []), hostname];
  return { ...passed, headers, hostHeaders: { of, hosts } };
}
