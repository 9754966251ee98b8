/** Runs CSS selectors with css-select on any tree that fits `dom.ts`, in bounded time. */
import {
  _compileUnsafe as compileSelector,
  compile,
  is,
  type Options,
  selectAll as cssSelectAll,
} from 'css-select';
import { type Selector, stringify } from 'css-what';
import { PagewrightError } from '../../core/runtime/errors.ts';
import {
  type DomElement,
  type DomNode,
  closestWhere,
  isElement,
  isTemplate,
  isText,
  nextNode,
} from './dom.ts';
import { pseudoClasses } from './pseudo-classes.ts';
import { parseSelector } from './selector.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

type SelectAdapter = NonNullable<Options<DomNode, DomElement>['adapter']>;

/**
 * All elements below `root` that match, in document order. An invalid selector throws; one that
 * takes too long on a page made for it throws `PARSE_LIMIT`.
 */
export function selectAll(selector: string, root: DomNode): DomElement[] {
  return [...matchesBelow(selector, root)];
}

/** The first element that matches. */
export function selectFirst(selector: string, root: DomNode): DomElement | null {
  const [first = null] = matchesBelow(selector, root);
  return first;
}

/** True when the element itself matches. */
export function matchesSelector(selector: string, element: DomElement): boolean {
  return is(element, parseSelector(selector), selectOptions);
}

/** The element or its nearest ancestor that matches. */
export function closestMatch(selector: string, element: DomElement): DomElement | null {
  const matches = isTagName(selector)
    ? (one: DomElement) => one.localName === selector
    : compile<DomNode, DomElement>(parseSelector(selector), selectOptions);
  return closestWhere(element, matches) ?? null;
}

function* matchesBelow(selector: string, root: DomNode): Generator<DomElement, void, undefined> {
  const isName = isTagName(selector);
  const simple = isName ? (one: DomElement) => one.localName === selector : attributeTest(selector);
  if (simple === undefined) {
    yield* matchesByCss(selector, root);
    return;
  }
  for (let node = nextNode(root, root); node !== null;) {
    if (isElement(node) && simple(node)) yield node;
    node = nextNode(node, root, !isName && isTemplate(node));
  }
}

function* matchesByCss(selector: string, root: DomNode): Generator<DomElement, void, undefined> {
  const search = searchOptions(selector, root);
  const query = compileSelector<DomNode, DomElement>(parseSelector(selector), search);
  if (query.shouldTestNextSiblings === true) {
    // `:scope + p` searches siblings of the root, which only css-select's own search does.
    yield* cssSelectAll<DomNode, DomElement>(query, root, search);
    return;
  }
  for (let node = nextNode(root, root); node !== null;) {
    if (isElement(node) && query(node)) yield node;
    node = nextNode(node, root, isTemplate(node));
  }
}

function isTagName(selector: string): boolean {
  return /^[a-z][a-z0-9]*$/.test(selector);
}

/** The test of `*`, `[name]` and `tag[name]`, without css-select; undefined for other selectors. */
function attributeTest(selector: string): ((element: DomElement) => boolean) | undefined {
  const match = /^(\*|[a-z][a-z0-9]*)?((?:\[[a-z][a-z0-9-]*\])*)$/.exec(selector);
  if (match === null || selector === '') return undefined;
  const [, name = '*', list = ''] = match;
  const attributes = list.slice(1, -1).split('][').filter(Boolean);
  return (element) =>
    (name === '*' || element.localName === name) &&
    attributes.every((attribute) => element.hasAttribute(attribute));
}

/** Without caches, for tests of a single element. */
const selectOptions: Options<DomNode, DomElement> = {
  adapter: adapterWith(childrenOf, () => undefined),
  pseudos: { ...pseudoClasses },
};

const maximumSteps = 20_000_000; // node visits: 0.1 to 1 s. Ordinary selectors take few per element

/** The remaining steps of one search, or of several together. */
export interface SelectorSteps {
  left: number;
}

/**
 * Tests elements of a tree, which must not change meanwhile, with selectors that share a step budget. A test
 * throws `PARSE_LIMIT` after the last step.
 */
export class SelectorTests {
  readonly #lists = new Map<DomNode, DomNode[]>();
  readonly #pseudos: Options<DomNode, DomElement>['pseudos'];
  readonly #quirksMode: boolean;

  /** `pseudos`: pseudo-classes in addition to css-select's own. */
  constructor(
    pseudos: Readonly<Record<string, (element: DomElement) => boolean>> = {},
    { quirksMode = false }: { readonly quirksMode?: boolean } = {},
  ) {
    this.#pseudos = pseudos;
    this.#quirksMode = quirksMode;
  }

  /** The test for a selector, given as text or as parsed by css-what. */
  of(selector: string | Selector[][], ...steps: SelectorSteps[]): (element: DomElement) => boolean {
    const spend = (count: number): void => {
      for (const each of steps) {
        each.left -= count;
        if (each.left < 0) {
          throw tooManySteps(typeof selector === 'string' ? selector : stringify(selector));
        }
      }
    };
    const options = countedOptions(this.#lists, spend, {
      pseudos: { ...this.#pseudos },
      quirksMode: this.#quirksMode,
    });
    const parts = typeof selector === 'string' ? parseSelector(selector) : selector;
    return compileSelector<DomNode, DomElement>(parts, options);
  }
}

/** A selector with an explicit `:scope`. */
const namesScope = /:scope|(?:^|,)\s*[>+~]/i;

/**
 * Options for a search below a node: a selector on an element only searches below it, `:scope` is the element
 * itself. The tree does not change meanwhile, so each list of children is built once.
 *
 * `a b c` on nested `b` elements and `p ~ q` on many siblings take polynomial time: steps are counted.
 */
function searchOptions(selector: string, root: DomNode): Options<DomNode, DomElement> {
  let left = maximumSteps;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw tooManySteps(selector);
  };
  const search = countedOptions(new Map(), spend);
  if (!isElement(root) || root.parentElement === null) return search;
  return namesScope.test(selector)
    ? { ...search, context: [root] }
    : { ...search, relativeSelector: false, rootFunc: withinTest(root) };
}

/** Options that build each list of children once, and count each visit of a node. */
function countedOptions(
  lists: Map<DomNode, DomNode[]>,
  spend: (steps: number) => void,
  { pseudos, ...more }: Pick<Options<DomNode, DomElement>, 'pseudos' | 'quirksMode'> = {},
): Options<DomNode, DomElement> {
  const childrenOnce = (node: DomNode): DomNode[] => {
    const list = getOrInsert(lists, node, () => childrenOf(node));
    return list;
  };
  const options: Options<DomNode, DomElement> = {
    ...more,
    adapter: adapterWith(childrenOnce, spend),
    pseudos: {
      ...pseudoClasses,
      ...nthPseudos((inner) => compileSelector<DomNode, DomElement>(inner, options)),
      ...pseudos,
    },
  };
  return options;
}

/** True for `root` and the elements below it; the answer for each parent is cached. */
function withinTest(root: DomElement): (element: DomElement) => boolean {
  const known = new Map<DomNode, boolean>([[root, true]]);
  return (element) => {
    const passed: DomNode[] = [];
    let node: DomNode | null = element;
    while (node !== null && !known.has(node)) {
      passed.push(node);
      node = node.parentNode;
    }
    const isWithin = node !== null && known.get(node) === true;
    for (const one of passed) known.set(one, isWithin);
    return isWithin;
  };
}

function tooManySteps(selector: string): PagewrightError {
  return new PagewrightError(
    'PARSE_LIMIT',
    `The selector ${JSON.stringify(selector)} takes too long on this page. Use one with fewer steps, such as a class or an id.`,
  );
}

function adapterWith(
  getChildren: (node: DomNode) => DomNode[],
  spend: (steps: number) => void,
): SelectAdapter {
  return {
    isTag: (node): node is DomElement => {
      spend(1);
      return isElement(node);
    },
    getAttributeValue: (element, name) => {
      const value = element.getAttribute(name) ?? undefined;
      // Word operators search the whole value.
      if (value !== undefined && value.length > 100) spend(value.length / 4);
      return value;
    },
    hasAttrib: (element, name) => element.hasAttribute(name),
    // css-select compares in lower case; SVG names have capitals.
    getName: (element) => element.localName.toLowerCase(),
    getText: (node) => {
      let text = '';
      for (let one: DomNode | null = node; one !== null; one = nextNode(one, node)) {
        if (isText(one)) text += one.data;
        spend(1);
      }
      spend(text.length / 8);
      return text;
    },
    getParent: (element) => {
      spend(1);
      return element.parentElement;
    },
    getChildren,
    getSiblings: (node) => (node.parentNode === null ? [node] : getChildren(node.parentNode)),
    prevElementSibling: (node) => {
      let previous = node.previousSibling;
      while (previous !== null && !isElement(previous)) {
        spend(1);
        previous = previous.previousSibling;
      }
      return previous;
    },
    removeSubsets: (nodes) => {
      const all = new Set(nodes);
      return [...all].filter((node) => {
        for (let parent = node.parentNode; parent !== null; parent = parent.parentNode) {
          if (all.has(parent)) return false;
        }
        return true;
      });
    },
  };
}

function childrenOf(node: DomNode): DomNode[] {
  return [...node.childNodes];
}

// `:nth-child` and related pseudo-classes for a whole search: siblings are numbered once, not per element.

type ElementTest = (element: DomElement) => boolean;

/** Positions among the siblings that are counted together. */
interface SiblingNumbering {
  readonly positions: ReadonlyMap<DomElement, number>;
  /** The number of siblings by group. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * The four pseudo-classes by name, as css-select takes them. `compile` compiles the inner selector (`2n of
 * .row`). Valid while the tree does not change.
 */
function nthPseudos(
  compile: (selector: string) => ElementTest,
): Record<string, (element: DomElement, rule?: string | null) => boolean> {
  const known = new Map<DomNode, Map<string, SiblingNumbering>>();
  const rules = new Map<string, NthRule>();
  const ruleOf = (text: string): NthRule => {
    const rule = getOrInsert(rules, text, () => parseRule(text, compile));
    return rule;
  };
  const numbering = (parent: DomNode, kind: string, groupOf: GroupOf): SiblingNumbering => {
    const ofParent = getOrInsert(known, parent, () => new Map<string, SiblingNumbering>());
    const made = getOrInsert(ofParent, kind, () => numberChildren(parent, groupOf));
    return made;
  };
  const nth = (element: DomElement, text: string, ofType: boolean, fromEnd: boolean): boolean => {
    const { step, offset, of } = ruleOf(text);
    const parent = element.parentNode;
    const groupOf: GroupOf = (one) =>
      of?.matches(one) === false ? undefined : ofType ? one.localName : '';
    const group = groupOf(element);
    if (group === undefined) return false;
    if (parent === null) return isNth(1, step, offset);
    const kind = ofType ? 'type' : `of ${of?.selector ?? ''}`;
    const { positions, sizes } = numbering(parent, kind, groupOf);
    const position = positions.get(element) ?? 1;
    return isNth(fromEnd ? (sizes.get(group) ?? 1) + 1 - position : position, step, offset);
  };
  return {
    'nth-child': (element, rule) => nth(element, rule ?? '', false, false),
    'nth-last-child': (element, rule) => nth(element, rule ?? '', false, true),
    'nth-of-type': (element, rule) => nth(element, rule ?? '', true, false),
    'nth-last-of-type': (element, rule) => nth(element, rule ?? '', true, true),
  };
}

/** The group in which an element is counted; undefined for elements that are not counted. */
type GroupOf = (element: DomElement) => string | undefined;

function numberChildren(parent: DomNode, groupOf: GroupOf): SiblingNumbering {
  const positions = new Map<DomElement, number>();
  const sizes = new Map<string, number>();
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    const group = isElement(child) ? groupOf(child) : undefined;
    if (group === undefined) continue;
    const position = (sizes.get(group) ?? 0) + 1;
    sizes.set(group, position);
    positions.set(child as DomElement, position);
  }
  return { positions, sizes };
}

interface NthRule {
  readonly step: number;
  readonly offset: number;
  readonly of: { readonly selector: string; readonly matches: ElementTest } | undefined;
}

/** CSS Syntax 3, section 6: `odd`, `even`, `3`, `2n`, `-n + 3`; Selectors 4 adds ` of selector`. */
function parseRule(text: string, compile: (selector: string) => ElementTest): NthRule {
  const [, formula = text, selector] = /^(.+?)\s+of\s+(.+)$/is.exec(text) ?? [];
  const of = selector === undefined ? undefined : { selector, matches: compile(selector) };
  const plain = formula.replace(/\s+/g, '').toLowerCase();
  if (plain === 'odd') return { step: 2, offset: 1, of };
  if (plain === 'even') return { step: 2, offset: 0, of };
  const match = /^(?:([+-]?\d*)n)?([+-]?\d+)?$/.exec(plain);
  if (plain === '' || match === null) throw new Error(`"${text}" is no rule such as 2n+1.`);
  const [, steps, offset = '0'] = match;
  const step = steps === undefined ? 0 : /\d/.test(steps) ? Number(steps) : Number(`${steps}1`);
  return { step, offset: Number(offset), of };
}

function isNth(position: number, step: number, offset: number): boolean {
  if (step === 0) return position === offset;
  const rounds = (position - offset) / step;
  return rounds >= 0 && Number.isInteger(rounds);
}
