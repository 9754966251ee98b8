/** What `w:rPr` says of a run, read in one pass: a document has as many of them as words. */
import type { XmlElement } from '../../../html/xml-tree.ts';
import { isOnByValue } from '../open-xml/open-package.ts';

/** The format of a run; undefined where it says nothing. */
export interface RunFormat {
  readonly style: string | undefined;
  readonly isHidden: boolean;
  readonly bold: boolean | undefined;
  readonly italic: boolean | undefined;
  readonly struck: boolean;
  readonly raised: boolean;
  readonly lowered: boolean;
}

const none: RunFormat = {
  ...{ style: undefined, isHidden: false, bold: undefined, italic: undefined },
  ...{ struck: false, raised: false, lowered: false },
};

/** The format of a run, given its `w:rPr`. */
export function readRunFormat(element: XmlElement | undefined): RunFormat {
  if (element === undefined) return none;
  let { style, isHidden, bold, italic, struck, raised, lowered } = none;
  for (const node of element.children) {
    if (typeof node === 'string') continue;
    const value = node.attributes['w:val'];
    switch (node.name) {
      case 'w:rStyle':
        style = value;
        break;
      case 'w:vanish':
        isHidden = isOnByValue(value);
        break;
      case 'w:b':
        bold = isOnByValue(value);
        break;
      case 'w:i':
        italic = isOnByValue(value);
        break;
      case 'w:strike':
      case 'w:dstrike':
        struck ||= isOnByValue(value);
        break;
      case 'w:vertAlign':
        raised ||= value === 'superscript';
        lowered ||= value === 'subscript';
        break;
      case 'w:position':
        // Half points; some programs only move the text.
        raised ||= Number(value) >= 2;
        lowered ||= Number(value) <= -2;
    }
  }
  return { style, isHidden, bold, italic, struck, raised, lowered };
}
