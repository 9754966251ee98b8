/** The declarations that apply to each element (CSS Cascading and Inheritance 5), and `var()`, in bounded time. */
import { isTraversal, type Selector } from 'css-what';
import { type DomElement, elementsOf } from '../../html/dom.ts';
import { type SelectorSteps, SelectorTests } from '../../html/select.ts';
import { parseSelector } from '../../html/selector.ts';
import { conditionHolds } from './style-conditions.ts';
import {
  addStyleSheet,
  type Declaration,
  readDataSheet,
  readStyleAttribute,
  type StyleRule,
  type StyleSheets,
  styleSheets,
} from './style-sheet.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

const limits = {
  characters: 2_000_000, // of all style sheets
  steps: 2_000_000, // element tests for all rules of a page: 2 million take 0.1 s
  stepsOfOne: 300_000, // the same for one rule
  matches: 300_000, // declarations of rules, for each element that the rule matches
  values: 8, // values of one property of an element: weaker ones count if stronger ones are invalid
  layers: 500,
  longestValue: 4000, // characters of a value after substitution of its variables
  variableDepth: 12, // variables in variables
  around: 200, // nested elements that may each define variables
  substituted: 5_000_000, // characters substituted for all variables of a page
};

/** A declaration with its precedence; of equal ones the later wins. */
interface CascadeClaim extends Declaration {
  /** By importance and layer. */
  readonly level: number;
  readonly specificity: number;
  readonly order: number;
}

/** The styles of a page after the cascade. */
export interface CascadedStyles {
  /** Declarations of an element, weakest first. */
  of(element: DomElement): readonly Declaration[];
  /** Declarations at the end of each animation. */
  readonly animations: ReadonlyMap<string, readonly Declaration[]>;
  /** Some rules were skipped: too many, or too slow on this page. */
  readonly isCut: boolean;
  /** Some style sheets are in files of their own. */
  readonly hasFiles: boolean;
}

/** The declarations of `properties` and of custom properties. `html` must not change before the last `of()`. */
export function cascade(
  html: DomElement,
  properties: ReadonlySet<string>,
  { quirksMode = false }: { readonly quirksMode?: boolean } = {},
): CascadedStyles {
  const isRead = (property: string): boolean =>
    property.startsWith('--') || properties.has(property);
  const { sheets, hasFiles } = readSheets(html, isRead);
  const index = new ElementIndex(html, quirksMode);
  const matcher = new RuleMatcher(index, sheets, quirksMode);
  let isCut = matcher.run() || sheets.isCut;
  const inline = new Map<string, readonly Declaration[]>();
  // Elements of one kind match the same rules: their declarations are computed once.
  const known = new Map<string, readonly Declaration[]>();
  const styleOf = (style: string): readonly Declaration[] =>
    getOrInsert(inline, style, () => readStyleAttribute(style, isRead));
  return {
    of: (element) => {
      const matched = matcher.matched.get(element) ?? [];
      const style = element.getAttribute('style') ?? '';
      const key = `${matched.join(' ')} ${style}`;
      return getOrInsert(known, key, () => {
        const claims = matched.flatMap((at) => matcher.claims[at] ?? []);
        claims.push(...styleOf(style).map(asInline));
        const { declarations, isWhole } = strongest(inForce(claims));
        isCut ||= !isWhole;
        return declarations;
      });
    },
    animations: sheets.animations,
    get isCut() {
      return isCut;
    },
    hasFiles: hasFiles || sheets.importsFiles,
  };
}

function asInline(declaration: Declaration, order: number): CascadeClaim {
  const level = declaration.isImportant ? levels.importantInline : levels.inline;
  return { ...declaration, level, specificity: 0, order };
}

/** Weakest to strongest: layers, other rules, `style`, then important declarations in reverse order. */
const levels = { plain: 1e6, inline: 1e6 + 1, important: 2e6, importantInline: 4e6 } as const;

function inForce(claims: readonly CascadeClaim[]): readonly Declaration[] {
  const sorted = [...claims].sort(
    (one, other) =>
      one.level - other.level || one.specificity - other.specificity || one.order - other.order,
  );
  return sorted.some(({ value }) => value === 'revert-layer') ? withoutReverted(sorted) : sorted;
}

/** The last values of each property, without repeats: thousands of rules may match one element. */
function strongest(sorted: readonly Declaration[]): {
  readonly declarations: readonly Declaration[];
  readonly isWhole: boolean;
} {
  if (sorted.length <= limits.values) return { declarations: sorted, isWhole: true };
  const values = new Map<string, Set<string>>();
  const declarations: Declaration[] = [];
  let isWhole = true;
  for (let at = sorted.length - 1; at >= 0; at -= 1) {
    const declaration = sorted[at];
    if (declaration === undefined) continue;
    const { property, value } = declaration;
    const known = getOrInsert(values, property, () => new Set<string>());
    if (known.has(value)) continue;
    if (known.size >= limits.values) {
      isWhole = false;
      continue;
    }
    known.add(value);
    declarations.push(declaration);
  }
  return { declarations: declarations.reverse(), isWhole };
}

/** `revert-layer` discards the property's values from its own layer. */
function withoutReverted(sorted: readonly CascadeClaim[]): Declaration[] {
  const taken = (claim: CascadeClaim): boolean =>
    sorted.some(
      ({ property, value, level }) =>
        value === 'revert-layer' && property === claim.property && level === claim.level,
    );
  return sorted.filter((claim) => claim.value !== 'revert-layer' && !taken(claim));
}

/** Reads `<style>`, and `<link>` whose style sheet is in a `data:` URL. */
function readSheets(
  html: DomElement,
  isRead: (property: string) => boolean,
): { readonly sheets: StyleSheets; readonly hasFiles: boolean } {
  const sheets = styleSheets(limits.characters);
  let hasFiles = false;
  for (const element of html.querySelectorAll('style, link[rel][href]')) {
    // Readers have scripts enabled, and a template is not rendered.
    if (element.closest('noscript, template') !== null) continue;
    if (!conditionHolds((element.getAttribute('media') ?? '').toLowerCase())) continue;
    const type = (element.getAttribute('type') ?? '').trim().toLowerCase();
    if (type !== '' && type !== 'text/css') continue;
    if (element.localName === 'style') {
      addStyleSheet(sheets, element.textContent ?? '', isRead);
      continue;
    }
    const relations = (element.getAttribute('rel') ?? '').toLowerCase().split(/\s+/);
    const isApplied = relations.includes('stylesheet') && !relations.includes('alternate');
    if (!isApplied || element.hasAttribute('disabled')) continue;
    const text = readDataSheet(element.getAttribute('href') ?? '');
    if (text === undefined) hasFiles = true;
    else addStyleSheet(sheets, text, isRead);
  }
  return { sheets, hasFiles };
}

/** Indexes the elements of a page by the names that selectors use. */
class ElementIndex {
  readonly root: DomElement;
  readonly all: DomElement[] = [];
  readonly #byKey = new Map<string, DomElement[]>();
  readonly #fold: (name: string) => string;

  constructor(root: DomElement, quirksMode: boolean) {
    this.root = root;
    this.#fold = quirksMode ? (name) => name.toLowerCase() : (name) => name;
    for (const element of elementsOf(root)) {
      this.all.push(element);
      this.#put(element.localName.toLowerCase(), element);
      const id = element.getAttribute('id');
      if (id !== null) this.#put(`#${this.#fold(id)}`, element);
      const names = element.getAttribute('class');
      if (names === null) continue;
      for (const name of new Set(names.split(/\s+/))) {
        if (name !== '') this.#put(`.${this.#fold(name)}`, element);
      }
    }
  }

  /** Elements that a selector may match, by its last part; none if the page lacks a name in the other parts. */
  candidates(parts: readonly Selector[]): readonly DomElement[] {
    let best: readonly DomElement[] = this.all;
    for (let at = parts.length - 1, isLast = true; at >= 0; at -= 1) {
      const part = parts[at];
      if (part === undefined) continue;
      if (isTraversal(part)) isLast = false;
      const key = this.#keyOf(part);
      if (key === undefined) continue;
      const found = this.#byKey.get(key) ?? [];
      if (found.length === 0) return found;
      if (isLast && found.length < best.length) best = found;
    }
    return best;
  }

  #keyOf(part: Selector): string | undefined {
    if (part.type === 'tag') return part.name.toLowerCase();
    if (part.type !== 'attribute') return undefined;
    if (part.name === 'class' && part.action === 'element') return `.${this.#fold(part.value)}`;
    return part.name === 'id' && part.action === 'equals'
      ? `#${this.#fold(part.value)}`
      : undefined;
  }

  #put(key: string, element: DomElement): void {
    getOrInsert(this.#byKey, key, () => []).push(element);
  }
}

/** Finds the elements that each rule matches. */
class RuleMatcher {
  /** By selector. */
  readonly claims: (readonly CascadeClaim[])[] = [];
  /** Indexes into `claims` by element. */
  readonly matched = new Map<DomElement, number[]>();
  readonly #index: ElementIndex;
  readonly #rules: readonly StyleRule[];
  readonly #layers: ReadonlyMap<string, number>;
  readonly #tests: SelectorTests;
  readonly #steps: SelectorSteps = { left: limits.steps };
  #matches = limits.matches;
  #isCut = false;

  constructor(index: ElementIndex, { rules, layers }: StyleSheets, quirksMode: boolean) {
    this.#index = index;
    this.#rules = rules;
    this.#layers = new Map(inLayerOrder([...layers]).map((name, position) => [name, position]));
    this.#tests = new SelectorTests(pseudoClasses, { quirksMode });
  }

  /** Returns true if a limit was reached. */
  run(): boolean {
    for (const [order, rule] of this.#rules.entries()) {
      for (const parts of alternativesOf(rule.selector)) this.#match(parts, rule, order);
    }
    return this.#isCut;
  }

  #match(parts: Selector[], rule: StyleRule, order: number): void {
    const candidates = this.#index.candidates(parts);
    if (candidates.length === 0) return;
    const at = this.claims.push(this.#claimsOf(rule, specificity([parts]), order)) - 1;
    const own: SelectorSteps = { left: limits.stepsOfOne };
    try {
      const test = this.#tests.of([parts], this.#steps, own);
      for (const element of candidates) {
        this.#steps.left -= parts.length;
        if (this.#steps.left < 0 || this.#matches < 0) {
          this.#isCut = true;
          return;
        }
        if (!test(element)) continue;
        this.#matches -= rule.declarations.length;
        getOrInsert(this.matched, element, () => []).push(at);
      }
    } catch {
      // Too many steps, or a selector that css-select does not support.
      this.#isCut ||= this.#steps.left < 0 || own.left < 0;
    }
  }

  #claimsOf(rule: StyleRule, weight: number, order: number): CascadeClaim[] {
    const position = rule.layer === undefined ? undefined : (this.#layers.get(rule.layer) ?? 0);
    return rule.declarations.map((declaration) => {
      const level = declaration.isImportant
        ? levels.important + (position === undefined ? 0 : 1e6 - position)
        : (position ?? levels.plain);
      return { ...declaration, level, specificity: weight, order };
    });
  }
}

/** Layers, weakest first: nested layers come before their outer layer. */
function inLayerOrder(names: readonly string[]): string[] {
  const ordered: string[] = [];
  const put = (outer: string): void => {
    for (const name of names) {
      const isInside = outer === '' ? !name.includes('.') : name.startsWith(`${outer}.`);
      if (!isInside || name.slice(outer.length + 1).includes('.')) continue;
      put(name);
      ordered.push(name);
    }
  };
  if (names.length <= limits.layers) put('');
  return ordered;
}

/** For pseudo-classes that do not match while the page is only read. */
const never = (): boolean => false;

const pseudoClasses: Readonly<Record<string, (element: DomElement) => boolean>> = {
  ...Object.fromEntries(
    (
      'hover active focus focus-within focus-visible visited target target-within fullscreen modal ' +
      'popover-open picture-in-picture autofill -webkit-autofill user-invalid user-valid playing host ' +
      'current past future blank indeterminate state'
    )
      .split(' ')
      .map((name) => [name, never]),
  ),
  defined: () => true,
  open: (element) => element.hasAttribute('open'),
  scope: (element) => element.parentElement === null,
  root: (element) => element.parentElement === null,
  'any-link': isLink,
  link: isLink,
};

function isLink(element: DomElement): boolean {
  return element.hasAttribute('href') && /^(?:a|area)$/.test(element.localName);
}

/** Pseudo-classes of css-select, which has some that are not in CSS. */
const knownPseudos: ReadonlySet<string> = new Set([
  ...Object.keys(pseudoClasses),
  ...'is where not has lang dir empty first-child last-child only-child first-of-type'.split(' '),
  ...'last-of-type only-of-type nth-child nth-last-child nth-of-type nth-last-of-type'.split(' '),
  ...'disabled enabled checked required optional read-only read-write matches'.split(' '),
]);

const pseudoElements =
  /^(?:-webkit-.+|before|after|first-line|first-letter|selection|target-text|marker|placeholder|backdrop|file-selector-button|cue|cue-region|slotted|part|highlight|spelling-error|grammar-error|details-content|view-transition.*|checkmark|picker.*|scroll-.*|column)$/;

/**
 * The alternatives of a selector list that may match elements. In CSS an invalid one makes
 * the whole list invalid, except within `:is()` and `:where()`.
 */
function alternativesOf(selector: string): Selector[][] {
  try {
    const alternatives = parseSelector(selector);
    if (!alternatives.every((parts) => isValid(parts))) return [];
    return alternatives.filter((parts) => parts.every(({ type }) => type !== 'pseudo-element'));
  } catch {
    return [];
  }
}

function isValid(parts: Selector[]): boolean {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined || isTraversal(first) || isTraversal(last)) {
    return false;
  }
  return parts.every((part) => {
    if (part.type === 'pseudo-element') return pseudoElements.test(part.name);
    if (part.type !== 'pseudo') return true;
    if (!knownPseudos.has(part.name)) return false;
    if (!Array.isArray(part.data) || part.name === 'has') return true;
    if (part.name !== 'is' && part.name !== 'where') return part.data.every(isValid);
    const usable = part.data.filter(isValid);
    part.data.splice(0, part.data.length, ...usable);
    return usable.length > 0;
  });
}

/** Ids, then classes and attributes, then names (CSS Selectors 4, 17), each up to 999. */
function specificity(alternatives: readonly (readonly Selector[])[]): number {
  return Math.max(0, ...alternatives.map(ofParts));
}

function ofParts(parts: readonly Selector[]): number {
  let [ids, classes, names] = [0, 0, 0];
  let inner = 0;
  for (const part of parts) {
    if (part.type === 'tag' || part.type === 'pseudo-element') names += 1;
    else if (part.type === 'attribute') {
      // css-what parses `#x` this way; `[id=x]` has the specificity of an attribute.
      if (part.name === 'id' && part.ignoreCase === 'quirks') ids += 1;
      else classes += 1;
    } else if (part.type === 'pseudo' && part.name !== 'where') {
      if (/^(?:is|not|has|matches)$/.test(part.name) && Array.isArray(part.data)) {
        inner += specificity(part.data);
      } else classes += 1;
    }
  }
  const capped = (count: number): number => Math.min(999, count);
  return inner + capped(ids) * 1e6 + capped(classes) * 1e3 + capped(names);
}

// Custom properties of CSS and `var()`, in bounded time.

/** An element's own and inherited variables. */
export class CustomProperties {
  readonly #own: ReadonlyMap<string, string>;
  readonly #outer: CustomProperties | undefined;
  readonly #depth: number;
  /** Of the whole page. */
  readonly #work: { left: number };

  constructor(own: ReadonlyMap<string, string> = new Map(), outer?: CustomProperties) {
    this.#own = own;
    const isTooDeep = outer !== undefined && outer.#depth >= limits.around;
    this.#outer = isTooDeep ? undefined : outer;
    this.#depth = outer === undefined || isTooDeep ? 1 : outer.#depth + 1;
    this.#work = outer === undefined ? { left: limits.substituted } : outer.#work;
  }

  /** True if values were skipped because their substitution takes too long. */
  get isCut(): boolean {
    return this.#work.left < 0;
  }

  /** Adds the variables that an element declares, the weakest declaration first. */
  with(declarations: readonly Declaration[]): CustomProperties {
    let own: Map<string, string> | undefined;
    for (const { property, value } of declarations) {
      if (property.startsWith('--')) (own ??= new Map()).set(property, value);
    }
    return own === undefined ? this : new CustomProperties(own, this);
  }

  /** The value with all variables substituted; undefined if one is missing or the result is too long. */
  resolve(value: string, resolving: readonly string[] = []): string | undefined {
    let text = value;
    for (let at = text.indexOf('var('); at >= 0; at = text.indexOf('var(')) {
      this.#work.left -= text.length + 50;
      if (this.#work.left < 0 || text.length > limits.longestValue) return undefined;
      const close = closingOf(text, at + 3);
      const inside = text.slice(at + 4, close);
      const comma = inside.indexOf(',');
      const name = (comma < 0 ? inside : inside.slice(0, comma)).trim();
      const put =
        this.#valueOf(name, resolving) ??
        (comma < 0 ? undefined : this.resolve(inside.slice(comma + 1), [...resolving, '']));
      if (put === undefined) return undefined;
      text = `${text.slice(0, at)}${put.trim()}${text.slice(close + 1)}`;
    }
    return text;
  }

  /** The value of a variable; undefined if it refers to itself. */
  #valueOf(name: string, resolving: readonly string[]): string | undefined {
    if (resolving.includes(name) || resolving.length > limits.variableDepth) return undefined;
    this.#work.left -= 1;
    const own = this.#own.get(name);
    if (own === undefined || own === 'inherit' || own === 'unset') {
      const outer = this.#outer;
      return outer === undefined ? undefined : outer.#valueOf(name, resolving);
    }
    return own === 'initial' ? undefined : this.resolve(own, [...resolving, name]);
  }
}

function closingOf(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  return text.length;
}
