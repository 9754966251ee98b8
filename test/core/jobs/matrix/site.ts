/** The site of the jobs of the matrix: a tree with pages that fail, pages that wait, and links that a crawl leaves out. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type FixtureServer, serve } from '../../../../src/entries/testing/serve.ts';
import { pageOf } from '../../../support/memory-web.ts';

const tree: Readonly<Record<string, readonly string[]>> = {
  '/': ['/a', '/b', '/c', '/d'],
  '/a': ['/a1', '/a2'],
  '/b': ['/b1', '/b2'],
  '/c': ['/c1', '/c2'],
  '/d': ['/d1', '/d2', '/d3', '/d4', '/d5', '/d6'],
  '/b1': ['/b1x'],
  '/c1': ['/c1x'],
  '/d6': ['/twin'],
};
const noise = ['/a/', '/private/x', '/closed/x', '/logo.png', 'http://elsewhere.test/'];
const leaves = [...new Set(Object.values(tree).flat())].filter((path) => !(path in tree));
const words = (path: string): string => `page ${path} ${`Words of ${path}. `.repeat(30)}`;

/** Of a poll: workers take a while to begin. */
export const soon = { timeout: 20_000 } as const;

export class JobSite implements AsyncDisposable {
  /** They answer 500. */
  readonly failing: Set<string> = new Set(['/b', '/c1']);
  readonly #server: FixtureServer;
  #isOpen = (): boolean => true;
  readonly #waiting: (() => void)[] = [];

  private constructor(server: FixtureServer) {
    this.#server = server;
  }

  static async open(): Promise<JobSite> {
    const pages = Object.fromEntries([
      ...Object.entries(tree).map(([path, links]) => [path, pageOf(words(path), links)]),
      ...leaves.map((path) => [path, pageOf(words(path))]),
    ]) as Record<string, string>;
    pages['/'] = pageOf(words('/'), [...(tree['/'] ?? []), ...noise, 'mailto:x@site.test']);
    pages['/twin'] = pages['/a'] ?? '';
    pages['/robots.txt'] = 'User-agent: *\nDisallow: /closed/';
    const site: JobSite = new JobSite(
      await serve(pages, {
        behaviours: {
          '*': async ({ url, page, send, response }) => {
            if (!(url in pages) || url === '/robots.txt') return send(await page());
            if (!site.#isOpen()) await new Promise<void>((go) => site.#waiting.push(go));
            await sleep(Math.random() * 8);
            if (site.failing.has(url)) response.writeHead(500).end('down');
            else send(await page());
          },
        },
      }),
    );
    return site;
  }

  url(path: string): string {
    return this.#server.url(path);
  }

  /** A value in which the site has the same name in each run. */
  named<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll(this.#server.origin, '')) as T;
  }

  /** The pages that were requested since the last `forget()`. */
  get requested(): string[] {
    return this.#server.log.map(({ url }) => url).filter((url) => !/robots|sitemap/.test(url));
  }

  forget(): void {
    this.#server.clearLog();
  }

  /** Pages after the first `count` wait for `letGo()`. */
  hold(count: number): void {
    let answered = 0;
    this.#isOpen = () => (answered += 1) <= count;
  }

  letGo(): void {
    this.#isOpen = () => true;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.close();
  }
}
