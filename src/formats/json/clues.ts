/** Values that no label names but their own form does: the only e-mail link, the struck price. */
import type { DomElement } from '../../html/dom.ts';
import { elementText, labelText, textLines } from '../structured-data/element-text.ts';
import { absoluteUrl } from '../structured-data/property-value.ts';
import { amounts, classes, currencies, struckAmounts } from './amount-clues.ts';
import {
  isDate,
  isEmail,
  isNumeric,
  isPrice,
  lastMeaning,
  meaning,
  meaningOf,
} from './asked-for.ts';
import { coerce, type Target } from './coerce.ts';
import { coerceRange } from './coerce-range.ts';
import { isStruck } from './class-names.ts';
import { fold, wordsOf } from './names.ts';
import type { Reading } from './reading.ts';
import { maxRecordNodes, type Scope } from './scope.ts';
import { wantedUnit } from './units.ts';

/**
 * A value for the property, when there is one only. In a record, which is about one thing, a heading
 * is the name and a link the address; on a whole page they may be anything's and are not taken.
 */
export function findClue(target: Target, scope: Scope, budget: Reading['budget']): unknown {
  const { element } = scope;
  if (element === undefined || scope.prefix !== '') return undefined;
  const size = scope.content().size();
  if (scope.page === undefined && size > maxRecordNodes) return undefined;
  // Elements in each other are read many times.
  budget.characters -= size * 2;
  for (const [applies, read] of readers) {
    if (!applies(target)) continue;
    const texts = read(scope, target, element);
    const values = new Set(texts.map((text) => coerce(text, target)));
    values.delete(undefined);
    if (values.size === 1) return [...values][0];
  }
  return undefined;
}

type Reader = (scope: Scope, target: Target, root: DomElement) => (string | number)[];

const readers: readonly (readonly [(target: Target) => boolean, Reader])[] = [
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

function emails(scope: Scope, _target: Target, root: DomElement): string[] {
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

function phones(scope: Scope, _target: Target, root: DomElement): string[] {
  return elementsOf(root, scope, 'a[href^="tel:"]').map((link) => {
    const text = elementText(link);
    return /^[^\p{L}]*$/u.test(text) && (text.match(/\d/g) ?? []).length >= 5 && text.length < 40
      ? text
      : (link.getAttribute('href') ?? '').slice(4);
  });
}

/** `pdfUrl`: the kind of file that a link property asks for. */
function fileKind({ name, shape }: Target): string | undefined {
  const isLink = /^(uri|url)/.test(shape.schema.format ?? '') || /(url|link)$/i.test(name);
  const words = wordsOf(name);
  return isLink
    ? words.find((word) => /^(pdf|epub|csv|xlsx|docx|zip|mp3|ics)$/.test(word))
    : undefined;
}

function files(scope: Scope, target: Target, root: DomElement): string[] {
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

const ends = /^(?:min|minimum|low|lower|from|max|maximum|high|upper|to)$/;

function isRangeEnd({ name }: Target): boolean {
  const words = wordsOf(name);
  return words.length > 1 && words.some((word) => ends.test(word));
}

/** `salaryMin`: the lower end of what stands beside `Salary`. */
function rangeEnds(scope: Scope, target: Target): number[] {
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

const byline =
  /^(?:by|von|par|por|di|door)\s+(\p{Lu}[\p{L}'’.-]*(?:\s+(?:(?:de|da|von|van|der|den|di|le|la|del|dos|zu)\s+){0,2}\p{Lu}[\p{L}'’.-]*){1,3})$/u;

/** `By Ada Moss`, alone on its line. */
function bylines(scope: Scope, _target: Target, root: DomElement): string[] {
  const { isSide } = scope.content();
  return textLines(root, (one) => /^(nav|footer|form)$/.test(one.localName) || isSide(one))
    .filter((line) => line.length < 80)
    .flatMap((line) => {
      const name = byline.exec(line.charAt(0).toLowerCase() + line.slice(1))?.[1];
      return name === undefined ? [] : [name];
    });
}

/** In a record its first image; on a page the one that is called like the page, or the only one. */
function images(scope: Scope, target: Target, root: DomElement): string[] {
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

function titles(scope: Scope, _target: Target, root: DomElement): string[] {
  if (scope.page !== undefined) return [];
  const headings = elementsOf(root, scope, 'h1, h2, h3, h4, h5, h6');
  if (headings.length > 0) return headings.slice(0, 1).map((heading) => labelText(heading));
  return elementsOf(root, scope, 'a[href]')
    .filter((link) => !/^(?:mailto|tel):/.test(link.getAttribute('href') ?? ''))
    .map((link) => labelText(link))
    .filter((text) => text !== '');
}

function links(scope: Scope, target: Target, root: DomElement): string[] {
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

function times(scope: Scope, _target: Target, root: DomElement): string[] {
  if (scope.page !== undefined) return [];
  return elementsOf(root, scope, 'time[datetime]')
    .filter((time) => !isStruck(time))
    .map((time) => time.getAttribute('datetime') ?? '');
}
