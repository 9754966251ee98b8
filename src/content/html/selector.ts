/** Parses CSS selectors, and checks the caller's before a page is fetched. */
import { isTraversal, parse, type Selector, SelectorType } from 'css-what';
import { pseudoClasses } from './pseudo-classes.ts';

/** The error of a selector as a sentence; undefined for a valid one. */
export function selectorError(selector: string): string | undefined {
  try {
    const alternatives = parseSelector(selector);
    return alternatives.length === 0 ? 'the selector is empty' : unknownPart(alternatives);
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Parses a selector for css-select; throws if it is invalid. Comments, which css-what only partly supports,
 * are removed; an empty `:is()` matches nothing.
 */
export function parseSelector(selector: string): Selector[][] {
  const alternatives = parse(plainSelector(selector));
  for (const parts of alternatives) parts.forEach(searchBelow);
  return alternatives;
}

function plainSelector(selector: string): string {
  if (!/\/\*|\(\s*\)/.test(selector)) return selector;
  return selector.replace(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\.|\/\*[^]*?(\*\/|$)|:(?:is|where|matches)(\(\s*\))/gis,
    (part, end?: string, empty?: string) =>
      empty !== undefined ? ':not(*)' : end === '*/' ? '' : part,
  );
}

/**
 * `:has(.card > .ad)` only concerns descendants: css-select would also match the element itself as `.card`.
 * Names match in any namespace.
 */
function searchBelow(part: Selector): void {
  if ((part.type === 'tag' || part.type === 'attribute') && part.namespace === '*') {
    part.namespace = null;
  }
  if (part.type !== 'pseudo' || !Array.isArray(part.data)) return;
  for (const inner of part.data) {
    inner.forEach(searchBelow);
    const [first] = inner;
    const isAbsolute = first !== undefined && !isTraversal(first) && inner.some(isTraversal);
    if (part.name === 'has' && isAbsolute && !namesScope(inner)) {
      inner.unshift({ type: SelectorType.Descendant });
    }
  }
}

function namesScope(parts: readonly Selector[]): boolean {
  return parts.some(
    (part) =>
      part.type === 'pseudo' &&
      (part.name === 'scope' || (Array.isArray(part.data) && part.data.some(namesScope))),
  );
}

/** Pseudo-classes that css-select supports, with ours. */
const knownNames: ReadonlySet<string> = new Set([
  ...Object.keys(pseudoClasses),
  ...(
    'is matches where not has contains icontains root scope lang empty first-child last-child ' +
    'only-child first-of-type last-of-type only-of-type nth-child nth-last-child nth-of-type ' +
    'nth-last-of-type link hover visited active enabled checked required optional selected ' +
    'checkbox file password radio reset image submit parent header button input text'
  ).split(' '),
]);

/** Selectors 4, 6.6.5: `2n + 1`, `odd`, `3`, `even of .row`. */
const nthRule = /^\s*(?:odd|even|[+-]?\d+|[+-]?\d*n(?:\s*[+-]\s*\d+)?)\s*(?:\sof\s.+)?$/is;

function unknownPart(alternatives: readonly Selector[][], isRelative = false): string | undefined {
  for (const parts of alternatives) {
    const [first, last] = [parts[0], parts.at(-1)];
    const dangling = [isRelative ? undefined : first, last].some((part) => isCombinator(part));
    if (dangling) return 'a combinator stands without a selector beside it';
  }
  for (const part of alternatives.flat()) {
    // css-select accepts `*|*` and throws for every other namespace.
    const namespace = 'namespace' in part ? part.namespace : null;
    if (namespace !== null && !(part.type === 'universal' && namespace === '*')) {
      return `the namespace ${JSON.stringify(namespace)} is not known`;
    }
    if (part.type === 'column-combinator') return 'the combinator || is not known';
    if (part.type === 'pseudo-element') return `::${part.name} names no element of the page`;
    if (part.type !== 'pseudo') continue;
    if (!knownNames.has(part.name)) return `:${part.name} is not known`;
    const rule = typeof part.data === 'string' ? part.data : '';
    if (part.name.startsWith('nth-') && !nthRule.test(rule)) {
      return `:${part.name}(${rule}) has no rule such as 2n+1`;
    }
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
