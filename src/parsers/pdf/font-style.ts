/** How a font looks, by its name: `ABCDEF+DejaVuSans-BoldOblique`. */
import type { FontStyle } from './geometry.ts';

/** Of text whose font is not known. */
export const plainStyle: FontStyle = { isBold: false, isItalic: false, isMono: false };

/** `family` is what pdf.js takes it for: `monospace`, `serif` or `sans-serif`. */
export function fontStyle(name: string, family: string): FontStyle {
  const plain = name.replace(/^[A-Z]{6}\+/, '');
  return {
    isBold: bold.test(plain),
    isItalic: italic.test(plain),
    signs: signsOf(plain),
    isMono: mono.test(plain) || (family === 'monospace' && !/^(?:cm|sf|ec|lm)[a-z]/i.test(plain)),
  };
}

/** Those of TeX have short names: CMBX, LMRoman-Bold; of the EC fonts SFBX, SFSX (sans), SFXC (small capitals). */
const bold =
  /bold|black|heavy|demi|^(?:cm|sf|ec)(?:bx|b\d|ss(?:bx|dc)|mib|bsy)|^(?:sf|ec)(?:b[il]|rb|xc|oc|s[ox])\d|^lmbx|[-,_]bd/i;
const italic = /italic|oblique|slanted|^(?:cm|sf|ec)(?:ti|sl|bxti|bxsl|mi\d|ssi)|[-,_]it\b/i;
const mono =
  /mono(?!t)|courier|consol|typewriter|menlo|inconsolata|^(?:cm|sf|ec|lm)(?:tt|sltt|itt)|sourcecode/i;

/** What letters stand for in fonts of signs; undefined for other fonts. Their files rarely say it. */
function signsOf(name: string): ReadonlyMap<string, string> | undefined {
  if (/^(?:itc)?zapfdingbats|^dingbats/i.test(name)) return dingbats;
  return /^wingdings(?![ -]?[23])/i.test(name) ? wingdings : undefined;
}

/** Bullets and marks (ISO 32000-1, D.6). */
const dingbats = pairs('3✓4✔5✕6✖7✗8✘l●m❍n■o❏p❐q❑r❒u◆v❖');

/** The same of Wingdings, by the letters of Windows-1252 at their codes. */
const wingdings = pairs('l●m❍n■o□p❐q❑r❒s⬧t⧫u◆v❖w⬥Ÿ•¡○¨◻§▪Ø➢û✗ü✓ý☒þ☑');

function pairs(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/(.)(.)/gu)].map(([, letter = '', sign = '']) => [letter, sign]),
  );
}

/** Text of a font of signs, of which each stands alone. Some files count its letters from U+F000. */
export function withSigns(text: string, { signs }: FontStyle): string {
  if (signs === undefined) return text;
  return text.replace(/(?<!\S)\S(?!\S)/g, (letter) => {
    const code = letter.charCodeAt(0);
    return signs.get(code > 0xf000 ? String.fromCharCode(code - 0xf000) : letter) ?? letter;
  });
}
