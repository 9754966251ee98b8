/** Currencies by their codes and signs. */

/** Signs of one currency only, the longer first. */
const signs: readonly (readonly [sign: string, code: string])[] = [
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
  ['Ft', 'HUF'],
];

/** Signs of several currencies: the region or the language of the page decides, or nothing does. */
const shared: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  $: { us: 'USD', ca: 'CAD', au: 'AUD', nz: 'NZD', mx: 'MXN', sg: 'SGD', hk: 'HKD', ar: 'ARS' },
  '¥': { ja: 'JPY', jp: 'JPY', zh: 'CNY', cn: 'CNY' },
  '￥': { ja: 'JPY', jp: 'JPY', zh: 'CNY', cn: 'CNY' },
  円: { ja: 'JPY' },
  元: { zh: 'CNY', cn: 'CNY' },
  kr: { sv: 'SEK', da: 'DKK', nb: 'NOK', no: 'NOK', nn: 'NOK', is: 'ISK' },
};

/** The code that `value` is or stands for: `eur`, `€`, `RMB`. */
export function currencyCode(value: string, language: string | undefined): string | undefined {
  const text = value.trim().slice(0, 20);
  const code = text.toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return isCurrency(code) ? code : others.get(code);
  return currencyIn(text, language);
}

/** The currency that a written price names: `1.299,00 €`, `CHF 20`. */
export function currencyIn(text: string, language: string | undefined): string | undefined {
  for (const [code = ''] of text.matchAll(/(?<!\p{L})[A-Z]{3}(?!\p{L})/gu)) {
    if (isCurrency(code)) return code;
    if (others.has(code)) return others.get(code);
  }
  const known = signs.find(([sign]) => text.includes(sign));
  if (known !== undefined) return known[1];
  // The region says more than the language.
  const parts = (language ?? '').toLowerCase().split(/[-_]/).reverse();
  for (const [sign, codes] of Object.entries(shared)) {
    if (!text.includes(sign)) continue;
    for (const part of parts) {
      if (Object.hasOwn(codes, part)) return codes[part];
    }
  }
  return undefined;
}

/** True where the text has a sign of money, also one that several currencies share. */
export function hasCurrency(text: string, language: string | undefined): boolean {
  return /\p{Sc}/u.test(text) || currencyIn(text, language) !== undefined;
}

/** Codes that are written but not ISO's. */
const others: ReadonlyMap<string, string> = new Map([
  ['RMB', 'CNY'],
  ['NTD', 'TWD'],
]);

function isCurrency(code: string): boolean {
  return code !== 'XXX' && code !== 'XTS' && Intl.supportedValuesOf('currency').includes(code);
}
