/** Short facts of a product page between its title and description: price, stock, rating, brand, number. */
import { oneLine } from '../../text/plain-text.ts';
import type { IndexSet } from './index-set.ts';
import { headingLevel, type MeasuredBlock } from './measure.ts';
import { amountOf } from './page-facts.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

const limits = {
  leastRows: 3,
  longestLabel: 40, // characters
  nearPrice: 8, // paragraphs between a price and the former one
  titles: 3, // others are headings of the description
  nearTitle: 1500, // characters of text between a title and its facts
  longestFact: 80, // characters
};

/** Keeps the price after the title, and the facts beside it. False on a page without such a price. */
export function keepProductFacts(page: MeasuredPage, retained: IndexSet): boolean {
  const titles = page.paragraphs.filter(
    ({ block, position, isObvious }) =>
      position === page.title || (!isObvious && headingLevel(block) === 1),
  );
  if (titles.length === 0 && page.facts.isProduct) {
    titles.push(...page.paragraphs.filter(({ block }) => retained.has(block.index)).slice(0, 1));
  }
  const prices = readPrices(page);
  for (const title of titles.slice(0, limits.titles)) {
    const after = textAfter(title, page);
    const amounts = after.map((block) => isAmount(block));
    const price = amounts.indexOf(true);
    const first = after[price];
    if (first === undefined || !isOnly(first, prices)) continue;
    const { isArticle, isProduct } = page.facts;
    if (isArticle && !isProduct && !isNamedFact(first)) continue;
    if (isLink(first) && !(isProduct && isRare(first, page))) continue;
    for (const [at, block] of after.entries()) {
      const hasAmount = amounts[at] === true;
      if (hasAmount && Math.abs(at - price) > limits.nearPrice) continue;
      const isPrice = at === price || isFact(block, hasAmount);
      if (isPrice && isOnly(block, prices)) retained.add(block.index);
    }
    return true;
  }
  return false;
}

/** Keeps the first visible occurrence of the structured data's prices and ratings, after the title if possible. */
export function keepStated({ facts, paragraphs, title }: MeasuredPage, retained: IndexSet): void {
  if (facts.stated.size === 0) return;
  const missing = new Set(facts.stated);
  const facing: { block: MeasuredBlock; numbers: number[] }[] = [];
  for (const { block, isObvious, heading } of [
    ...paragraphs.slice(Math.max(0, title)),
    ...paragraphs.slice(0, Math.max(0, title)),
  ]) {
    const { own, text } = block;
    if (own.digits === 0 || own.length > limits.longestFact || text > own.length) continue;
    const isRetained = retained.has(block.index);
    if (!isRetained && (isObvious || heading.isAside)) continue;
    const numbers = numbersOf(block).filter((number) => missing.has(number));
    if (isRetained) for (const number of numbers) missing.delete(number);
    else if (numbers.length > 0) facing.push({ block, numbers });
  }
  for (const { block, numbers } of facing) {
    const found = numbers.filter((number) => missing.has(number));
    if (found.length === 0) continue;
    const isRating = found.some((number) => !Number.isInteger(number) && number <= 10);
    if (!isRating && !isAmount(block) && !isNamedFact(block)) continue;
    retained.add(block.index);
    for (const number of found) missing.delete(number);
  }
}

/** Keeps consecutive rows of a label and a value, such as "Language" and "English". */
export function keepPairs({ paragraphs }: MeasuredPage, retained: IndexSet): void {
  let rows: FactRow[] = [];
  const settle = (): void => {
    const labels = new Set(rows.map(({ label }) => label.own.hash));
    const least = rows.every(({ label }) => endsInColon(label)) ? 2 : limits.leastRows;
    const isFacts = labels.size === rows.length && !areCommands(rows);
    if (isFacts && rows.length >= least)
      for (const { label, value } of rows) {
        retained.add(label.index);
        retained.add(value.index);
      }
    rows = [];
  };
  for (const [position, paragraph] of paragraphs.entries()) {
    const row = rowOf(paragraph, paragraphs[position + 1]);
    if (row === undefined) continue;
    const before = rows.at(-1);
    if (before !== undefined && !areAlike(before, row)) settle();
    rows.push(row);
  }
  settle();
}

/** A box with two short texts. */
interface FactRow {
  readonly box: MeasuredBlock;
  readonly label: MeasuredBlock;
  readonly value: MeasuredBlock;
}

function rowOf(
  { block: label, isObvious, heading }: Paragraph,
  next: Paragraph | undefined,
): FactRow | undefined {
  const { length, digits, linked } = label.own;
  if (isObvious || heading.isAside || length > limits.longestLabel || digits > 0 || linked > 0)
    return undefined;
  let box = label.parent;
  while (box?.paragraphs === 1) box = box.parent;
  if (box?.paragraphs !== 2 || box.text > limits.longestFact || box.own.length > 0)
    return undefined;
  // Tables are retained or dropped as a whole.
  if (box.element.localName === 'tr' || box.headings > 0 || box.controlElements > 0)
    return undefined;
  return next !== undefined && next.block.index < box.end && !next.isObvious
    ? { box, label, value: next.block }
    : undefined;
}

function areAlike({ box, label }: FactRow, next: FactRow): boolean {
  if (box.parent !== next.box.parent) return false;
  return label.shape === next.label.shape || (endsInColon(label) && endsInColon(next.label));
}

/** Links that repeat: "Get started" below the name of each plan. */
function areCommands(rows: readonly FactRow[]): boolean {
  const texts = new Set(rows.map(({ value }) => value.own.hash));
  return (
    texts.size < rows.length && rows.every(({ value: { own } }) => own.linked >= 0.5 * own.length)
  );
}

function endsInColon({ own: { last } }: MeasuredBlock): boolean {
  return last === 0x3a || last === 0xff1a;
}

function numbersOf({ element }: MeasuredBlock): number[] {
  const text = oneLine((element.textContent ?? '').slice(0, 200));
  return (text.match(/\d[\d.,  ]*\d|\d/g) ?? []).map(amountOf);
}

/** Distinct prices by the shape of their paragraph. */
type PricesByShape = ReadonlyMap<number, ReadonlySet<number>>;

function readPrices({ paragraphs }: MeasuredPage): PricesByShape {
  const prices = new Map<number, Set<number>>();
  for (const { block } of paragraphs) {
    if (block.own.currencies === 0 || !isAmount(block)) continue;
    const alike = prices.get(block.shape) ?? new Set();
    prices.set(block.shape, alike.add(block.own.hash));
  }
  return prices;
}

/** In a list of products, plans or currencies, each entry has a price. */
function isOnly({ shape }: MeasuredBlock, prices: PricesByShape): boolean {
  return (prices.get(shape)?.size ?? 0) <= 3;
}

function textAfter(title: Paragraph, { paragraphs }: MeasuredPage): MeasuredBlock[] {
  const after: MeasuredBlock[] = [];
  // Texts between the elements of a box around the title are a paragraph of that box.
  for (let box = title.block.parent; box !== undefined; box = box.parent) {
    if (box.own.length > 0) after.push(box);
  }
  let length = 0;
  for (let at = title.position + 1; at < paragraphs.length && length < limits.nearTitle; at++) {
    const paragraph = paragraphs[at] as Paragraph;
    const { isAside, position } = paragraph.heading;
    if (isAside && position > title.position) break;
    if (paragraph.isObvious) continue;
    length += paragraph.block.own.length;
    after.push(paragraph.block);
  }
  return after;
}

function isLink({ own }: MeasuredBlock): boolean {
  return own.linked > 0.5 * own.length;
}

/** Prices in a grid are links, too. */
function isRare({ shape }: MeasuredBlock, { paragraphs }: MeasuredPage): boolean {
  return paragraphs.filter(({ block }) => block.shape === shape).length <= 3;
}

function isFact(block: MeasuredBlock, hasAmount: boolean): boolean {
  const { own } = block;
  if (own.length > limits.longestFact || isLink(block)) return false;
  return hasAmount || isNamedFact(block);
}

/** A short text with a currency sign or code beside a number. */
function isAmount({ own, text, element }: MeasuredBlock): boolean {
  if (own.digits === 0 || own.length > limits.longestFact) return false;
  if (own.currencies > 0) return true;
  return (
    text === own.length && amountWithCode.test(oneLine((element.textContent ?? '').slice(0, 200)))
  );
}

const currencyNames =
  'USD|EUR|GBP|CHF|CAD|AUD|NZD|JPY|CNY|RMB|INR|RUB|UAH|PLN|CZK|HUF|RON|BGN|SEK|NOK|DKK|ISK|TRY|BRL|MXN|ARS|CLP|' +
  'COP|PEN|ZAR|AED|SAR|ILS|KRW|SGD|HKD|TWD|THB|IDR|MYR|PHP|VND|kr\\.?|zł|Kč|Ft|lei|лв|руб\\.?|Rs\\.?|Rp|RM|Fr\\.?|TL';

const amountWithCode = new RegExp(
  `(?:^|[^\\p{L}])(?:${currencyNames})\\s?\\d|\\d\\s?(?:${currencyNames}|,-)(?:$|[^\\p{L}])`,
  'u',
);

/** The element, its parent or grandparent is named after a property of products and offers. */
function isNamedFact(block: MeasuredBlock): boolean {
  let around: MeasuredBlock | undefined = block;
  for (let levels = 0; around !== undefined && levels < 3; around = around.parent, levels++) {
    const { element } = around;
    const names = `${element.getAttribute('itemprop') ?? ''} ${(element.getAttribute('class') ?? '').slice(0, 200)}`;
    if (propertyNames.test(names)) return true;
    if (around.text > 2 * limits.longestFact) return false;
  }
  return false;
}

const propertyNames =
  /(?:^|[\s_-])(?:price|brand|vendor|sku|mpn|gtin\d*|isbn|availability|stock|rating|ratings|ratingvalue|condition)(?:$|[\s_-])/i;
