/** The table of currencies by their codes and symbols. */

/** Symbols of a single currency, the longer first. */
const symbols: readonly (readonly [symbol: string, code: string])[] = [
  ['US$', 'USD'],
  ['AU$', 'AUD'],
  ['CA$', 'CAD'],
  ['NZ$', 'NZD'],
  ['HK$', 'HKD'],
  ['NT$', 'TWD'],
  ['MX$', 'MXN'],
  ['R$', 'BRL'],
  ['A$', 'AUD'],
  ['C$', 'CAD'],
  ['S$', 'SGD'],
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['₹', 'INR'],
  ['₽', 'RUB'],
  ['₩', 'KRW'],
  ['₺', 'TRY'],
  ['₴', 'UAH'],
  ['₫', 'VND'],
  ['₪', 'ILS'],
  ['₱', 'PHP'],
  ['฿', 'THB'],
  ['₦', 'NGN'],
  ['₸', 'KZT'],
  ['zł', 'PLN'],
  ['Kč', 'CZK'],
];

/** Symbols of several currencies: a region (`US`) or a language (`ja`) decides, else the symbol is ambiguous. */
const shared: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  $: { US: 'USD', CA: 'CAD', AU: 'AUD', NZ: 'NZD', MX: 'MXN', SG: 'SGD', HK: 'HKD', AR: 'ARS' },
  '¥': { ja: 'JPY', JP: 'JPY', zh: 'CNY', CN: 'CNY' },
  '￥': { ja: 'JPY', JP: 'JPY', zh: 'CNY', CN: 'CNY' },
  円: { ja: 'JPY', JP: 'JPY' },
  元: { zh: 'CNY', CN: 'CNY' },
  Ft: { hu: 'HUF', HU: 'HUF' },
  kr: {
    sv: 'SEK',
    da: 'DKK',
    nb: 'NOK',
    no: 'NOK',
    nn: 'NOK',
    is: 'ISK',
    SE: 'SEK',
    DK: 'DKK',
    NO: 'NOK',
    IS: 'ISK',
  },
};

/** All symbols, the longer first. */
export const currencySymbols: readonly string[] = [
  ...symbols.map(([symbol]) => symbol),
  ...Object.keys(shared),
];

/** Codes accepted beside amounts in running text; others, such as `ALL` and `TOP`, are words there. */
export const writtenCodes: readonly string[] = (
  'EUR USD GBP CHF JPY CNY CAD AUD NZD SEK NOK DKK PLN CZK HUF RON BGN TRY INR BRL MXN ZAR SGD HKD ' +
  'KRW ILS UAH RUB'
).split(' ');

/** The code that `value` is or stands for: `eur`, `€`, `RMB`. */
export function currencyCode(value: string, language: string | undefined): string | undefined {
  const text = value.trim().slice(0, 20);
  const code = text.toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return isCurrency(code) ? code : others.get(code);
  return currencyIn(text, language);
}

/** The currency that a written price names: `1.299,00 €`, `CHF 20`. */
export function currencyIn(text: string, language: string | undefined): string | undefined {
  const known = symbols.find(([symbol]) => hasSymbol(text, symbol));
  if (known !== undefined) return known[1];
  for (const [code = ''] of text.matchAll(/(?<!\p{L})[A-Z]{3}(?!\p{L})/gu)) {
    if (isCurrency(code)) return code;
    if (others.has(code)) return others.get(code);
  }
  for (const symbol of Object.keys(shared)) {
    const code = hasSymbol(text, symbol) ? sharedCode(symbol, language) : undefined;
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The currency of a symbol or a code; undefined if the page's language does not decide. */
export function currencyOfSymbol(symbol: string, language: string | undefined): string | undefined {
  if (/^[A-Z]{3}$/.test(symbol)) return symbol;
  return symbols.find(([own]) => own === symbol)?.[1] ?? sharedCode(symbol, language);
}

/** True for the symbol, except for the `R$` of `AR$ 500` and for letters of a word. */
function hasSymbol(text: string, symbol: string): boolean {
  if (!/^\p{L}/u.test(symbol)) return text.includes(symbol);
  const before = text.split(symbol).slice(0, -1);
  return before.some((part) => !/\p{L}$/u.test(part));
}

function sharedCode(symbol: string, language = ''): string | undefined {
  const codes = Object.hasOwn(shared, symbol) ? shared[symbol] : undefined;
  if (codes === undefined) return undefined;
  const [own = '', ...rest] = language.split(/[-_]/);
  // The region has precedence over the language.
  const parts = [...rest.map((part) => part.toUpperCase()).reverse(), own.toLowerCase()];
  const known = parts.find((part) => Object.hasOwn(codes, part));
  return known === undefined ? undefined : codes[known];
}

/** True if the text has a currency symbol, even one that several currencies share. */
export function hasCurrency(text: string, language: string | undefined): boolean {
  return /\p{Sc}/u.test(text) || currencyIn(text, language) !== undefined;
}

/** Common codes that are not in ISO 4217. */
const others: ReadonlyMap<string, string> = new Map([
  ['RMB', 'CNY'],
  ['NTD', 'TWD'],
]);

function isCurrency(code: string): boolean {
  return code !== 'XXX' && code !== 'XTS' && Intl.supportedValuesOf('currency').includes(code);
}
