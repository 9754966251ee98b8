/** What class names and currency signs tell: prices, old prices, currencies. */
import { labelText } from '../structured-data/element-text.ts';
import { amountsIn } from './amounts.ts';
import { isNumeric, isPrice } from './asked-for.ts';
import { coerce, type Target } from './coerce.ts';
import type { Scope } from './scope.ts';
import { contentOf } from './selectors.ts';

/** Prices that are struck out beside one that holds. */
export function struckAmounts(scope: Scope, target: Target): number[] {
  const all = scope.content().amounts(target.locale.language);
  // What is struck alone may be a joke; beside an amount that holds it is the old one.
  return all.some((amount) => !amount.isStruck)
    ? all.filter((amount) => amount.isStruck).map(({ value }) => value)
    : [];
}

/** The only amount in a record; on a page the amounts are of many things. */
export function amounts(scope: Scope, target: Target): number[] {
  if (scope.page !== undefined) return [];
  return scope
    .content()
    .amounts(target.locale.language)
    .filter((amount) => !amount.isStruck)
    .map(({ value }) => value);
}

/** The currency that stands beside the price, found by its number. */
export function currencies(scope: Scope, target: Target): string[] {
  const price = priceOf(scope, target) ?? classPrice(scope, target);
  if (price === undefined) return [];
  return scope
    .content()
    .amounts(target.locale.language)
    .filter(({ value }) => value === price)
    .flatMap(({ currency }) => (currency === undefined ? [] : [currency]));
}

function asPrice(target: Target): Target {
  const schema = { type: 'number' };
  return {
    ...target,
    name: 'price',
    shape: { schema, kind: 'number', alternatives: [], nullable: false },
  };
}

function priceOf(scope: Scope, target: Target): unknown {
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

function classPrice(scope: Scope, target: Target): unknown {
  const wanted = asPrice(target);
  const texts = [...classes(scope, wanted), ...amounts(scope, wanted)];
  const values = new Set(texts.map((text) => coerce(text, wanted)));
  values.delete(undefined);
  return values.size === 1 ? [...values][0] : undefined;
}

/** Elements with a class that is called like the property; of a price without what is struck. */
export function classes(scope: Scope, target: Target): (string | number)[] {
  const { isSide, classes: find } = scope.content();
  // On a whole page `author` and `company` are the classes of links, boxes and menus too.
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

/** More is a part of the page, not a value. */
const maxClassText = 200;
