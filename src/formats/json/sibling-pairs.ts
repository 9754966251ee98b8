/** Labels with their values in elements side by side, without a colon: `<span>Rooms</span><span>3</span>`. */
import type { DomElement } from '../../html/dom.ts';
import { labelText } from '../structured-data/element-text.ts';
import type { IsSide } from './side-content.ts';
import type { Pair } from './pair.ts';

const maxElements = 20_000;
const maxRows = 5000;
const maxLabel = 60;
const rowNames = /^(div|li|p|section|span|tr)$/;
const cellNames = /^(div|span|p|b|strong|small|em|label|dt|dd|h[3-6]|a|time|i|td)$/;

/**
 * Elements with exactly two elements and no other text in them: the first is the label. Whether it is
 * one is decided by whether it is called like a property.
 */
export function* siblingPairs(root: DomElement, isSide: IsSide): Generator<Pair> {
  let seen = 0;
  let rows = 0;
  for (const row of root.querySelectorAll('div, li, p, section, span')) {
    if ((seen += 1) > maxElements || rows > maxRows) return;
    if (!rowNames.test(row.localName)) continue;
    const [label, value, more] = row.children;
    if (label === undefined || value === undefined || more !== undefined) continue;
    if (!cellNames.test(label.localName) || !cellNames.test(value.localName)) continue;
    if (hasOwnText(row) || isSide(row)) continue;
    const text = labelText(label);
    if (text === '' || text.length > maxLabel || /\d/.test(text)) continue;
    rows += 1;
    yield {
      label: text.replace(/\s*[:：]\s*$/, ''),
      source: 'label',
      values: [{ element: value }],
      isList: false,
    };
  }
}

function hasOwnText(element: DomElement): boolean {
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === 3 && (node.textContent ?? '').trim() !== '') return true;
  }
  return false;
}
