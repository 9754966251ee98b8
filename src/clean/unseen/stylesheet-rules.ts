/** What the `<style>` elements of a page say of a few properties, as far as hiding text goes. */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import { selectorError } from '../../html/selector.ts';

/** Values by property; the last one that counts is in force. */
export type Declarations = Map<string, string>;

/** Rules that are read; elements that are looked at, one rule after the other; elements that a rule is about. */
const mostRules = 3000;
const mostVisits = 4_000_000;
const mostMatches = 300_000;
const mostCharacters = 2_000_000;

/** One value of a property for an element, with what decides whether it counts. */
interface Claim {
  readonly value: string;
  readonly weight: number;
}

/**
 * The declarations of each element that a rule or its own `style` is about, of `properties` only.
 * Rules for print, for narrow windows and for what a reader does (`:hover`) play no part; styles in
 * files of their own are not known here.
 */
export function declarationsOf(
  root: DomElement,
  properties: ReadonlySet<string>,
): Map<DomElement, Declarations> {
  const claims = new Map<DomElement, Map<string, Claim>>();
  const claim = (element: DomElement, text: string, weight: number): void => {
    const own = claims.get(element) ?? new Map<string, Claim>();
    claims.set(element, own);
    for (const [property, value, isImportant] of readDeclarations(text, properties)) {
      const full = weight + (isImportant ? 1e13 : 0);
      if (full >= (own.get(property)?.weight ?? -1)) own.set(property, { value, weight: full });
    }
  };
  const { size, has } = namesIn(root);
  let visits = mostVisits;
  let matches = mostMatches;
  let order = 0;
  for (const { selector, text } of rulesOf(root, properties)) {
    order += 1;
    if (!has(selector)) continue;
    visits -= size;
    if (matches <= 0 || visits <= 0) break;
    for (const element of root.querySelectorAll(selector)) {
      if (--matches < 0) break;
      claim(element, text, specificity(selector) * 1e5 + order);
    }
  }
  for (const element of elementsOf(root)) {
    const style = element.getAttribute('style');
    if (style !== null) claim(element, style, 1e12);
  }
  return new Map(
    [...claims].map(([element, own]) => [
      element,
      new Map([...own].map(([property, { value }]) => [property, value])),
    ]),
  );
}

/** Most rules of a page are about names that it does not have. */
function namesIn(root: DomElement): { size: number; has: (selector: string) => boolean } {
  const names = new Set<string>();
  let size = 0;
  for (const element of elementsOf(root)) {
    size += 1;
    if (element.id !== '') names.add(`#${element.id}`);
    for (const name of (element.getAttribute('class') ?? '').split(/\s+/)) names.add(`.${name}`);
  }
  const has = (selector: string): boolean => {
    const asked = selector.replace(/\([^()]*\)|\[[^\]]*\]/g, '').match(/[.#][\w-]+/g) ?? [];
    return asked.every((name) => names.has(name) || selector.includes('\\'));
  };
  return { size, has };
}

interface Rule {
  readonly selector: string;
  readonly text: string;
}

function rulesOf(root: DomElement, properties: ReadonlySet<string>): Rule[] {
  const rules: Rule[] = [];
  let left = mostCharacters;
  for (const style of root.querySelectorAll('style')) {
    const media = style.getAttribute('media') ?? '';
    if (!isForReaders(media)) continue;
    const text = (style.textContent ?? '').slice(0, left).replace(/\/\*[^]*?(?:\*\/|$)/g, ' ');
    left -= text.length;
    readRules(text, properties, rules);
    if (left <= 0 || rules.length >= mostRules) break;
  }
  return rules;
}

/** Reads rules one brace after the other; what is in `@media` for screens counts like the rest. */
function readRules(text: string, properties: ReadonlySet<string>, rules: Rule[]): void {
  /** For each open at-rule, whether its rules count. */
  const open: boolean[] = [];
  let head = 0;
  for (const { index, 0: mark } of text.matchAll(/[{};]/g)) {
    if (index < head || rules.length >= mostRules) continue;
    const before = text.slice(head, index).trim();
    head = index + 1;
    if (mark === '}') open.pop();
    if (mark !== '{') continue;
    if (before.startsWith('@')) {
      open.push(
        /^@(?:supports|layer)\b/i.test(before) || isForReaders(before.replace(/^@media/i, '')),
      );
      continue;
    }
    const end = text.indexOf('}', head);
    const body = text.slice(head, end < 0 ? text.length : end);
    head = end < 0 ? text.length : end + 1;
    if (!open.every(Boolean) || readDeclarations(body, properties).length === 0) continue;
    for (const selector of before.slice(0, 5000).split(',')) {
      const usable = selector.trim();
      if (usable.length > 300 || /:(?!not|first|last|nth|only|root|is|where)/.test(usable))
        continue;
      if (selectorError(usable) === undefined) rules.push({ selector: usable, text: body });
    }
  }
}

/** A media query that is about a wide screen. */
function isForReaders(media: string): boolean {
  return /^[\s(]*$/.test(media) || /^\s*(?:only )?(?:screen|all)\s*$/i.test(media);
}

function readDeclarations(
  text: string,
  properties: ReadonlySet<string>,
): [property: string, value: string, isImportant: boolean][] {
  const read: [string, string, boolean][] = [];
  for (const declaration of text.slice(0, 20_000).split(';')) {
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, colon).trim().toLowerCase();
    if (colon < 0 || !properties.has(property)) continue;
    const value = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const plain = value.replace(/\s*!\s*important$/, '');
    read.push([property, plain.replace(/\s+/g, ' '), plain !== value]);
  }
  return read;
}

/** Ids, then classes and attributes, then names (CSS Selectors 4, 17), each up to 99. */
function specificity(selector: string): number {
  const count = (pattern: RegExp): number => Math.min(99, selector.match(pattern)?.length ?? 0);
  return (
    count(/#[\w-]/g) * 10_000 +
    count(/\.[\w-]|\[|:(?!not|is|where)/g) * 100 +
    count(/(?:^|[\s>+~])[a-z]/gi)
  );
}
