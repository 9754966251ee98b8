/** Maps code points of symbol fonts in DOCX and RTF documents to Unicode characters. */

/** A character of a font by its code; a bullet for unknown glyphs. */
export function symbolOf(font: string | undefined, code: string | undefined): string {
  if (code === undefined || !/^[\da-f]{1,6}$/i.test(code)) return '';
  const number = Number.parseInt(code, 16);
  // Symbol fonts use the private use area: F000 plus their own code.
  const own = number >= 0xf000 && number <= 0xf0ff ? number - 0xf000 : number;
  if (/wingdings|webdings/i.test(font ?? '')) return wingdings.get(own) ?? '•';
  if (/symbol/i.test(font ?? '')) return greek.get(own) ?? String.fromCodePoint(own);
  if (own !== number) return '•';
  return number <= 0x10ffff ? String.fromCodePoint(number) : '';
}

const wingdings: ReadonlyMap<number, string> = new Map([
  [0x4a, '☺'],
  [0x6c, '●'],
  [0x6e, '■'],
  [0x6f, '□'],
  [0xa7, '▪'],
  [0xa8, '☐'],
  [0xd8, '➢'],
  [0xdf, '←'],
  [0xe0, '→'],
  [0xfb, '✗'],
  [0xfc, '✓'],
  [0xfd, '☒'],
  [0xfe, '☑'],
]);

const greekLetters = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';

const smallLetters = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';

const greek: ReadonlyMap<number, string> = new Map([
  ...[...greekLetters].map((letter, at) => [0x41 + at, letter] as const),
  ...[...smallLetters].map((letter, at) => [0x61 + at, letter] as const),
  ...Object.entries({ '≤': 0xa3, '∞': 0xa5, '±': 0xb1, '≥': 0xb3, '×': 0xb4 }).map(swapped),
  ...Object.entries({ '•': 0xb7, '÷': 0xb8, '≠': 0xb9, '≈': 0xbb, '→': 0xae }).map(swapped),
  ...Object.entries({ '∈': 0xce, '∑': 0xe5, '√': 0xd6, '°': 0xb0, '∂': 0xb6 }).map(swapped),
]);

function swapped([text, code]: readonly [string, number]): readonly [number, string] {
  return [code, text];
}
