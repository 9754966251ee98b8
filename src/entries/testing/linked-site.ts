/** Generated websites, with the graph that a crawl of them has to find. */
import { seededRandom } from './fake-clock.ts';
import type { SitePage } from './serve.ts';

/** Properties of a generated site. */
export interface LinkedSiteOptions {
  /** Pages, the start page `/` included. */
  readonly pages: number;
  /** Links of each page to random pages, beside the links that make all pages reachable. @default 3 */
  readonly links?: number;
  /** Equal seeds and options give equal sites. @default 1 */
  readonly seed?: string | number;
  /** Folders that the pages are spread over: `/section-2/page-7`. @default 0: `/page-7` */
  readonly sections?: number;
  /** Share of the pages, 0 to 1, that answer 500 and have no links. @default 0 */
  readonly failing?: number;
  /** Adds /sitemap.xml with all pages that do not fail. @default false */
  readonly sitemap?: boolean;
}

/** A generated site. */
export interface LinkedSite {
  /** For `serve`. */
  readonly site: Record<string, SitePage>;
  /** All pages, `/` first. */
  readonly paths: readonly string[];
  /** The pages that answer 500. */
  readonly failing: ReadonlySet<string>;
  /** The links of each page in document order, each once. */
  readonly graph: ReadonlyMap<string, readonly string[]>;
  /** The fewest links from `/` to each page; every page is reachable. */
  readonly depths: ReadonlyMap<string, number>;
}

/** Generates a site. Its pages differ in all their text, so that none is a duplicate. */
export function linkedSite(options: LinkedSiteOptions): LinkedSite {
  const { pages, links = 3, seed = 1, sections = 0, failing: share = 0 } = options;
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const paths = Array.from({ length: pages }, (_, page) => {
    if (page === 0) return '/';
    return sections > 0 ? `/section-${(page % sections) + 1}/page-${page}` : `/page-${page}`;
  });
  const failing = new Set(paths.slice(1).filter(() => random() < share));

  const targets = new Map(paths.map((path) => [path, new Set<string>()]));
  const sound: string[] = [];
  for (const path of paths) {
    // Each page is linked from an earlier page that does not fail: so all are reachable.
    targets.get(sound[below(sound.length)] ?? '')?.add(path);
    if (!failing.has(path)) sound.push(path);
  }
  for (const path of sound) {
    for (let link = 0; link < links; link++) targets.get(path)?.add(paths[below(pages)] ?? '/');
  }
  const graph = new Map([...targets].map(([path, found]) => [path, [...found]]));

  const site: Record<string, SitePage> = {};
  for (const [path, found] of graph) {
    site[path] = failing.has(path) ? { status: 500, body: '500' } : pageText(path, found, below);
  }
  if (options.sitemap === true) site['/sitemap.xml'] = sitemapOf(sound);
  return { site, paths, failing, graph, depths: depthsFrom('/', graph) };
}

const words =
  'amber basin cedar delta ember fjord grove heron inlet jetty knoll larch marsh notch ocean perch quarry ridge slate tidal umber vale wharf yarrow'.split(
    ' ',
  );

function pageText(
  path: string,
  links: readonly string[],
  below: (limit: number) => number,
): string {
  const text = Array.from({ length: 60 }, () => words[below(words.length)]).join(' ');
  const items = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('\n');
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Page ${path}</title></head>
<body><main><h1>Page ${path}</h1>
<p>${text}.</p>
<ul>
${items}
</ul></main></body>
</html>
`;
}

function sitemapOf(paths: readonly string[]): string {
  const entries = paths.map((path) => `<url><loc>{{origin}}${path}</loc></url>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries}
</urlset>
`;
}

/** The depth of each page, by breadth-first search. */
function depthsFrom(
  start: string,
  graph: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const depths = new Map([[start, 0]]);
  for (const [path, depth] of depths) {
    for (const link of graph.get(path) ?? []) if (!depths.has(link)) depths.set(link, depth + 1);
  }
  return depths;
}
