/** Checks the CSS selectors of callers before a page is fetched. */
import { isTraversal, parse, type Selector } from 'css-what';

/** The error of a selector in a sentence; undefined for a valid one. */
export function selectorError(selector: string): string | undefined {
  try {
    const alternatives = parse(selector);
    return alternatives.length === 0 ? 'the selector is empty' : unknownPart(alternatives);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Pseudo-classes that css-select supports. */
const pseudoClasses = new Set(
  (
    'is matches where not has contains icontains root scope lang empty first-child last-child ' +
    'only-child first-of-type last-of-type only-of-type nth-child nth-last-child nth-of-type ' +
    'nth-last-of-type any-link link hover visited active disabled enabled checked required optional ' +
    'read-only read-write selected checkbox file password radio reset image submit parent header ' +
    'button input text'
  ).split(' '),
);

function unknownPart(alternatives: readonly Selector[][], isRelative = false): string | undefined {
  for (const parts of alternatives) {
    const [first, last] = [parts[0], parts.at(-1)];
    const dangling = [isRelative ? undefined : first, last].some((part) => isCombinator(part));
    if (dangling) return 'a combinator stands without a selector beside it';
  }
  for (const part of alternatives.flat()) {
    // css-select takes `*|*` and throws for every other namespace.
    const namespace = 'namespace' in part ? part.namespace : null;
    if (namespace !== null && !(part.type === 'universal' && namespace === '*')) {
      return `the namespace ${JSON.stringify(namespace)} is not known`;
    }
    if (part.type === 'column-combinator') return 'the combinator || is not known';
    if (part.type === 'pseudo-element') return `::${part.name} names no element of the page`;
    if (part.type !== 'pseudo') continue;
    if (!pseudoClasses.has(part.name)) return `:${part.name} is not known`;
    const inner = Array.isArray(part.data)
      ? unknownPart(part.data, part.name === 'has')
      : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function isCombinator(part: Selector | undefined): boolean {
  return part !== undefined && isTraversal(part);
}
