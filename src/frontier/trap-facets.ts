/** Facets: one list of a shop under every combination of its filters. */
import type { Suspicion, TrapDetector } from './trap.ts';

/** What is known of one path. */
interface FacetPath {
  /** Combinations that were met: their choices in order. */
  readonly combinations: Set<string>;
  /** Names that were combined with others. */
  readonly names: Set<string>;
  /** Combinations that were let through before it was clear that they go on. */
  early: number;
}

/** Names that make a trap when they are combined at will. */
const facetCount = 3;
/** Values that are chosen in one URL at most. */
const mostChoices = 10;

/**
 * `?color=red&size=m` is a combination where `?color=red` and `?size=m` are pages, too: it can be
 * reached in more than one order. Two facets have so many combinations and no more; with three it is
 * a trap, and so it is with several values of one, whether its key is repeated (`size=m&size=l`, `size[]=m`),
 * numbered (`size[0]=m`, `prefn1=size&prefv1=m`) or has a list. Numbers of pages and languages are not facets.
 */
export class FacetTraps implements TrapDetector {
  readonly #paths = new Map<string, FacetPath>();

  suspect(url: URL, parent: URL): Suspicion | undefined {
    const choices = choicesOf(url);
    if (choices.length === 0) return undefined;
    const path = this.#pathOf(url);
    path.combinations.add(keyOf(choices));
    if (choices.length < 2) return undefined;
    if (choices.length > mostChoices || repeats(choices)) {
      return parent.pathname === url.pathname
        ? { pattern: patternOf(url, choices), isTrap: true }
        : undefined;
    }
    const dropped = choices.filter((one) =>
      path.combinations.has(keyOf(choices.filter((other) => other !== one))),
    );
    if (dropped.length < 2) return undefined;
    const names = new Set(dropped.map(({ name }) => name));
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

/** One value of one facet. */
interface Choice {
  /** Of the facet: `colour`, `colour[]` for `colour[3]`. */
  readonly name: string;
  /** Name and value. */
  readonly text: string;
}

/** The choices of a URL in one order, whatever theirs is. */
function choicesOf(url: URL): Choice[] {
  if (url.search.length < 2) return [];
  const parameters = url.search
    .slice(1)
    .split('&')
    .map(parameterOf)
    .filter(({ name }) => !noFacet.test(name.split(/\[|%5b/i, 1)[0] ?? ''));
  const numbered = new Map<string, Parameter[]>();
  const choices: Choice[] = [];
  for (const parameter of parameters) {
    const { name, value, index } = parameter;
    if (index === undefined) {
      // `tags=a,b` are two choices, as `tag=a&tag=b` are.
      for (const one of value.split(separators)) choices.push({ name, text: `${name}=${one}` });
    } else numbered.set(index, [...(numbered.get(index) ?? []), parameter]);
  }
  for (const group of numbered.values()) choices.push(...numberedChoices(group));
  return choices.sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** What separates the values of a list. */
const separators = /,|%2c|\||%7c|;|%3b/i;

interface Parameter {
  readonly name: string;
  readonly value: string;
  /** `3` of `colour[3]`, `filter[3][name]` or `prefn3`. */
  readonly index: string | undefined;
}

function parameterOf(text: string): Parameter {
  const [written = ''] = text.split('=', 1);
  const value = text.slice(written.length + 1);
  const [number, inBrackets, atEnd] =
    /(?:\[|%5b)(\d+)(?:\]|%5d)|(?<=\D)(\d+)$/i.exec(written) ?? [];
  if (number === undefined) return { name: written, value, index: undefined };
  const name = written.replace(number, inBrackets === undefined ? '' : '[]');
  return { name, value, index: inBrackets ?? atEnd };
}

/** `prefn1=colour&prefv1=red` is one choice of `prefn=colour`; `a[0]=1` and `b[0]=2` are one of each. */
function numberedChoices(group: readonly Parameter[]): Choice[] {
  const [first, second] = group;
  const isPair =
    first !== undefined && second !== undefined && group.length === 2 && first.name !== second.name;
  if (isPair && stemOf(first.name) === stemOf(second.name)) {
    const name = `${first.name}=${first.value}`;
    return [{ name, text: `${name}&${second.name}=${second.value}` }];
  }
  return group.map(({ name, value }) => ({ name, text: `${name}=${value}` }));
}

/** What the two names of a pair have in common: `pref` of `prefn`, `f[]` of `f[][name]`. */
function stemOf(name: string): string {
  return /\[\](?:.+)$/.test(name) ? name.slice(0, name.indexOf('[]')) : name.slice(0, -1);
}

function repeats(choices: readonly Choice[]): boolean {
  return new Set(choices.map(({ text }) => text)).size < choices.length;
}

function keyOf(choices: readonly Choice[]): string {
  return choices.map(({ text }) => text).join('&');
}

function patternOf({ pathname }: URL, choices: readonly Choice[]): string {
  const names = [...new Set(choices.map(({ name }) => name))];
  return `${pathname}?${names.map((name) => `${name}={…}`).join('&')}`;
}
