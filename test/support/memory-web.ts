/** A web in memory, as an engine: several hosts, scripted answers, a log of requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, PagewrightError, type Snapshot } from 'pagewright';

/** One page, or what goes wrong instead. */
export interface MemoryPage {
  readonly status?: number;
  readonly body?: string;
  readonly type?: string;
  readonly location?: string;
  readonly delay?: number;
  readonly fails?: boolean;
}

export interface MemoryWeb extends Engine {
  /** URLs in the order in which they were asked for. */
  readonly log: string[];
}

/** Pages by absolute URL; anything else is 404. A string is an HTML page. */
export function memoryWeb(
  pages:
    | Readonly<Record<string, string | MemoryPage>>
    | ((url: string) => string | MemoryPage | undefined),
): MemoryWeb {
  const log: string[] = [];
  const find = typeof pages === 'function' ? pages : (url: string) => pages[url];
  return {
    name: 'memory-web',
    can: new Set(),
    cost: 0,
    log,
    async fetch(request): Promise<Snapshot> {
      const redirects: string[] = [];
      let url = request.url;
      for (;;) {
        log.push(url);
        const found = find(url);
        const page = typeof found === 'string' ? { body: found } : found;
        if (page?.delay !== undefined) {
          await sleep(page.delay, undefined, { signal: request.signal }).catch(() =>
            request.signal.throwIfAborted(),
          );
        }
        if (page?.fails === true) {
          throw new PagewrightError('CONNECTION_RESET', `${url} was reset.`, { url });
        }
        if (page?.location !== undefined) {
          redirects.push(url);
          url = new URL(page.location, url).href;
          continue;
        }
        const body = new TextEncoder().encode(
          page?.body ?? (page === undefined ? `<p>No ${url}` : ''),
        );
        return {
          url,
          statusCode: page === undefined ? 404 : (page.status ?? 200),
          headers: { 'content-type': page?.type ?? 'text/html; charset=utf-8' },
          body,
          engine: 'memory-web',
          redirects,
          warnings: [],
          requests: redirects.length + 1,
          bytes: body.length,
        };
      }
    },
  };
}

/** A page with a heading, a sentence of its own and links. */
export function pageOf(title: string, links: readonly string[] = []): string {
  const list = links.map((href) => `<li><a href="${href}">to ${href}</a></li>`).join('');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>This is the page about ${title}, which says so in one sentence.</p><ul>${list}</ul></main></body></html>`;
}

/** A repeatable source of chance (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
