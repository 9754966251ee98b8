/** `:nth-child` and its like for a whole search: siblings are numbered once, not for each of them. */
import { type DomElement, type DomNode, isElement } from './dom.ts';

type Matches = (element: DomElement) => boolean;

/** Where an element stands among the siblings that are counted with it. */
interface Numbering {
  readonly places: ReadonlyMap<DomElement, number>;
  /** How many there are, by group. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * The four pseudo-classes by name, as css-select takes them. `compile` makes the test of a selector
 * inside (`2n of .row`). For as long as the tree does not change.
 */
export function nthPseudos(
  compile: (selector: string) => Matches,
): Record<string, (element: DomElement, rule?: string | null) => boolean> {
  const known = new Map<DomNode, Map<string, Numbering>>();
  const rules = new Map<string, Rule>();
  const ruleOf = (text: string): Rule => {
    const rule = rules.get(text) ?? parseRule(text, compile);
    rules.set(text, rule);
    return rule;
  };
  const numbering = (parent: DomNode, kind: string, groupOf: GroupOf): Numbering => {
    const ofParent = known.get(parent) ?? new Map<string, Numbering>();
    known.set(parent, ofParent);
    const made = ofParent.get(kind) ?? numberChildren(parent, groupOf);
    ofParent.set(kind, made);
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
    const { places, sizes } = numbering(parent, kind, groupOf);
    const place = places.get(element) ?? 1;
    return isNth(fromEnd ? (sizes.get(group) ?? 1) + 1 - place : place, step, offset);
  };
  return {
    'nth-child': (element, rule) => nth(element, rule ?? '', false, false),
    'nth-last-child': (element, rule) => nth(element, rule ?? '', false, true),
    'nth-of-type': (element, rule) => nth(element, rule ?? '', true, false),
    'nth-last-of-type': (element, rule) => nth(element, rule ?? '', true, true),
  };
}

/** What is counted together; undefined for what is not counted. */
type GroupOf = (element: DomElement) => string | undefined;

function numberChildren(parent: DomNode, groupOf: GroupOf): Numbering {
  const places = new Map<DomElement, number>();
  const sizes = new Map<string, number>();
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    const group = isElement(child) ? groupOf(child) : undefined;
    if (group === undefined) continue;
    const place = (sizes.get(group) ?? 0) + 1;
    sizes.set(group, place);
    places.set(child as DomElement, place);
  }
  return { places, sizes };
}

interface Rule {
  readonly step: number;
  readonly offset: number;
  readonly of: { readonly selector: string; readonly matches: Matches } | undefined;
}

/** CSS Syntax 3, section 6: `odd`, `even`, `3`, `2n`, `-n + 3`; Selectors 4 adds ` of selector`. */
function parseRule(text: string, compile: (selector: string) => Matches): Rule {
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

function isNth(place: number, step: number, offset: number): boolean {
  if (step === 0) return place === offset;
  const rounds = (place - offset) / step;
  return rounds >= 0 && Number.isInteger(rounds);
}
