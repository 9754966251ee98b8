/** Elements by XPath on any tree that fits `dom.ts`, in bounded time. */
import { PagewrightError } from '../errors.ts';
import { type DomElement, isElement, isText } from './dom.ts';
import { nextNode } from './nodes.ts';
import { parseXPath, type XPathOperand, type XPathPredicate, type XPathStep } from './xpath.ts';

/** What is wrong with an XPath, or undefined when it can be used. */
export function xpathError(source: string): string | undefined {
  try {
    parseXPath(source);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Nodes and characters that one path may look at: far more than an honest page has. */
const maxWork = 20_000_000;

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
    // Before the first element there is only what holds it.
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
  for (let node = within.firstChild; node !== null; node = nextNode(node, within)) {
    if (isElement(node) && current.has(node)) found.push(node);
  }
  return found;
}

type Spend = (work: number) => void;

function ofRoot(
  step: XPathStep,
  within: DomElement,
  isDeep: boolean,
  spend: Spend,
): ReadonlySet<DomElement> {
  const top = kept(
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
  spend: Spend,
): Set<DomElement> {
  const found = new Set<DomElement>();
  for (const context of contexts) {
    // What was reached from above is there already, with all below it.
    const isKnown = step.axis === 'descendant-or-self' && found.has(context);
    if (isKnown) continue;
    const reached = alongAxis(context, step.axis, within, spend).filter((one) =>
      isNamed(one, step),
    );
    for (const element of kept(reached, step.predicates, spend)) found.add(element);
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
  spend: Spend,
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

function kept(
  elements: readonly DomElement[],
  predicates: readonly XPathPredicate[],
  spend: Spend,
): readonly DomElement[] {
  return predicates.reduce<readonly DomElement[]>(
    (current, predicate) =>
      current.filter((element, index) => holds(predicate, element, index, current.length, spend)),
    elements,
  );
}

function holds(
  predicate: XPathPredicate,
  element: DomElement,
  index: number,
  count: number,
  spend: Spend,
): boolean {
  const inner = (part: XPathPredicate): boolean => holds(part, element, index, count, spend);
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

function textsOf(of: XPathOperand, element: DomElement, spend: Spend): string[] {
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
