/** Detects facets: one list of a shop under every combination of its filters. */
import { isWord, segmentsOf, type TrapDetector, type TrapSuspicion } from './trap-detectors.ts';

const limits = {
  facetCount: 3, // freely combined names that make a trap
  dimensionCount: 4, // the same for names always there, such as topic, version and platform
  combinations: 40, // combinations of two facets, each of which is a list without the other
  choices: 10, // values chosen in one URL
  segments: 12, // of a path that is compared with others
};

/** Facts about one list whose filters are parameters. */
interface FilteredList {
  /** Seen combinations: their choices in order. */
  readonly combinations: Set<string>;
  /** By a combination and the name of one choice that it lacks: that choice, or null for several. */
  readonly lacking: Map<string, string | null>;
  /** Pairs of names: a link changed the first, but not the second. */
  readonly changes: Set<string>;
  /** Names that were combined with others. */
  readonly names: Set<string>;
  /** Combinations of which two choices can be left out: the cells of a table, if there are few. */
  cells: number;
}

/** Facts about one list whose filters are segments of the path. */
interface FilteredPath {
  /** Segments before another filter, and segments after one. */
  readonly firsts: Set<string>;
  readonly seconds: Set<string>;
  isTrap: boolean;
}

/** A path with the segments that may be filters. */
interface PathFilters {
  readonly list: string;
  readonly pattern: string;
  readonly texts: readonly string[];
}

/**
 * `?color=red&size=m` is a combination if `?color=red` and `?size=m` are pages, too: it can be reached in more than one
 * order. So it is if links of the list change the color but not the size, and vice versa. Two facets have a limited
 * number of combinations; three are a trap, and so are several values of one, whether its key is repeated
 * (`size=m&size=l`, `size[]=m`), numbered (`size[0]=m`, `prefn1=size&prefv1=m`) or has a list. Page numbers and
 * languages are not facets.
 *
 * `/shoes/red/m` is a combination if `/shoes/red` and `/shoes/m` are pages, too. It is a trap if a segment stands
 * before one filter and after another: the levels of a hierarchy do not.
 */
export class FacetTraps implements TrapDetector {
  readonly #lists = new Map<string, FilteredList>();
  readonly #paths = new Set<string>();
  readonly #filteredPaths = new Map<string, FilteredPath>();

  readPage(page: URL, links: readonly string[]): void {
    const own = choicesOf(page);
    if (own.length < 2) return;
    const start = `${page.origin}${page.pathname}?`;
    for (const link of links) {
      if (!link.startsWith(start)) continue;
      const changed = changedName(own, choicesOf(new URL(link)));
      if (changed === undefined) continue;
      const { changes } = this.#listAt(page);
      for (const { name } of own) changes.add(pairOf(changed, name));
    }
  }

  suspect(url: URL, parent: URL): TrapSuspicion | undefined {
    this.#notePath(url);
    const choices = choicesOf(url);
    this.#noteChoices(url, choices);
    const isEndless = choices.length > limits.choices || repeats(choices);
    if (isEndless && parent.pathname === url.pathname) {
      return { pattern: patternOf(url, choices), isTrap: true, list: listOf(url) };
    }
    return this.#suspectQuery(url, choices) ?? this.#suspectPath(url);
  }

  /** Combinations of a list are found before their number is known. */
  suspectLate(url: URL): TrapSuspicion | undefined {
    return this.#suspectQuery(url, choicesOf(url)) ?? this.#suspectPath(url);
  }

  settled(url: URL): number {
    return this.suspectLate(url) === undefined ? 0 : 1;
  }

  #noteChoices(url: URL, choices: readonly FilterChoice[]): void {
    if (choices.length === 0 || choices.length > limits.choices) return;
    const list = this.#listAt(url);
    const isNew = !list.combinations.has(keyOf(choices));
    list.combinations.add(keyOf(choices));
    if (choices.length < 2) return;
    for (const one of choices) {
      const key = `${restOf(one, choices)}\n${one.name}`;
      const known = list.lacking.get(key);
      list.lacking.set(key, known === undefined || known === one.text ? one.text : null);
    }
    const free = choices.filter((one) => isFree(one, choices, list));
    if (free.length < 2) return;
    for (const { name } of free) list.names.add(name);
    if (isNew && isOptional(choices, list)) list.cells += 1;
  }

  #suspectQuery(url: URL, choices: readonly FilterChoice[]): TrapSuspicion | undefined {
    if (choices.length < 2 || choices.length > limits.choices || repeats(choices)) return undefined;
    const list = this.#listAt(url);
    const free = choices.filter((one) => isFree(one, choices, list));
    if (free.length < 2) return undefined;
    const names = new Set(free.map(({ name }) => name));
    // Two values of one facet: any number of them can be chosen.
    const isSelection = names.size < free.length;
    const isLists = isOptional(choices, list);
    const isFew = list.names.size < (isLists ? limits.facetCount : limits.dimensionCount);
    const isCell = !isSelection && (isFew || isTable(list, names));
    if (isCell && !(isLists && list.cells > limits.combinations)) return undefined;
    return { pattern: patternOf(url, free), isTrap: true, list: listOf(url) };
  }

  #notePath(url: URL): void {
    const filters = this.#pathFilters(url);
    this.#paths.add(pathKey(url.host, segmentsOf(url.pathname)));
    if (filters === undefined) return;
    const { list, texts } = filters;
    const known = this.#filteredPaths.get(list);
    const path = known ?? { firsts: new Set(), seconds: new Set(), isTrap: false };
    this.#filteredPaths.set(list, path);
    for (const text of texts.slice(0, -1).filter(isWord)) path.firsts.add(text);
    for (const text of texts.slice(1).filter(isWord)) path.seconds.add(text);
    path.isTrap ||= texts.some((text) => path.firsts.has(text) && path.seconds.has(text));
  }

  #suspectPath(url: URL): TrapSuspicion | undefined {
    const filters = this.#pathFilters(url);
    if (filters === undefined) return undefined;
    const { list, pattern } = filters;
    const { isTrap = false } = this.#filteredPaths.get(list) ?? {};
    return isTrap ? { pattern, isTrap, list } : undefined;
  }

  /** The filters in a path below the path of a list; a filter is one segment, or a name and a value. */
  #pathFilters({ host, pathname }: URL): PathFilters | undefined {
    const segments = segmentsOf(pathname);
    if (segments.length < 3 || segments.length > limits.segments) return undefined;
    const has = (some: readonly string[]): boolean => this.#paths.has(pathKey(host, some));
    for (const size of [1, 2]) {
      const { texts, rest } = filtersIn(segments, size, has);
      if (texts.length < 2 || rest.length === 0 || !has(rest)) continue;
      const pattern = ['', ...rest, ...texts.map(() => '{…}')].join('/');
      return { list: pathKey(host, rest), pattern, texts };
    }
    return undefined;
  }

  #listAt(url: URL): FilteredList {
    const key = listOf(url);
    const list = this.#lists.get(key) ?? {
      combinations: new Set(),
      lacking: new Map(),
      changes: new Set(),
      names: new Set(),
      cells: 0,
    };
    this.#lists.set(key, list);
    return list;
  }
}

function listOf({ host, pathname }: URL): string {
  return host + pathname;
}

/** The same for segments in any order. */
function pathKey(host: string, segments: readonly string[]): string {
  return [host, ...[...segments].sort()].join('/');
}

/** The parts of a path that can be left out, each of `size` segments, and the path without them. */
function filtersIn(
  segments: readonly string[],
  size: number,
  has: (some: readonly string[]) => boolean,
): { readonly texts: string[]; readonly rest: string[] } {
  const texts: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < segments.length;) {
    const part = segments.slice(at, at + size);
    const isFilter =
      part.length === size && has([...segments.slice(0, at), ...segments.slice(at + size)]);
    if (isFilter) texts.push(part.join('/'));
    else rest.push(segments[at] ?? '');
    at += isFilter ? size : 1;
  }
  return { texts, rest };
}

/** True for a choice that can be left out, or changed while the others stay. */
function isFree(
  one: FilterChoice,
  choices: readonly FilterChoice[],
  { combinations, lacking, changes }: FilteredList,
): boolean {
  const rest = restOf(one, choices);
  if (combinations.has(rest)) return true;
  const isPaired = ({ name }: FilterChoice): boolean =>
    changes.has(pairOf(one.name, name)) && changes.has(pairOf(name, one.name));
  return (
    lacking.get(`${rest}\n${one.name}`) === null &&
    choices.some((other) => other !== one && isPaired(other))
  );
}

/** True if two of the choices can be left out. */
function isOptional(choices: readonly FilterChoice[], { combinations }: FilteredList): boolean {
  return choices.filter((one) => combinations.has(restOf(one, choices))).length > 1;
}

function restOf(one: FilterChoice, choices: readonly FilterChoice[]): string {
  return keyOf(choices.filter((other) => other !== one));
}

/** The name of the only choice that differs. */
function changedName(
  choices: readonly FilterChoice[],
  others: readonly FilterChoice[],
): string | undefined {
  if (choices.length !== others.length) return undefined;
  const without = (some: readonly FilterChoice[], more: readonly FilterChoice[]): FilterChoice[] =>
    some.filter(({ text }) => !more.some((other) => other.text === text));
  const [[before, ...rest], [after]] = [without(choices, others), without(others, choices)];
  return rest.length === 0 && before?.name === after?.name ? before?.name : undefined;
}

function pairOf(changed: string, unchanged: string): string {
  return `${changed}\n${unchanged}`;
}

/** True for combinations of the only two filters of a list, besides its presentation. */
function isTable(list: FilteredList, names: ReadonlySet<string>): boolean {
  const filters = [...list.names].filter((name) => !presentation.test(name));
  return filters.length < limits.facetCount && [...names].every((name) => filters.includes(name));
}

/** Parameters that present the same list differently. */
const presentation =
  /^(?:sort\w*|order\w*|dir|direction|view|display|mode|limit|per[-_]?page|page[-_]?size|show|layout)$/i;

/** Parameters that name a page of a list, a language, or one thing. */
const noFacet =
  /^(?:id|pid|sku|(?:article|item|post|product|thread|topic)[-_]?id|page\w*|p|pg|paged|start|offset|from|seite|pagina|lang|language|locale|hl|l|currency)$/i;

/** One value of one facet. */
interface FilterChoice {
  /** The name of the facet: `colour`, `colour[]` for `colour[3]`. */
  readonly name: string;
  /** Name and value. */
  readonly text: string;
}

/** The choices of a URL in a canonical order. */
function choicesOf(url: URL): FilterChoice[] {
  if (url.search.length < 2) return [];
  const parameters = url.search
    .slice(1)
    .split('&')
    // `size=` chooses nothing.
    .filter((text) => !text.endsWith('='))
    .map(parameterOf)
    .filter(({ name }) => !noFacet.test(name.split(/\[|%5b/i, 1)[0] ?? ''));
  const numbered = new Map<string, FilterParameter[]>();
  const choices: FilterChoice[] = [];
  for (const parameter of parameters) {
    const { name, value, index } = parameter;
    if (index === undefined) {
      // `tags=a,b` are two choices, like `tag=a&tag=b`.
      for (const one of valuesOf(value)) choices.push({ name, text: `${name}=${one}` });
    } else numbered.set(index, [...(numbered.get(index) ?? []), parameter]);
  }
  for (const group of numbered.values()) choices.push(...numberedChoices(group));
  return choices.sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** Separators of values in a list. */
const separators = /,|%2c|\||%7c|;|%3b/i;

/** Separators of values with labels: `color-red_size-m`. Elsewhere they join words. */
const labelledSeparators = /_|\/|%2f|\+|%20|~|\./i;

const labelled = /^\p{L}[\p{L}\d]*(?:[-:=]|%3a|%3d)./iu;

function valuesOf(value: string): string[] {
  const values = value.split(separators);
  const others = value.split(labelledSeparators);
  return values.length === 1 && others.every((one) => labelled.test(one)) ? others : values;
}

interface FilterParameter {
  readonly name: string;
  readonly value: string;
  /** `3` of `colour[3]`, `filter[3][name]` or `prefn3`. */
  readonly index: string | undefined;
}

function parameterOf(text: string): FilterParameter {
  const [written = ''] = text.split('=', 1);
  const value = text.slice(written.length + 1);
  const [number, inBrackets, atEnd] =
    /(?:\[|%5b)(\d+)(?:\]|%5d)|(?<=\D)(\d+)$/i.exec(written) ?? [];
  if (number === undefined) return { name: written, value, index: undefined };
  const name = written.replace(number, inBrackets === undefined ? '' : '[]');
  return { name, value, index: inBrackets ?? atEnd };
}

/** `prefn1=colour&prefv1=red` is one choice of `prefn=colour`; `a[0]=1` and `b[0]=2` are one of each. */
function numberedChoices(group: readonly FilterParameter[]): FilterChoice[] {
  const [first, second] = group;
  const isPair =
    first !== undefined && second !== undefined && group.length === 2 && first.name !== second.name;
  if (isPair && stemOf(first.name) === stemOf(second.name)) {
    const name = `${first.name}=${first.value}`;
    return [{ name, text: `${name}&${second.name}=${second.value}` }];
  }
  return group.map(({ name, value }) => ({ name, text: `${name}=${value}` }));
}

/** The common stem of two paired names: `pref` of `prefn`, `f[]` of `f[][name]`. */
function stemOf(name: string): string {
  return /\[\](?:.+)$/.test(name) ? name.slice(0, name.indexOf('[]')) : name.slice(0, -1);
}

function repeats(choices: readonly FilterChoice[]): boolean {
  return new Set(choices.map(({ text }) => text)).size < choices.length;
}

function keyOf(choices: readonly FilterChoice[]): string {
  return choices.map(({ text }) => text).join('&');
}

function patternOf({ pathname }: URL, choices: readonly FilterChoice[]): string {
  const names = [...new Set(choices.map(({ name }) => name))];
  return `${pathname}?${names.map((name) => `${name}={…}`).join('&')}`;
}
