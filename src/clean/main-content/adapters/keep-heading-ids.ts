/** The ids of headings, for extractors that leave them out: links into the page need them. */
import { type DomElement, isText } from '../../../html/dom.ts';
import { elementsOf, nodesOf } from '../../../html/nodes.ts';
import { oneLine } from '../../../text/one-line.ts';

/** Gives headings of `content` the ids that those with the same text have on the page, if one has. */
export function keepHeadingIds(page: DomElement, content: DomElement): void {
  const ids = new Set<string>();
  const unnamed: DomElement[] = [];
  for (const element of elementsOf(content)) {
    if (element.id !== '') ids.add(element.id);
    else if (isHeading(element)) unnamed.push(element);
  }
  if (unnamed.length === 0) return;
  const byText = readIds(page);
  for (const heading of unnamed) {
    const id = byText.get(textOf(heading)) ?? '';
    if (id === '' || ids.has(id)) continue;
    heading.id = id;
    ids.add(id);
  }
}

/** By the text of the heading; `` where several have the same, as it is not known which one was taken. */
function readIds(page: DomElement): Map<string, string> {
  const ids = new Map<string, string>();
  for (const element of elementsOf(page)) {
    if (!isHeading(element)) continue;
    const text = textOf(element);
    ids.set(text, ids.has(text) ? '' : idOf(element));
  }
  return ids;
}

/** Its own, or that of a section that begins with it. */
function idOf(heading: DomElement): string {
  if (heading.id !== '' || heading.previousElementSibling !== null) return heading.id;
  const { parentElement } = heading;
  return parentElement?.localName === 'section' ? parentElement.id : '';
}

function isHeading({ localName }: DomElement): boolean {
  return /^h[1-6]$/.test(localName);
}

/** Characters and nodes: as much as tells headings apart. A heading can be in a heading. */
const longest = 300;

function textOf(heading: DomElement): string {
  let text = '';
  let count = 0;
  for (const node of nodesOf(heading)) {
    if (isText(node)) text += node.data;
    if (text.length > longest || ++count > longest) break;
  }
  return oneLine(text);
}
