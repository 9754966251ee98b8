/** Answers of callers to challenges of hosts, `hooks.onChallenge`: asked one at a time, and kept while they hold. */
import { callHook, invalidHookResult } from '../hooks/call-hook.ts';
import type { HookLists } from '../hooks/hook-lists.ts';
import type { ChallengeState } from '../model/hooks.ts';
import type { HostHeaders } from '../model/request.ts';
import { challengePassSchema, type Cookie } from '../model/request-options.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { challengeOf } from './challenge-page.ts';

const bounds = {
  asks: 3, // in a row without a page that got through
  pause: 10 * 60_000, // milliseconds until a host that was given up is asked for again
  hosts: 1000, // in memory
};

/** The answer to a challenge, for one origin. */
export interface ChallengePass {
  readonly cookies: readonly Cookie[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The vendor of a challenge, `login` for a 401; undefined for other responses. */
export function challengeKind(
  shown: Pick<Snapshot, 'statusCode' | 'headers' | 'body'>,
): string | undefined {
  return challengeOf(shown) ?? (shown.statusCode === 401 ? 'login' : undefined);
}

interface ChallengedOrigin {
  pass: ChallengePass | undefined;
  asking: Promise<unknown> | undefined;
  /** Since a page got through. */
  asks: number;
  lastAskedAt: number;
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

  /** Settles with the call of a hook for the origin; undefined if there is none. */
  asking(url: string): Promise<unknown> | undefined {
    return this.#origins.get(new URL(url).origin)?.asking?.catch(() => undefined);
  }

  /** Resets the count of calls: the host has sent a page instead of a challenge. */
  gotThrough(url: string): void {
    const origin = this.#origins.get(new URL(url).origin);
    if (origin !== undefined) origin.asks = 0;
  }

  /**
   * A pass other than the `failed` one: that of another page, or the answer of `ask`. Undefined without one, or after
   * too many calls of `ask`. Rejects as `ask` does. Call it only while `asking` is undefined.
   */
  async another(
    url: string,
    failed: ChallengePass | undefined,
    ask: (() => Promise<ChallengePass | undefined>) | undefined,
  ): Promise<ChallengePass | undefined> {
    const { origin: key } = new URL(url);
    const origin = this.#origins.get(key) ?? {
      pass: undefined,
      asking: undefined,
      asks: 0,
      lastAskedAt: 0,
    };
    this.#origins.delete(key);
    this.#origins.set(key, origin);
    for (const oldest of this.#origins.keys()) {
      if (this.#origins.size <= bounds.hosts) break;
      this.#origins.delete(oldest);
    }
    const known = this.of(url);
    if (known !== undefined && known !== failed) return known;
    origin.pass = undefined;
    const now = this.#clock.now();
    if (now - origin.lastAskedAt >= bounds.pause) origin.asks = 0;
    if (ask === undefined || origin.asks >= bounds.asks) return undefined;
    origin.asks += 1;
    origin.lastAskedAt = now;
    const asking = ask();
    origin.asking = asking;
    try {
      return (origin.pass = await asking);
    } finally {
      origin.asking = undefined;
    }
  }
}

/** Calls the hooks until one answers. Rejects with `HOOK_FAILED`. */
export async function askHooks(
  hooks: HookLists['onChallenge'],
  state: ChallengeState,
  deadline: Deadline,
): Promise<ChallengePass | true | undefined> {
  const call = { name: 'onChallenge', url: state.url, deadline } as const;
  for (const hook of hooks) {
    const answer: unknown = await callHook(call, () => hook(Object.freeze(state)));
    if (answer === undefined || answer === false) continue;
    if (answer === true) {
      if (state.page !== undefined) return answer;
      throw invalidHookResult(call, 'true, although no browser has the page open,');
    }
    const { success, data } = challengePassSchema.safeParse(answer);
    // Values may be secrets.
    if (!success)
      throw invalidHookResult(call, 'a wrong answer in place of true or { cookies, headers }');
    const { hostname } = new URL(state.url);
    const foreign = data.cookies.find(({ domain }) => !covers(domain, hostname));
    if (foreign !== undefined) throw invalidHookResult(call, `a cookie of ${foreign.domain}`);
    const headers = Object.entries(data.headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    return {
      cookies: data.cookies,
      headers: Object.fromEntries(headers) as Record<string, string>,
    };
  }
  return undefined;
}

/** True for a cookie of the host. */
export function covers(domain: string, hostname: string): boolean {
  const name = domain.replace(/^\./, '').toLowerCase();
  return hostname === name || (domain.startsWith('.') && hostname.endsWith(`.${name}`));
}

/** Headers by host, with those of a pass added for its origin only. */
export function withPass(
  hostHeaders: HostHeaders | undefined,
  url: string,
  pass: ChallengePass | undefined,
): HostHeaders | undefined {
  if (pass === undefined || Object.keys(pass.headers).length === 0) return hostHeaders;
  const { origin, hostname } = new URL(url);
  return {
    of: (target) =>
      target.origin === origin
        ? { ...hostHeaders?.of(target), ...pass.headers }
        : hostHeaders?.of(target),
    hosts: [...(hostHeaders?.hosts ?? []), hostname],
  };
}
