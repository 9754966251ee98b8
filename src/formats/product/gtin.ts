/** Global trade item numbers. */

/** The digits of a GTIN-8, -12, -13 or -14; undefined when the check digit is wrong, as in a made-up one. */
export function gtinOf(text: string): string | undefined {
  const digits = text
    .slice(0, 50)
    .replace(/^\s*(?:gtin|ean|upc|isbn)[-\d]{0,3}:/i, '')
    .replace(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return undefined;
  // GS1 General Specifications, 7.9: weights of 3 and 1 from the right.
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0 ? digits : undefined;
}
