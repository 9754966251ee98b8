/** What fonts of TeX write as signs of their own: ligatures, accents, bullets. */

/** Text as it is written today. */
export function cleanText(text: string): string {
  if (!unclean.test(text)) return text;
  // The one sign of such fonts that stands alone is a bullet.
  if (/^[\u0080-\u009f]$/.test(text)) return '•';
  return (
    text
      // Some programs write every hyphen as one that may be there: it is seen, so it is.
      .replaceAll('\u00ad', '-')
      // Places of ligatures and accents in the encoding OT1; alone they are signs of other fonts.
      .replace(ligatureInWord, (sign) => ligatures[sign.charCodeAt(0) - 0x0b] ?? '')
      .replace(accentInWord, (_, accent: string, letter: string) => accented(accent, letter))
      // Fonts without a table of characters give these.
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\ufeff\ufffe\uffff]/g, '')
  );
}

/** A letter with the accent that stands before it; a dot gives way to it. */
export function accented(accent: string, letter: string): string {
  const plain = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter;
  return `${plain}${accents.get(accent) ?? ''}`.normalize('NFC');
}

/** Most text has none of these. */
const unclean = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\ufeff\ufffe\uffff¨´ˆ˜ˇ˘˚]/;
const ligatureInWord = /(?<=\p{L})[\u000b-\u000f]|[\u000b-\u000f](?=\p{L})/gu;
const accentInWord = /([¨\u007f]|(?<=\p{L})[´ˆ˜ˇ˘˚\u0012-\u0015\u0017])([A-Za-zıȷ])/gu;
const ligatures = ['ff', 'fi', 'fl', 'ffi', 'ffl'];
/** The sign that goes onto a letter, for an accent that stands before it. */
export const accents: ReadonlyMap<string, string> = new Map([
  ['¨', '\u0308'],
  ['´', '\u0301'],
  ['`', '\u0300'],
  ['ˆ', '\u0302'],
  ['˜', '\u0303'],
  ['¯', '\u0304'],
  ['˘', '\u0306'],
  ['˙', '\u0307'],
  ['˝', '\u030b'],
  ['ˇ', '\u030c'],
  ['˚', '\u030a'],
  ['\u0012', '\u0300'],
  ['\u0013', '\u0301'],
  ['\u0014', '\u030c'],
  ['\u0015', '\u0306'],
  ['\u0017', '\u030a'],
  ['\u007f', '\u0308'],
]);
