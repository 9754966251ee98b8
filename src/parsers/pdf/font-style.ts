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
    isMono: mono.test(plain) || (family === 'monospace' && !/^(?:cm|sf|ec|lm)[a-z]/i.test(plain)),
  };
}

/** Those of TeX have short names: CMBX, LMRoman-Bold; of the EC fonts SFBX, SFSX (sans), SFXC (small capitals). */
const bold =
  /bold|black|heavy|demi|^(?:cm|sf|ec)(?:bx|b\d|ss(?:bx|dc)|mib|bsy)|^(?:sf|ec)(?:b[il]|rb|xc|oc|s[ox])\d|^lmbx|[-,_]bd/i;
const italic = /italic|oblique|slanted|^(?:cm|sf|ec)(?:ti|sl|bxti|bxsl|mi\d|ssi)|[-,_]it\b/i;
const mono =
  /mono(?!t)|courier|consol|typewriter|menlo|inconsolata|^(?:cm|sf|ec|lm)(?:tt|sltt|itt)|sourcecode/i;
