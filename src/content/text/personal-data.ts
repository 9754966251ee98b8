/**
 * Finds personal data in a text: mail addresses, phone and card numbers, IBANs, IP addresses, US social
 * security numbers. Expects text normalized by `reading.ts`: its digits, spaces and hyphens are ASCII. Every
 * pattern reads a bounded number of characters from each start, so that time is linear in the text.
 */
import { isIPv4, isIPv6 } from 'node:net';

/** The kinds of personal data that are recognised. */
export const personalDataKinds = ['email', 'phone', 'card', 'iban', 'ip', 'ssn'] as const;

/** A kind of personal data that is recognised. */
export type PersonalDataKind = (typeof personalDataKinds)[number];

/** A part of a text, from `start` up to but not including `end`. */
export interface FoundData {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Finder = (text: string) => Iterable<Omit<FoundData, 'type'>>;

/** The parts of the text that are personal data of one kind, in no particular order. */
export function* findPersonalData(
  text: string,
  kind: PersonalDataKind,
): Generator<FoundData, void, undefined> {
  for (const { start, end } of finders[kind](text)) yield { type: kind, start, end };
}

/** False for a text that cannot contain this kind. */
export function mayHold(text: string, kind: PersonalDataKind): boolean {
  return signsOf[kind].test(text);
}

const sixDigits = /\d(?:\D*\d){5}/;

const signsOf: Readonly<Record<PersonalDataKind, RegExp>> = {
  email: /@|[[({]\s?at\s?[\])}]/i,
  phone: sixDigits,
  card: sixDigits,
  iban: sixDigits,
  ip: /\d\.\d|:[\da-f]{0,4}:/i,
  ssn: sixDigits,
};

const finders: Readonly<Record<PersonalDataKind, Finder>> = {
  email: findEmails,
  phone: findPhones,
  card: findCards,
  iban: findIbans,
  ip: findIpAddresses,
  ssn: findSsns,
};

// Mail addresses (RFC 5321 has the lengths), also as "jane [at] example [dot] org".

const atSign = /@|\s?(?:\[\s?at\s?\]|\(\s?at\s?\)|\{\s?at\s?\})\s?/giu;

const localCharacter = /[\p{L}\p{M}\p{N}._%+'~!-]/u;

const domainAfter =
  /(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,62}(?:\.|\s?(?:\[\s?dot\s?\]|\(\s?dot\s?\))\s?)){1,8}(?:xn--[a-z\d-]{2,59}|\p{L}[\p{L}\p{M}]{1,62})(?![\p{L}\p{N}_])/iuy;

/** `icon@2x.png` and `app@next.js` are files. */
const fileName =
  /\.(?:avif|bmp|css|gif|html?|ico|jpe?g|js|json|jsx|map|mjs|mp[34]|pdf|php|png|svg|tsx?|webm|webp|woff2?|xml|zip)$/i;

function* findEmails(text: string): ReturnType<Finder> {
  for (const at of text.matchAll(atSign)) {
    domainAfter.lastIndex = at.index + at[0].length;
    const domain = domainAfter.exec(text);
    if (domain === null || fileName.test(domain[0])) continue;
    let start = at.index;
    while (start > 0 && at.index - start < 64 && localCharacter.test(text.charAt(start - 1))) {
      start -= 1;
    }
    while (start < at.index && /['.!~-]/.test(text.charAt(start))) start += 1;
    if (start < at.index) yield { start, end: domain.index + domain[0].length };
  }
}

// Phone numbers: with a country code (E.164), with a trunk prefix, of North America, or after a label.

const separator = '[\\s().\\-/]';

const international = new RegExp(
  `(?<![\\p{N}+])(?:\\+|(?<!\\p{L})00(?=[1-9]))${separator}{0,2}[1-9](?:${separator}{0,3}\\d){6,15}(?!\\d|[.,]\\d)`,
  'gu',
);

/** Assigned country codes (ITU-T E.164), each with the rest of a number. */
const countryCode =
  /^(?:1[2-9]\d{2}[2-9]\d{6}$|7\d{10}$|2(?:[07]|[1-689]\d)|3(?:[0-469]|[578]\d)|4(?:[013-9]|2[013])|5(?:[1-8]|[09]\d)|6(?:[0-6]|[7-9]\d)|8(?:[1246]|[058]\d)|9(?:[0-58]|[679]\d))/;

const withTrunkPrefix = new RegExp(
  `(?<![\\p{L}\\p{N}+#$€£]|[\\p{N}][.,/-])\\(?0[1-9]\\d{0,4}\\)?(?:[\\s.\\-/]{0,3}\\d){5,10}(?![\\p{L}\\p{N}]|[.,:/-]\\d)`,
  'gu',
);

const northAmerican =
  /(?<![\p{L}\p{N}+#$€£]|\p{N}[.,/-])(?:1[\s.-])?(?:\([2-9]\d{2}\)[\s.-]?|[2-9]\d{2}[\s.-])[2-9]\d{2}[\s.-]\d{4}(?![\p{L}\p{N}]|[.,-]\d)/gu;

const phoneWords =
  'tel|telefon|telefono|teléfono|telefone|telefoon|telephone|téléphone|(?:cell|home|mobile|office|work)?[\\s_-]?phone|' +
  'fax|telefax|mobile?|mobil|mobiltelefon|mobilfunk|handy|móvil|cellulare|celular|whatsapp|тел|телефон|факс';

const numberWords = '(?:[\\s_-]?(?:no|nr|num|number|nummer|numéro|número))?';

const labelledNumber = `(\\(?\\+?\\d(?:${separator}{0,3}\\d){5,14})(?!\\d|[.,]\\d)`;

/** The label may be the name of a field or an element: `"phone": "5551234"`, `<phone>5551234`. */
const labelled = new RegExp(
  `(?:(?<!\\p{L})(?:${phoneWords})|電話|电话|☎|📞|✆)${numberWords}\\.?["'\\]]{0,2}\\s?[:=>]?\\s{0,3}\\[?\\s?["']?` +
    labelledNumber,
  'giu',
);

const phoneLabel = new RegExp(
  `(?:(?:^|[^\\p{L}])(?:${phoneWords})|電話|电话|☎|📞|✆)${numberWords}[\\s.:]{0,3}$`,
  'iu',
);

const numberAtStart = new RegExp(`^\\s{0,9}${labelledNumber}`, 'u');

/** The number at the start of a text with a separate label, such as the name of its field: `contactPhone`. */
export function findLabelledPhone(label: string, text: string): FoundData[] {
  const words = label.slice(-60).replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  const [found = '', number = ''] = numberAtStart.exec(text) ?? [];
  if (number === '' || isDate(number) || !phoneLabel.test(words)) return [];
  return [{ type: 'phone', start: found.length - number.length, end: found.length }];
}

function* findPhones(text: string): ReturnType<Finder> {
  for (const { index, 0: found } of text.matchAll(international)) {
    if (isInternational(found)) yield { start: index, end: index + found.length };
  }
  for (const { index, 0: found } of text.matchAll(withTrunkPrefix)) {
    if (isNational(found)) yield { start: index, end: index + found.length };
  }
  for (const { index, 0: found } of text.matchAll(northAmerican)) {
    yield { start: index, end: index + found.length };
  }
  for (const { index, 0: found, 1: number = '' } of text.matchAll(labelled)) {
    const end = index + found.length;
    if (!isDate(number)) yield { start: end - number.length, end };
  }
}

function isInternational(found: string): boolean {
  const isPlus = found.startsWith('+');
  const digits = digitsOf(found.replace(/\(0\)/, '')).slice(isPlus ? 0 : 2);
  const groups = groupsOf(found);
  // +48.85661 is a coordinate; +1.2025550123 is a number as registries of domains write it.
  const isDecimal = /^\+\d+\.\d+$/.test(found) && digits.length < 11;
  const isBare = !isPlus && groups.length === 1;
  return (
    !isDecimal && !isBare && digits.length >= 8 && digits.length <= 15 && countryCode.test(digits)
  );
}

function isNational(found: string): boolean {
  const groups = groupsOf(found);
  const { length } = digitsOf(found);
  const isDecimal = groups.length === 2 && found.includes('.');
  const isSsn = groups.length === 3 && groups.map((group) => group.length).join() === '3,2,4';
  return (
    length >= 9 &&
    length <= 12 &&
    groups.length >= 2 &&
    groups.every((group) => group.length >= 2) &&
    !isDecimal &&
    !isSsn &&
    !isDate(found)
  );
}

/** True for beginnings like 01.02.2024, 2024-02-01 or 01/02/24 10. */
function isDate(found: string): boolean {
  return /^(?:\d{1,2}([./-])\d{1,2}\1(?:19|20)\d{2}|(?:19|20)\d{2}([./-])\d{1,2}\2\d{1,2})(?!\d)/.test(
    found,
  );
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

function groupsOf(text: string): string[] {
  return text.match(/\d+/g) ?? [];
}

// Payment cards: the ranges of issuers (ISO/IEC 7812), and the check digit of Luhn.

const digitGroups =
  /(?<![\p{L}\p{N}_]|\p{N}[.,])\d+(?:(?: ?- ?|[^\S\n]{1,3})\d+)*(?![\p{L}\p{N}_]|[.,]\d)/gu;

const issuers =
  /^(?:4(?:\d{15}|\d{18})|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|6304|6759|676[1-3])\d{8,15})$/;

function* findCards(text: string): ReturnType<Finder> {
  for (const { index, 0: run } of text.matchAll(digitGroups)) {
    const groups = [...run.matchAll(/\d+/g)];
    for (let from = 0; from < groups.length; from += 1) {
      let number = '';
      for (let to = from; to < groups.length && number.length < 19; to += 1) {
        const last = groups[to];
        const first = groups[from];
        if (last === undefined || first === undefined) break;
        number += last[0];
        // Grouped by four, or as 4-6-5 and 4-6-4.
        if (to > from && first[0].length !== 4) break;
        if (!issuers.test(number) || !hasLuhnDigit(number)) continue;
        yield { start: index + first.index, end: index + last.index + last[0].length };
        from = to;
        break;
      }
    }
  }
}

function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

// IBANs (ISO 13616): the length of the country, and a remainder of 1 modulo 97.

const ibanStart = /(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?=[^\S\n]{0,3}-?[a-z\d])/giu;

const ibanLengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

function* findIbans(text: string): ReturnType<Finder> {
  for (const { index: start, 0: head } of text.matchAll(ibanStart)) {
    const length = ibanLengths.get(head.slice(0, 2).toUpperCase());
    if (length === undefined) continue;
    let compact = '';
    let end = start;
    for (let gap = 0; compact.length < length && end < text.length; end += 1) {
      const character = text.charAt(end);
      if (/[a-z\d]/i.test(character)) {
        compact += character;
        gap = 0;
      } else if (!/[^\S\n]|-/.test(character) || ++gap > longestGap) break;
    }
    const isWhole = compact.length === length && !/[\p{L}\p{N}]/u.test(text.charAt(end));
    if (isWhole && remainder97(compact) === 1) yield { start, end };
  }
}

const longestGap = 3; // spaces and hyphens between two groups

function remainder97(iban: string): number {
  let remainder = 0;
  for (const character of `${iban.slice(4)}${iban.slice(0, 4)}`) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

// IP addresses, except versions with four parts that are called a version.

const ipv4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)/g;

const ipv6 =
  /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{0,4})(?![\w:]|\.\d)/gi;

function* findIpAddresses(text: string): ReturnType<Finder> {
  for (const { index: start, 0: found } of text.matchAll(ipv4)) {
    const before = text.slice(Math.max(0, start - 12), start);
    const isVersion = /(?:\bv|\bver\.?|version|release|build)[\s:]{0,2}$/i.test(before);
    if (!isVersion && isIPv4(found)) yield { start, end: start + found.length };
  }
  for (const { index: start, 0: found } of text.matchAll(ipv6)) {
    if (/\d/.test(found) && isIPv6(found)) yield { start, end: start + found.length };
  }
}

// Social security numbers of the USA: 000, 666 and 900 to 999 are never issued.

const ssn =
  /(?<![\p{L}\p{N}]|\p{N}[.,-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\p{L}\p{N}]|[.,-]\d)/gu;

function* findSsns(text: string): ReturnType<Finder> {
  for (const { index: start, 0: found } of text.matchAll(ssn)) {
    yield { start, end: start + found.length };
  }
}
