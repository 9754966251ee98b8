/** Finds values without a label by their own form: the only e-mail link, the struck price, the currency beside it. */
import type { DomElement } from '../../content/html/dom.ts';
import { absoluteUrl, elementText, labelText, textLines } from '../facts/element-text.ts';
import { fold, wordsOf } from '../facts/property-names.ts';
import { contentOf } from '../schema/selector-keywords.ts';
import { amountsIn, isStruck } from '../values/money.ts';
import { coerceRange, wantedUnit } from '../values/numbers.ts';
import { coerce, type CoercionTarget } from './coerce.ts';
import type { FillContext } from './schema-part.ts';
import { maxRecordNodes, type Scope } from './scope.ts';
import { canonical } from './synonyms.ts';

/**
 * A value for the property, if there is only one. In a record, which has one subject, a heading is the name
 * and a link the address; on a whole page their subject is open, so they are not used.
 */
export function findUnlabelled(
  target: CoercionTarget,
  scope: Scope,
  budget: FillContext['budget'],
): unknown {
  const { element } = scope;
  if (element === undefined || scope.prefix !== '') return undefined;
  const size = scope.content().size();
  if (scope.page === undefined && size > maxRecordNodes) return undefined;
  // Nested elements are read many times.
  budget.characters -= size * 2;
  for (const [applies, read] of unlabelledReaders) {
    if (!applies(target)) continue;
    const texts = read(scope, target, element);
    const values = new Set(texts.map((text) => coerce(text, target)));
    values.delete(undefined);
    if (values.size === 1) return [...values][0];
  }
  return undefined;
}

type UnlabelledReader = (
  scope: Scope,
  target: CoercionTarget,
  root: DomElement,
) => (string | number)[];

// Prices, old prices and currencies by class names and currency signs.

const maxClassText = 200; // longer text is a part of the page, not a value

const byline =
  /^(?:by|von|par|por|di|door)\s+(\p{Lu}[\p{L}'’.-]*(?:\s+(?:(?:de|da|von|van|der|den|di|le|la|del|dos|zu)\s+){0,2}\p{Lu}[\p{L}'’.-]*){1,3})$/u;

const ends = /^(?:min|minimum|low|lower|from|max|maximum|high|upper|to)$/;

const unlabelledReaders: readonly (readonly [
  (target: CoercionTarget) => boolean,
  UnlabelledReader,
])[] = [
  [isEmail, emails],
  [(target) => lastMeaning(target) === 'telephone', phones],
  [(target) => fileKind(target) !== undefined, files],
  [(target) => isRangeEnd(target) && isNumeric(target), rangeEnds],
  [(target) => isNumeric(target) && meaning(target) === 'oldprice', struckAmounts],
  [(target) => meaning(target) === meaningOf('currency'), currencies],
  [(target) => meaning(target) === meaningOf('author'), bylines],
  [() => true, classes],
  [(target) => isNumeric(target) && isPrice(target), amounts],
  [(target) => meaning(target) === meaningOf('image'), images],
  [(target) => /^(name|headline)$/.test(meaning(target)), titles],
  [(target) => meaning(target) === 'url', links],
  [isDate, times],
];

function elementsOf(root: DomElement, scope: Scope, selector: string): DomElement[] {
  const { isSide } = scope.content();
  const found: DomElement[] = [];
  for (const element of root.querySelectorAll(selector)) {
    if (!isSide(element) && element.closest('nav, footer, form') === null) found.push(element);
    if (found.length > 200) break;
  }
  return found;
}

function emails(scope: Scope, _target: CoercionTarget, root: DomElement): string[] {
  const linked = elementsOf(root, scope, 'a[href^="mailto:"]').map((link) =>
    (link.getAttribute('href') ?? '').replace(/\?.*$/, ''),
  );
  if (linked.length > 0) return linked;
  const { isSide } = scope.content();
  return textLines(root, (one) => /^(nav|footer|form)$/.test(one.localName) || isSide(one))
    .filter((line) => line.includes('@') && line.length < 2000)
    .flatMap((line) => line.split(/[\s<>(),;]+/))
    .filter((word) => word.length < 255 && /^[^@:]+@[^@]+\.\p{L}+\.?$/u.test(word))
    .map((word) => word.replace(/\.$/, ''));
}

function phones(scope: Scope, _target: CoercionTarget, root: DomElement): string[] {
  return elementsOf(root, scope, 'a[href^="tel:"]').map((link) => {
    const text = elementText(link);
    return /^[^\p{L}]*$/u.test(text) && (text.match(/\d/g) ?? []).length >= 5 && text.length < 40
      ? text
      : (link.getAttribute('href') ?? '').slice(4);
  });
}

/** `pdfUrl`: the kind of file that a link property requests. */
function fileKind({ name, shape }: CoercionTarget): string | undefined {
  const isLink = /^(uri|url)/.test(shape.schema.format ?? '') || /(url|link)$/i.test(name);
  const words = wordsOf(name);
  return isLink
    ? words.find((word) => /^(pdf|epub|csv|xlsx|docx|zip|mp3|ics)$/.test(word))
    : undefined;
}

function files(scope: Scope, target: CoercionTarget, root: DomElement): string[] {
  const ending = `.${fileKind(target) ?? ''}`;
  return elementsOf(root, scope, 'a[href]')
    .map((link) => absoluteUrl(link.getAttribute('href') ?? '', target.baseUrl))
    .filter((url) =>
      url
        .replace(/[?#].*$/, '')
        .toLowerCase()
        .endsWith(ending),
    );
}

function isRangeEnd({ name }: CoercionTarget): boolean {
  const words = wordsOf(name);
  return words.length > 1 && words.some((word) => ends.test(word));
}

/** `salaryMin`: the lower end of the range beside `Salary`. */
function rangeEnds(scope: Scope, target: CoercionTarget): number[] {
  const words = wordsOf(target.name);
  const end = words.find((word) => ends.test(word)) ?? '';
  const rest = words.filter((word) => !ends.test(word)).join(' ');
  const { schema } = target.shape;
  const context = {
    language: target.locale.language,
    unit: wantedUnit(words, schema.description ?? ''),
  };
  return scope
    .content()
    .find(rest, {})
    .flatMap(({ values: [first] }) => {
      if (first === undefined) return [];
      const range = coerceRange(first.text ?? labelText(first.element), context);
      const value = /^(?:min|low|from)/.test(end) ? range?.low : range?.high;
      return value === undefined ? [] : [value];
    });
}

/** `By Ada Moss`, alone on its line. */
function bylines(scope: Scope, _target: CoercionTarget, root: DomElement): string[] {
  const { isSide } = scope.content();
  return textLines(root, (one) => /^(nav|footer|form)$/.test(one.localName) || isSide(one))
    .filter((line) => line.length < 80)
    .flatMap((line) => {
      const name = byline.exec(line.charAt(0).toLowerCase() + line.slice(1))?.[1];
      return name === undefined ? [] : [name];
    });
}

/** In a record its first image; on a page the image that is named like the page, or the only one. */
function images(scope: Scope, target: CoercionTarget, root: DomElement): string[] {
  const all = elementsOf(root, scope, 'img[src], img[data-src]').filter(
    (image) => image.closest('header') === null || scope.page === undefined,
  );
  const heading = fold(scope.page?.heading ?? '');
  const named = all.filter((image) => {
    const alternative = fold(image.getAttribute('alt') ?? '');
    return heading !== '' && alternative === heading;
  });
  const chosen = scope.page === undefined ? all.slice(0, 1) : named.length > 0 ? named : all;
  return chosen.flatMap((image) => {
    const source = image.getAttribute('src') ?? '';
    const real =
      source === '' || source.startsWith('data:') ? image.getAttribute('data-src') : source;
    return real === null || real === '' ? [] : [absoluteUrl(real, target.baseUrl)];
  });
}

function titles(scope: Scope, _target: CoercionTarget, root: DomElement): string[] {
  if (scope.page !== undefined) return [];
  const headings = elementsOf(root, scope, 'h1, h2, h3, h4, h5, h6');
  if (headings.length > 0) return headings.slice(0, 1).map((heading) => labelText(heading));
  return elementsOf(root, scope, 'a[href]')
    .filter((link) => !/^(?:mailto|tel):/.test(link.getAttribute('href') ?? ''))
    .map((link) => labelText(link))
    .filter((text) => text !== '');
}

function links(scope: Scope, target: CoercionTarget, root: DomElement): string[] {
  if (scope.page !== undefined) return [];
  const own = root.localName === 'a' ? [root] : [];
  const titled = elementsOf(
    root,
    scope,
    'h1 a[href], h2 a[href], h3 a[href], h4 a[href], h5 a[href]',
  );
  const all = [...own, ...(titled.length > 0 ? titled : elementsOf(root, scope, 'a[href]'))];
  return all
    .map((link) => link.getAttribute('href') ?? '')
    .filter((href) => href !== '' && !/^(?:mailto:|tel:|javascript:|#)/i.test(href))
    .map((href) => absoluteUrl(href, target.baseUrl));
}

function times(scope: Scope, _target: CoercionTarget, root: DomElement): string[] {
  if (scope.page !== undefined) return [];
  return elementsOf(root, scope, 'time[datetime]')
    .filter((time) => !isStruck(time))
    .map((time) => time.getAttribute('datetime') ?? '');
}

/** Struck prices beside a valid one. */
function struckAmounts(scope: Scope, target: CoercionTarget): number[] {
  const all = scope.content().amounts(target.locale.language);
  // A struck amount alone may be a joke; beside a valid amount it is the old price.
  return all.some((amount) => !amount.isStruck)
    ? all.filter((amount) => amount.isStruck).map(({ value }) => value)
    : [];
}

/** The only amount in a record; on a page the amounts belong to many things. */
function amounts(scope: Scope, target: CoercionTarget): number[] {
  if (scope.page !== undefined) return [];
  return scope
    .content()
    .amounts(target.locale.language)
    .filter((amount) => !amount.isStruck)
    .map(({ value }) => value);
}

/** The currency beside the price, found by its number. */
function currencies(scope: Scope, target: CoercionTarget): string[] {
  const price = priceOf(scope, target) ?? classPrice(scope, target);
  if (price === undefined) return [];
  return scope
    .content()
    .amounts(target.locale.language)
    .filter(({ value }) => value === price)
    .flatMap(({ currency }) => (currency === undefined ? [] : [currency]));
}

function asPrice(target: CoercionTarget): CoercionTarget {
  const schema = { type: 'number' };
  return {
    ...target,
    name: 'price',
    shape: { schema, kind: 'number', alternatives: [], nullable: false },
  };
}

function priceOf(scope: Scope, target: CoercionTarget): unknown {
  const wanted = asPrice(target);
  const values = new Set(
    scope
      .content()
      .find('price', {})
      .flatMap(({ values: [first] }) =>
        first === undefined ? [] : [coerce(first.text ?? labelText(first.element), wanted)],
      ),
  );
  values.delete(undefined);
  return values.size === 1 ? [...values][0] : undefined;
}

function classPrice(scope: Scope, target: CoercionTarget): unknown {
  const wanted = asPrice(target);
  const texts = [...classes(scope, wanted), ...amounts(scope, wanted)];
  const values = new Set(texts.map((text) => coerce(text, wanted)));
  values.delete(undefined);
  return values.size === 1 ? [...values][0] : undefined;
}

/** Elements whose class matches the property; for a price, without struck text. */
function classes(scope: Scope, target: CoercionTarget): (string | number)[] {
  const { isSide, classes: find } = scope.content();
  // On a whole page `author` and `company` are also classes of links, boxes and menus.
  if (scope.page !== undefined && !(isNumeric(target) && isPrice(target))) return [];
  return find(target.name, {}).flatMap(({ values: [first] }): (string | number)[] => {
    const element = first?.element;
    if (element === undefined) return [];
    const text = labelText(element);
    if (text.length > maxClassText) return [];
    if (!isNumeric(target) || !isPrice(target)) {
      return [contentOf(element, target.shape, target.baseUrl)];
    }
    const valid = amountsIn(element, isSide, target.locale.language).filter((one) => !one.isStruck);
    if (valid.length > 0) return valid.map(({ value }) => value).filter((value) => value > 0);
    if (scope.page !== undefined) return [];
    return element.querySelector('del, s, strike') === null ? [text] : [];
  });
}

// The meaning of a property, by its name, type and format.

/** The property's canonical name. */
function meaning({ name }: CoercionTarget): string {
  return meaningOf(name);
}

/** The same for a name. */
function meaningOf(name: string): string {
  return canonical(fold(name));
}

/** The same for the last word of its name: `agentPhone` is a telephone. */
function lastMeaning({ name }: CoercionTarget): string {
  return canonical(wordsOf(name).at(-1) ?? '');
}

/** True for an e-mail address. */
function isEmail(target: CoercionTarget): boolean {
  return target.shape.schema.format === 'email' || lastMeaning(target) === 'email';
}

/** True for numbers. */
function isNumeric({ shape: { kind } }: CoercionTarget): boolean {
  return kind === 'number' || kind === 'integer';
}

/** True for the price of the product itself. */
function isPrice(target: CoercionTarget): boolean {
  return meaning(target) === meaningOf('price');
}

/** True for dates with and without a time. */
function isDate({ shape: { schema } }: CoercionTarget): boolean {
  return schema.format === 'date' || schema.format === 'date-time';
}
