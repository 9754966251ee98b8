/** Facets: one list of a shop under every combination of its filters. */
import type { Suspicion, TrapDetector } from './trap.ts';

/** What is known of one path. */
interface FacetPath {
  /** Combinations that were met: their parameters in order. */
  readonly combinations: Set<string>;
  /** Names that were combined with others. */
  readonly names: Set<string>;
  /** Combinations that were let through before it was clear that they go on. */
  early: number;
}

/** Names that make a trap when they are combined at will. */
const facetCount = 3;
/** Parameters that one URL is given at most. */
const mostParameters = 10;

/**
 * `?color=red&size=m` is a combination where `?color=red` and `?size=m` are pages, too: it can be
 * reached in more than one order. Two facets have so many combinations and no more; with three it is
 * a trap. Numbers of pages and languages are no facets.
 */
export class FacetTraps implements TrapDetector {
  readonly #paths = new Map<string, FacetPath>();

  suspect(url: URL, parent: URL): Suspicion | undefined {
    const parameters = facetsOf(url);
    if (parameters.length === 0) return undefined;
    const path = this.#pathOf(url);
    path.combinations.add(parameters.join('&'));
    if (parameters.length < 2) return undefined;
    if (parameters.length > mostParameters || repeats(parameters)) {
      return parent.pathname === url.pathname
        ? { pattern: patternOf(url, parameters), isTrap: true }
        : undefined;
    }
    const dropped = parameters.filter((one) =>
      path.combinations.has(parameters.filter((other) => other !== one).join('&')),
    );
    if (dropped.length < 2) return undefined;
    const names = new Set(dropped.map(nameOf));
    for (const name of names) path.names.add(name);
    // Two values of one facet: any number of them can be chosen.
    const isSelection = names.size < dropped.length;
    if (path.names.size < facetCount && !isSelection) {
      path.early += 1;
      return undefined;
    }
    const weight = path.early + 1;
    path.early = 0;
    return {
      pattern: patternOf(url, dropped),
      isTrap: isSelection || !isTable(path, names),
      weight,
    };
  }

  #pathOf({ host, pathname }: URL): FacetPath {
    const key = host + pathname;
    const path = this.#paths.get(key) ?? { combinations: new Set(), names: new Set(), early: 0 };
    this.#paths.set(key, path);
    return path;
  }
}

/** True for the combinations of the only two filters that a list has, beside the ways to show it. */
function isTable(path: FacetPath, names: ReadonlySet<string>): boolean {
  const filters = [...path.names].filter((name) => !presentation.test(name));
  return filters.length < facetCount && [...names].every((name) => filters.includes(name));
}

/** Ways to show the same list. */
const presentation =
  /^(?:sort\w*|order\w*|dir|direction|view|display|mode|limit|per[-_]?page|page[-_]?size|show|layout)$/i;
const noFacet =
  /^(?:page\w*|p|pg|paged|start|offset|from|seite|pagina|lang|language|locale|hl|l|currency)$/i;

function facetsOf(url: URL): string[] {
  if (url.search.length < 2) return [];
  return url.search
    .slice(1)
    .split('&')
    .filter((parameter) => !noFacet.test(nameOf(parameter)))
    .flatMap(choicesOf)
    .sort();
}

/** `tags=a,b` are two choices, as `tag=a&tag=b` are. */
function choicesOf(parameter: string): string[] {
  const name = nameOf(parameter);
  const choices = parameter.slice(name.length + 1).split(/,|%2c|\||%7c/i);
  return choices.length === 1 ? [parameter] : choices.map((choice) => `${name}=${choice}`);
}

function nameOf(parameter: string): string {
  return parameter.split('=', 1)[0] ?? '';
}

function repeats(parameters: readonly string[]): boolean {
  return new Set(parameters).size < parameters.length;
}

function patternOf({ pathname }: URL, parameters: readonly string[]): string {
  const names = [...new Set(parameters.map(nameOf))];
  return `${pathname}?${names.map((name) => `${name}={…}`).join('&')}`;
}
