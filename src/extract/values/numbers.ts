/** Reads numbers, ranges and number words: separators of many locales, currencies, units, `1.2k`. */
import { writtenCodes } from '../../content/text/currency.ts';

/** The context of the text. */
interface NumberContext {
  /** The page's language: decides whether `1.299` is a decimal. */
  readonly language: string | undefined;
  /** The target unit, if the text has another unit of the kind; without a unit the text needs none. */
  readonly unit: Unit | undefined;
}

/**
 * The number in a text, or undefined if there is none or more than one (`10–20`).
 *
 * `1.299` and `1,299` are read by the language: as a thousand if it uses that separator for thousands.
 */
export function coerceNumber(text: string, context: NumberContext): number | undefined {
  const plain = plainFigures(text);
  if (!/\d/.test(plain)) return undefined;
  const duration = isoDuration(plain);
  if (duration !== undefined) {
    return context.unit?.kind === 'time' ? round(duration / context.unit.size) : undefined;
  }
  if (context.unit?.kind === 'time') {
    const seconds = writtenDuration(plain, context.language);
    if (seconds !== undefined) return round(seconds / context.unit.size);
  }
  const { amount, thousands } = plainAmount(plain, context);
  const found = findNumber(amount, context.language, thousands);
  if (found === undefined) return undefined;
  const after = amount.slice(found.end);
  if (isRange(after) || isCompound(after)) return undefined;
  const value = found.value * multiplier(after);
  return convert(value, after, context.unit);
}

/** An amount of money as a plain number: `2.799,-`, `$129. 95`. Other texts are as they were. */
function plainAmount(
  text: string,
  { language, unit }: NumberContext,
): { amount: string; thousands: boolean } {
  if (unit !== undefined || !/[.,]/.test(text)) return { amount: text, thousands: false };
  const whole = text.replace(wholeAmount, '$1');
  if (whole !== text) return { amount: whole, thousands: true };
  if (!isMoney(text)) return { amount: text, thousands: false };
  const amount = text.replace(spacedFraction, '$1$2$3');
  return { amount, thousands: hasNoFractions(text, language) };
}

interface NumberMatch {
  readonly value: number;
  readonly end: number;
}

/** The start of a text in Latin digits, with plain spaces, points and commas. */
function plainFigures(text: string): string {
  return latinDigits(text)
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .replaceAll('，', ',')
    .replaceAll('．', '.')
    .slice(0, 200);
}

/** `1.299,-` and `20.–`: an amount without cents. */
const wholeAmount = /(\d)\s?[.,]\s?[-–—]{1,2}(?!\d)/gu;

const moneyNames =
  'Rp|rp|TL|lei|Lei|đ|vnđ|VNĐ|đồng|원|円|元|zł|Kč|Ft|kr|Kr|Rs|RM|Fr|руб|р|грн|лв|тг'.split('|');

const moneyCodes = [
  ...writtenCodes,
  ...'IDR VND PHP THB MYR TWD AED SAR QAR EGP NGN KES PKR COP CLP ARS PEN ISK KWD BHD OMR JOD'.split(
    ' ',
  ),
];

const money = new RegExp(
  `\\p{Sc}|(?<!\\p{L})(?:${[...moneyNames, ...moneyCodes].join('|')})(?!\\p{L})`,
  'u',
);

/** True for a text with a sign, a code or a short name of a currency. */
function isMoney(text: string): boolean {
  return money.test(text);
}

/** `$129. 95`, `148, 99 TL`: a space at the point. */
const spacedFraction = /^(\D*\d[\d.,' ]*?)\s?([.,])\s?(\d{2})(?=\D*$)/u;

/** Amounts in these currencies have no fractions, or none of three digits: apparent ones are thousands. */
const noFractions =
  /[₫₩¥￥₲₭]|(?<!\p{L})(?:đ|vnđ|VNĐ|VND|đồng|Rp|rp|IDR|HUF|원|KRW|円|JPY|CLP|COP|PYG|ISK|XOF|XAF|F?CFA)(?!\p{L})/u;

function hasNoFractions(text: string, language: string | undefined): boolean {
  // In English, `ft` may also be feet.
  return noFractions.test(text) || (/\dFt\b|\sFt\b/.test(text) && !/^en/i.test(language ?? ''));
}

/**
 * The first number that is not part of a name such as `A4` or of a date such as `1.2.2020`. `thousands`: a
 * separator before three digits is one of thousands, whatever the language.
 */
function findNumber(
  text: string,
  language: string | undefined,
  thousands = false,
): NumberMatch | undefined {
  const digits = /\d/g;
  for (let match = digits.exec(text); match !== null; match = digits.exec(text)) {
    const start = match.index;
    const fraction = bareFraction(text, start);
    if (fraction !== undefined) return fraction;
    const found = readNumber(text, start, language, thousands);
    if (found !== undefined && !isGlued(text, start)) {
      return { ...found, value: isNegative(text, start) ? -found.value : found.value };
    }
    digits.lastIndex = found?.end ?? skipDigits(text, start);
  }
  return undefined;
}

/** `.85`, `-,5`: without the zero. */
function bareFraction(text: string, start: number): NumberMatch | undefined {
  if (!/(?:^|[^\p{L}\d.,])[.,٫]$/u.test(text.slice(Math.max(0, start - 2), start)))
    return undefined;
  const digits = /^\d+/.exec(text.slice(start))?.[0] ?? '';
  const end = start + digits.length;
  if (isMore(text, end)) return undefined;
  const value = Number(`0.${digits}`);
  return { value: isNegative(text, start - 1) ? -value : value, end };
}

const grouped = /(\d{1,3})([ '’.,٬])\d{3}(?:\2\d{3})*(?:([.,٫])(\d+))?/y;

const indian = /\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?/y;

const simple = /\d+(?:([.,٫])(\d+))?/y;

function readNumber(
  text: string,
  start: number,
  language: string | undefined,
  thousands: boolean,
): NumberMatch | undefined {
  const match = at(indian, text, start) ?? at(grouped, text, start) ?? at(simple, text, start);
  if (match === undefined) return undefined;
  let end = start + match[0].length;
  const separator = match[2];
  if (match.length === 5 && separator !== undefined) {
    const isAmbiguous = match[3] === undefined && /^\d{1,3}[.,]\d{3}$/.test(match[0]);
    if (
      /^\d/.test(text.slice(end)) ||
      (isAmbiguous &&
        !(thousands && !match[0].startsWith('0')) &&
        !groups(match[0], language, text))
    ) {
      const plain = at(simple, text, start);
      if (plain === undefined) return undefined;
      end = start + plain[0].length;
      return isMore(text, end) ? undefined : { value: decimal(plain[0]), end };
    }
    const whole = match[0].slice(
      0,
      match[3] === undefined ? undefined : -(match[4] ?? '').length - 1,
    );
    const value = Number(`${whole.replace(/\D/g, '')}.${match[4] ?? '0'}`);
    return isMore(text, end) ? undefined : { value, end };
  }
  if (isMore(text, end)) return undefined;
  const isIndian = match.length === 1;
  return { value: isIndian ? Number(match[0].replace(/,/g, '')) : decimal(match[0]), end };
}

function at(pattern: RegExp, text: string, start: number): RegExpExecArray | undefined {
  pattern.lastIndex = start;
  return pattern.exec(text) ?? undefined;
}

function decimal(text: string): number {
  return Number(text.replace(/[,٫]/, '.'));
}

/** Languages that write 1.234,5, from CLDR: languages of the Latin, Greek and Cyrillic web. */
const commaDecimal = new Set(
  (
    'af az be bg bs ca cs da de el es et eu fi fo fr gl hr hu hy id is it ka kk ky lt lv mk nb nl ' +
    'nn no pl pt ro ru sk sl sq sr sv tr uk uz vi'
  ).split(' '),
);

/** True when the one separator in `1.299` separates thousands. */
function groups(number: string, language: string | undefined, text: string): boolean {
  if (/^0/.test(number)) return false;
  const separator = number.includes(',') ? ',' : '.';
  const region = (language ?? '').toLowerCase();
  const usesComma = commaDecimal.has(region.split(/[-_]/)[0] ?? '') && !/^es[-_]mx/.test(region);
  if (language === undefined || language === '') {
    return separator === ',' || (isMoney(text) && !threeDigits.test(text));
  }
  return usesComma ? separator === '.' : separator === ',';
}

/** Currencies with a thousand parts. */
const threeDigits = /(?<!\p{L})(?:KWD|BHD|OMR|JOD|TND|LYD|IQD|KD|BD)(?!\p{L})/u;

/** True in `1.2.2020`, `10:30`, `2024-05-01`: the text continues, so it is not a number. */
function isMore(text: string, end: number): boolean {
  return /^(?:[.,:]\d|-\d+-)/.test(text.slice(end, end + 8));
}

const currencies = new RegExp(
  `(?:^|[^\\p{L}])(?:${[...moneyNames, ...moneyCodes].join('|')}|rmb|us|ca|au)$`,
  'iu',
);

/** True in `A4`, `RTX4090`: part of a word, unless the word is a currency. */
function isGlued(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  if (/\p{L}[-_/]$/u.test(before)) return true;
  return /\p{L}$/u.test(before) && !currencies.test(before);
}

function isNegative(text: string, start: number): boolean {
  return /(?:^|[\s(:])[-−]\s?[$€£¥]?$/u.test(text.slice(Math.max(0, start - 5), start));
}

/** True before text like `– 20`, `to $20`, `x 200`: it is ambiguous which number counts. */
function isRange(after: string): boolean {
  return /^\s*(?:(?:[%$€£¥]|\p{L}{1,5}(?=[\s–—-]))\s*)?(?:[-–—×]|(?:to|bis|à|x)(?!\p{L}))\s*[^\s\d]{0,4}\s?\d/iu.test(
    after,
  );
}

/** True in `1 h 30 min`, `5 ft 10`, one quantity in two units; and in fractions other than `4.5/5`. */
function isCompound(after: string): boolean {
  if (/^\s*\/\s*\d/.test(after)) return !/^\s*\/\s*(?:5|10|100)(?!\d)/.test(after);
  return /^\s*(?:h|hr|hrs|hours?|std|ft|feet|foot|lbs?|['′])\.?\s*\d/i.test(after);
}

function multiplier(after: string): number {
  if (/^k\b/i.test(after)) return 1000;
  if (/^M\b/.test(after) || /^\s?(?:million|millionen|mio)\b/i.test(after)) return 1e6;
  if (/^B\b/.test(after) || /^\s?(?:billion|milliarden|mrd)\b/i.test(after)) return 1e9;
  return /^\s?(?:thousand|tsd|tausend)\b/i.test(after) ? 1000 : 1;
}

function convert(value: number, after: string, wanted: Unit | undefined): number | undefined {
  if (wanted === undefined) return round(value);
  const written = unitAtStart(after);
  if (written === undefined) return round(value);
  return written.kind === wanted.kind ? round((value * written.size) / wanted.size) : undefined;
}

/** Removes the error of binary fractions: 0.1 + 0.2 is 0.3. */
export function round(value: number): number {
  return Number(value.toPrecision(12));
}

/** ISO 8601 durations (`PT1H30M`) in seconds. */
function isoDuration(text: string): number | undefined {
  const match = /^\s*P(?=.)(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?\s*$/i.exec(
    text,
  );
  if (match === null) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** `1 hour 20 minutes`, `90 min` in seconds; undefined when a part has no unit of time. */
function writtenDuration(text: string, language: string | undefined): number | undefined {
  let total: number | undefined;
  for (const [, amount = '', name = ''] of text.matchAll(/(\d+(?:[.,]\d+)?)\s*(\p{L}+)/gu)) {
    const unit = unitNamed(name);
    if (unit?.kind !== 'time') return undefined;
    const value = findNumber(amount, language)?.value ?? 0;
    total = (total ?? 0) + value * unit.size;
  }
  return total;
}

/** The text with the digits of other scripts as 0 to 9. */
export function latinDigits(text: string): string {
  // Most texts are in scripts without digits of their own.
  if (!/[\u0660-\uffff]/.test(text)) return text;
  return text.replace(/(?!\d)\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    // The digits of a script are consecutive, starting at its zero.
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return String(value);
  });
}

function skipDigits(text: string, start: number): number {
  const rest = /^[\d.,:]+/.exec(text.slice(start));
  return start + (rest?.[0].length ?? 1);
}

// Reads the two ends of a range in a text: `£38,000 – £44,500`, `from 500`, `up to 20`.

/** An end that the text does not give is undefined. */
export interface NumberRange {
  readonly low: number | undefined;
  readonly high: number | undefined;
}

const betweenEnds =
  /(?<=[\d%€£$¥kK]\.?|[A-Z]{3})\s*(?:-|–|—|\bto\b|\bbis\b|\bà\b|\ba\b|\bhasta\b|\by\b|\band\b|\bund\b|\bet\b)\s*(?=[^\d]{0,5}\d)/u;

const fromEnd =
  /^(?:from|starting at|at least|min\.?|minimum|ab|mindestens|à partir de|dès|desde|a partir de|da|vanaf)\s/i;

const upToEnd = /^(?:up to|at most|max\.?|maximum|bis(?: zu)?|jusqu.à|hasta|fino a|tot)\s/i;

/** Undefined where the text is not a range: one bare number is not the end of a range. */
export function coerceRange(text: string, context: NumberContext): NumberRange | undefined {
  const plain = text
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .trim()
    .slice(0, 200);
  const parts = plain.replace(/^(?:between|zwischen|entre|von|de)\s/i, '').split(betweenEnds);
  const [first, second] = parts;
  if (parts.length === 2 && first !== undefined && second !== undefined) {
    const high = coerceNumber(second, context);
    const low = coerceNumber(first, context);
    if (low === undefined || high === undefined) return undefined;
    // `38 – 44k`
    const scaled = low < high / 500 && /\d\s?k\b/i.test(second) ? low * 1000 : low;
    return scaled <= high ? { low: scaled, high } : undefined;
  }
  if (fromEnd.test(plain)) return { low: coerceNumber(plain, context), high: undefined };
  return upToEnd.test(plain) ? { low: undefined, high: coerceNumber(plain, context) } : undefined;
}

// Units of measurement in names and texts, for the units that are converted.

/** A unit by its kind and its size in the kind's base unit. */
export interface Unit {
  readonly kind: string;
  readonly size: number;
}

/** Names by kind, each with its size; the base units are gram, metre, litre, second, square metre and byte. */
const table: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mass: {
    'mg milligram milligrams': 0.001,
    'g gram grams gramm grm': 1,
    'kg kilogram kilograms kilogramm kilo kgm': 1000,
    'oz ounce ounces onz': 28.349523125,
    'lb lbs pound pounds lbr libra libras': 453.59237,
  },
  length: {
    'mm millimeter millimeters millimetre millimetres mmt': 0.001,
    'cm centimeter centimeters centimetre centimetres cmt': 0.01,
    'm meter meters metre metres mtr': 1,
    'km kilometer kilometers kilometre kilometres kmt': 1000,
    'in inch inches inh': 0.0254,
    'ft foot feet fot': 0.3048,
    'mi mile miles smi': 1609.344,
  },
  volume: {
    'ml milliliter milliliters millilitre millilitres mlt': 0.001,
    'cl centiliter centilitre': 0.01,
    'l liter liters litre litres ltr': 1,
  },
  time: {
    's sec secs second seconds sekunden': 1,
    'min mins minute minutes minuten minuto minutos minuti minuut mn': 60,
    'h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur': 3600,
    'd day days tag tage jour jours dia dias giorno giorni': 86_400,
  },
  area: {
    'sqm m2 qm m² mq squaremeters squaremetres': 1,
    'sqft ft2 ft² squarefeet': 0.09290304,
    'ha hectare hectares hektar': 10_000,
    'acre acres': 4046.8564224,
  },
  bytes: {
    'kb kilobytes': 1000,
    'mb megabytes': 1_000_000,
    'gb gigabytes': 1_000_000_000,
  },
};

/** Unit words at the end of names that are too short or too ambiguous to convert. */
const others =
  'usd eur gbp chf jpy dollars euros cents percent pct watts w ' + 'volts v mah kcal kwh c f';

const units: ReadonlyMap<string, Unit> = new Map(
  Object.entries(table).flatMap(([kind, sizes]) =>
    Object.entries(sizes).flatMap(([names, size]) =>
      names.split(' ').map((name) => [name, { kind, size }] as const),
    ),
  ),
);

/** Words that give a property's unit, not its meaning. */
export const unitWords: ReadonlySet<string> = new Set([...units.keys(), ...others.split(' ')]);

/** The unit of that name, in any case: `kg`, `Minutes`. */
export function unitNamed(name: string): Unit | undefined {
  return units.get(name.toLowerCase());
}

/** The unit at the start of a text, ignoring spaces and dots between its words: `sq. ft.`, `m²`. */
function unitAtStart(text: string): Unit | undefined {
  const square =
    /^[\s-]*(?:sq(?:uare)?\.?\s*(m|met|ft|f)|(m|ft)[²2](?!\p{L}|\d)|(qm|mq)(?!\p{L}))/iu.exec(text);
  if (square !== null) {
    const word = square[1] ?? square[2] ?? square[3] ?? '';
    return unitNamed(/^f/i.test(word) ? 'sqft' : 'sqm');
  }
  return unitNamed(/^[\s-]*(\p{L}+)/u.exec(text)?.[1] ?? '');
}

/** The unit in a property's words or its description: `weightKg`, "in minutes". */
export function wantedUnit(words: readonly string[], description: string): Unit | undefined {
  const last = words.length > 1 ? words.at(-1) : undefined;
  if (last !== undefined && units.has(last)) return units.get(last);
  if (/\bsquare (?:met|feet|foot)/i.test(description)) {
    return unitNamed(/\bsquare met/i.test(description) ? 'sqm' : 'sqft');
  }
  for (const [, after, within] of description.matchAll(/\bin ([a-z]+)\b|\(([a-z]+)\)/gi)) {
    const unit = unitNamed(after ?? within ?? '');
    if (unit !== undefined) return unit;
  }
  return undefined;
}

// Small numbers in words: `three bedrooms`.

/** Starts at two: the word for one is an article in most languages. */
const smallNumbers: Readonly<Record<string, string>> = {
  en: 'two three four five six seven eight nine ten eleven twelve',
  de: 'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  fr: 'deux trois quatre cinq six sept huit neuf dix onze douze',
  es: 'dos tres cuatro cinco seis siete ocho nueve diez once doce',
  it: 'due tre quattro cinque sei sette otto nove dieci undici dodici',
  nl: 'twee drie vier vijf zes zeven acht negen tien elf twaalf',
  pt: 'dois três quatro cinco seis sete oito nove dez onze doze',
};

/** The word for the number in the page's language, folded; in English without a language. */
export function numberWords(value: number, language: string = 'en'): string[] {
  const [primary = ''] = language.toLowerCase().split(/[-_]/);
  const list = Object.hasOwn(smallNumbers, primary) ? smallNumbers[primary] : undefined;
  const word = list?.split(' ')[value - 2];
  return word === undefined ? [] : [word.normalize('NFKD')];
}
