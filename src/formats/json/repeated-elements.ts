/** Records by structure: siblings of one kind, as the entries of a listing page are. */
import type { DomElement } from '../../html/dom.ts';
import { labelText } from '../structured-data/element-text.ts';
import type { IsSide } from './side-content.ts';

const maxElements = 20_000;
const maxGroups = 40;
const fewest = 2;
const kinds = /^(li|div|article|section|tr|a|dl|p)$/;

/** Groups of two and more alike siblings with a text and two facts at least; the largest first. */
export function repeatedElements(root: DomElement, isSide: IsSide): DomElement[][] {
  const groups: { readonly elements: DomElement[]; readonly weight: number }[] = [];
  let seen = 0;
  for (const parent of root.querySelectorAll('ul, ol, div, section, main, article, tbody, body')) {
    if ((seen += 1) > maxElements) break;
    if (parent.firstElementChild === null || isSide(parent)) continue;
    for (const elements of alike(parent)) {
      const kept = elements.filter((element) => !isSide(element) && hasFacts(element));
      if (kept.length < fewest) continue;
      groups.push({ elements: kept, weight: weightOf(kept) });
    }
  }
  return groups
    .sort((a, b) => b.weight - a.weight)
    .slice(0, maxGroups)
    .map(({ elements }) => elements);
}

/** Children by name and first class: `card` and `card featured` are of one kind. */
function alike(parent: DomElement): Iterable<DomElement[]> {
  const byKind = new Map<string, DomElement[]>();
  for (const child of parent.children) {
    if (!kinds.test(child.localName)) continue;
    const [first = ''] = child.className.trim().split(/\s+/);
    const kind = `${child.localName} ${first}`;
    const known = byKind.get(kind);
    if (known === undefined) byKind.set(kind, [child]);
    else known.push(child);
  }
  return byKind.values();
}

function hasFacts(element: DomElement): boolean {
  let count = 0;
  for (const inner of element.querySelectorAll('*')) {
    if (/^(br|wbr|script|style)$/.test(inner.localName)) continue;
    if ((count += 1) >= 2) return true;
  }
  return false;
}

function weightOf(elements: readonly DomElement[]): number {
  return elements.slice(0, 50).reduce((sum, element) => sum + labelText(element).length, 0);
}
