/** Selects elements by XPath on any tree that fits `dom.ts`, in bounded time: the part of XPath 1.0 that selects elements. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { type DomElement, isElement, isText, nextNode, nodesBelow } from './dom.ts';

/** The error of an XPath in a sentence; undefined for a valid one. */
export function xpathError(source: string): string | undefined {
  try {
    parseXPath(source);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const maxWork = 20_000_000; // nodes and characters of one path: far more than an honest page has

/**
 * The elements at and below `within` that match, in document order. `/` and `//` begin there too: an
 * item of a list does not see the rest of the page. Throws `Error` for a path that cannot be parsed,
 * `PARSE_LIMIT` for a page on which it takes too long.
 */
export function selectByXPath(source: string, within: DomElement): DomElement[] {
  const { isAbsolute, steps } = parseXPath(source);
  let left = maxWork;
  const spend = (work: number): void => {
    left -= work;
    if (left < 0) {
      throw new PagewrightError(
        'PARSE_LIMIT',
        `The XPath ${source} takes too long on this page; use a narrower one.`,
      );
    }
  };
  let rest = steps;
  let current: ReadonlySet<DomElement> = new Set([within]);
  if (isAbsolute) {
    // The first step starts at the container of the root.
    const [first] = steps;
    const isDeep = first?.axis === 'descendant-or-self';
    const own = steps[isDeep ? 1 : 0];
    if (own === undefined) return [];
    current = ofRoot(own, within, isDeep, spend);
    rest = steps.slice(isDeep ? 2 : 1);
  }
  for (const step of rest) current = stepFrom(current, step, within, spend);
  const found: DomElement[] = [];
  if (current.size === 0) return found;
  if (current.has(within)) found.push(within);
  for (const node of nodesBelow(within)) if (isElement(node) && current.has(node)) found.push(node);
  return found;
}

type SpendWork = (work: number) => void;

function ofRoot(
  step: XPathStep,
  within: DomElement,
  isDeep: boolean,
  spend: SpendWork,
): ReadonlySet<DomElement> {
  const top = filtered(
    [within].filter((one) => isNamed(one, step)),
    step.predicates,
    spend,
  );
  if (!isDeep) return new Set(top);
  const all = stepFrom(
    new Set([within]),
    { axis: 'descendant-or-self', name: '*', predicates: [] },
    within,
    spend,
  );
  return new Set([...top, ...stepFrom(all, step, within, spend)]);
}

function stepFrom(
  contexts: ReadonlySet<DomElement>,
  step: XPathStep,
  within: DomElement,
  spend: SpendWork,
): Set<DomElement> {
  const found = new Set<DomElement>();
  for (const context of contexts) {
    // Elements reached from an ancestor are already included, with all their descendants.
    const isKnown = step.axis === 'descendant-or-self' && found.has(context);
    if (isKnown) continue;
    const reached = alongAxis(context, step.axis, within, spend).filter((one) =>
      isNamed(one, step),
    );
    for (const element of filtered(reached, step.predicates, spend)) found.add(element);
  }
  return found;
}

function isNamed(element: DomElement, { name }: XPathStep): boolean {
  return name === '*' || element.localName === name;
}

function alongAxis(
  context: DomElement,
  axis: XPathStep['axis'],
  within: DomElement,
  spend: SpendWork,
): DomElement[] {
  const found: DomElement[] = [];
  const add = (element: DomElement): void => {
    spend(1);
    found.push(element);
  };
  switch (axis) {
    case 'self':
      add(context);
      break;
    case 'child':
      for (let node = context.firstChild; node !== null; node = node.nextSibling) {
        spend(1);
        if (isElement(node)) add(node);
      }
      break;
    case 'descendant-or-self':
      add(context);
      for (let node = context.firstChild; node !== null; node = nextNode(node, context)) {
        spend(1);
        if (isElement(node)) add(node);
      }
      break;
    case 'parent':
      if (context !== within && context.parentElement !== null) add(context.parentElement);
      break;
    case 'ancestor':
      for (
        let one = context;
        one !== within && one.parentElement !== null;
        one = one.parentElement
      ) {
        add(one.parentElement);
      }
      break;
    case 'following-sibling':
    case 'preceding-sibling': {
      if (context === within) break;
      const next = axis === 'following-sibling' ? 'nextElementSibling' : 'previousElementSibling';
      for (let one = context[next]; one !== null; one = one[next]) add(one);
    }
  }
  return found;
}

function filtered(
  elements: readonly DomElement[],
  predicates: readonly XPathPredicate[],
  spend: SpendWork,
): readonly DomElement[] {
  return predicates.reduce<readonly DomElement[]>(
    (current, predicate) =>
      current.filter((element, index) =>
        predicateHolds(predicate, element, index, current.length, spend),
      ),
    elements,
  );
}

function predicateHolds(
  predicate: XPathPredicate,
  element: DomElement,
  index: number,
  count: number,
  spend: SpendWork,
): boolean {
  const inner = (part: XPathPredicate): boolean =>
    predicateHolds(part, element, index, count, spend);
  switch (predicate.kind) {
    case 'position':
      return index + 1 === predicate.position;
    case 'last':
      return index + 1 === count;
    case 'and':
      return predicate.parts.every(inner);
    case 'or':
      return predicate.parts.some(inner);
    case 'not':
      return !inner(predicate.part);
    case 'exists':
      return textsOf(predicate.of, element, spend).length > 0;
    case 'equals':
      return textsOf(predicate.of, element, spend).includes(predicate.text);
    case 'differs':
      return textsOf(predicate.of, element, spend).some((text) => text !== predicate.text);
    case 'contains':
      return textsOf(predicate.of, element, spend).some((text) => text.includes(predicate.text));
    case 'starts-with':
      return textsOf(predicate.of, element, spend).some((text) => text.startsWith(predicate.text));
  }
}

function textsOf(of: XPathOperand, element: DomElement, spend: SpendWork): string[] {
  const texts = rawTexts(of, element);
  spend(texts.reduce((sum, text) => sum + text.length, 1));
  return of.isNormal ? texts.map((text) => text.replace(/\s+/g, ' ').trim()) : texts;
}

function rawTexts({ kind, name }: XPathOperand, element: DomElement): string[] {
  if (kind === 'attribute') {
    const value = element.getAttribute(name);
    return value === null ? [] : [value];
  }
  if (kind === 'text') return [element.textContent ?? ''];
  const texts: string[] = [];
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (kind === 'own-text' && isText(node)) texts.push(node.data);
    const isChild =
      kind === 'child' && isElement(node) && (name === '*' || node.localName === name);
    if (isChild) texts.push(node.textContent ?? '');
  }
  return texts;
}

// XPath expressions as parsed steps.

/** One step of a path. */
interface XPathStep {
  readonly axis: XPathAxis;
  /** Lower-case; `*` for every element. */
  readonly name: string;
  readonly predicates: readonly XPathPredicate[];
}

type XPathAxis =
  | 'child'
  | 'descendant-or-self'
  | 'self'
  | 'parent'
  | 'ancestor'
  | 'following-sibling'
  | 'preceding-sibling';

/** Filters the elements of a step. */
type XPathPredicate =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly XPathPredicate[] }
  | { readonly kind: 'not'; readonly part: XPathPredicate }
  | { readonly kind: 'exists'; readonly of: XPathOperand }
  | {
      readonly kind: 'equals' | 'differs' | 'contains' | 'starts-with';
      readonly of: XPathOperand;
      readonly text: string;
    };

/** The operand of a test: an attribute, the element's text, its own text nodes, a child element. */
interface XPathOperand {
  readonly kind: 'attribute' | 'text' | 'own-text' | 'child';
  readonly name: string;
  /** White space collapsed, as by `normalize-space()`. */
  readonly isNormal: boolean;
}

/** A parsed path. */
interface XPath {
  /** True for `/…` and `//…`: the element that is searched is a step of the path. */
  readonly isAbsolute: boolean;
  readonly steps: readonly XPathStep[];
}

const xpathToken =
  /\s*(?:(\/\/|\/|\.\.|::|!=|[[\]().@*=,|])|("[^"]*"|'[^']*')|(\d+)|([\p{L}_][\p{L}\p{N}_-]*))\s*/uy;

const maxLength = 1000;

const axes = new Set<string>(
  'child descendant-or-self self parent ancestor following-sibling preceding-sibling'.split(' '),
);

/** Parses a path. Throws an `Error` that states what is not understood, and where. */
function parseXPath(source: string): XPath {
  if (source.length > maxLength) throw new Error(`it is longer than ${maxLength} characters`);
  const tokens = tokensOf(source);
  let at = 0;
  const peek = (): string => tokens[at] ?? '';
  const take = (): string => tokens[at++] ?? '';
  const accept = (expected: string): boolean => peek() === expected && take() !== '';
  const expect = (expected: string): void => {
    const found = take();
    if (found !== expected) throw new Error(`expected ${expected}, found ${found || 'its end'}`);
  };

  const path = (): XPath => {
    const isAbsolute = peek() === '/' || peek() === '//';
    const steps: XPathStep[] = [];
    if (!isAbsolute) steps.push(...step());
    while (peek() === '/' || peek() === '//') {
      if (take() === '//') steps.push({ axis: 'descendant-or-self', name: '*', predicates: [] });
      steps.push(...step());
    }
    return { isAbsolute, steps };
  };

  const step = (): XPathStep[] => {
    if (accept('.')) return [];
    if (accept('..')) return [{ axis: 'parent', name: '*', predicates: predicates() }];
    if (peek() === '@' || tokens[at + 1] === '(') {
      throw new Error('a path ends at an element; name an attribute with x-attribute');
    }
    let axis: XPathAxis = 'child';
    if (tokens[at + 1] === '::') {
      if (!axes.has(peek()))
        throw new Error(`the axis ${peek()} is not known; known: ${[...axes].join(', ')}`);
      axis = take() as XPathAxis;
      take();
    }
    return [{ axis, name: elementName(), predicates: predicates() }];
  };

  const elementName = (): string => {
    const name = take();
    if (name !== '*' && !/^[\p{L}_]/u.test(name)) {
      throw new Error(`expected the name of an element, found ${name || 'its end'}`);
    }
    return name.toLowerCase();
  };

  const predicates = (): XPathPredicate[] => {
    const all: XPathPredicate[] = [];
    while (accept('[')) {
      all.push(either());
      expect(']');
    }
    return all;
  };

  const chain = (word: 'and' | 'or', inner: () => XPathPredicate): XPathPredicate => {
    const parts = [inner()];
    while (accept(word)) parts.push(inner());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: word, parts };
  };
  const either = (): XPathPredicate => chain('or', both);
  const both = (): XPathPredicate => chain('and', test);

  const test = (): XPathPredicate => {
    if (/^\d/.test(peek())) return { kind: 'position', position: Number(take()) };
    if (accept('(')) {
      const inner = either();
      expect(')');
      return inner;
    }
    const isCall = tokens[at + 1] === '(';
    if (isCall && peek() === 'last') return call({ kind: 'last' });
    if (isCall && peek() === 'not') {
      at += 2;
      const part = either();
      expect(')');
      return { kind: 'not', part };
    }
    if (isCall && (peek() === 'contains' || peek() === 'starts-with')) {
      const kind = take() as 'contains' | 'starts-with';
      expect('(');
      const of = operand();
      expect(',');
      const text = literal();
      expect(')');
      return { kind, of, text };
    }
    const of = operand();
    if (accept('=')) return { kind: 'equals', of, text: literal() };
    if (accept('!=')) return { kind: 'differs', of, text: literal() };
    return { kind: 'exists', of };
  };

  const call = (made: XPathPredicate): XPathPredicate => {
    at += 1;
    expect('(');
    expect(')');
    return made;
  };

  const operand = (): XPathOperand => {
    if (accept('@')) return { kind: 'attribute', name: elementName(), isNormal: false };
    if (accept('.')) return { kind: 'text', name: '', isNormal: false };
    if (tokens[at + 1] !== '(') return { kind: 'child', name: elementName(), isNormal: false };
    const name = take();
    expect('(');
    if (name === 'text') {
      expect(')');
      return { kind: 'own-text', name: '', isNormal: false };
    }
    if (name !== 'normalize-space') {
      throw new Error(
        `${name}() is not known; known: text, normalize-space, contains, starts-with, not, last`,
      );
    }
    const inner: XPathOperand =
      peek() === ')' ? { kind: 'text', name: '', isNormal: true } : operand();
    expect(')');
    return { ...inner, isNormal: true };
  };

  const literal = (): string => {
    const text = take();
    if (!/^["']/.test(text))
      throw new Error(`expected a text in quotes, found ${text || 'its end'}`);
    return text.slice(1, -1);
  };

  const parsed = path();
  if (at < tokens.length) throw new Error(`${peek()} is not understood here`);
  return parsed;
}

function tokensOf(source: string): string[] {
  const tokens: string[] = [];
  xpathToken.lastIndex = 0;
  for (let at = 0; at < source.length; at = xpathToken.lastIndex) {
    xpathToken.lastIndex = at;
    const match = xpathToken.exec(source);
    if (match === null) throw new Error(`${source.slice(at, at + 10)} is not understood`);
    tokens.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '');
  }
  return tokens;
}
