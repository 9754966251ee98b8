/** `ul`, `ol`, `menu`, `dir`, and `li` outside of them. */
import { type DomElement, type DomNode, isElement, isText } from '../../../html/dom.ts';
import type { ListLevel } from '../block-writer.ts';
import type { Emitter, Rule } from '../emitter.ts';

/**
 * A list. Numbers are those that the page shows (`start`, `value`, `reversed`); letters and Roman
 * numerals become numbers. Blank lines stand between the items only where one of them has several
 * blocks. Items that are notes become footnotes.
 */
export const list: Rule = (element, out) => {
  if (out.inCell) {
    inlineItems(element, out);
    return;
  }
  out.flush();
  const ordered = element.localName === 'ol';
  const level = ordered ? numberedList(element, out) : out.writer.newList(false, 1);
  const step = ordered && element.hasAttribute('reversed') ? -1 : 1;
  out.inside(level, () => items(element, { list: level, step, hasNotes: false }, out));
};

/** An item that stands outside of a list; those next to each other make one. */
export const listItem: Rule = (element, out) => {
  if (out.inCell) {
    inlineItem(element, '- ', out);
    return;
  }
  out.flush();
  const before = out.writer.level.lastList;
  const orphans = before?.orphans === true ? before : out.writer.newList(false, 1, true);
  out.inside(orphans, () => out.item(orphans, element));
};

interface State {
  readonly list: ListLevel;
  readonly step: 1 | -1;
  hasNotes: boolean;
}

/** A list that begins where the one before ended goes on with it. */
function numberedList(element: DomElement, out: Emitter): ListLevel {
  const reversed = element.hasAttribute('reversed');
  const start = integer(element.getAttribute('start')) ?? (reversed ? countItems(element) : 1);
  const before = out.writer.level.lastList;
  if (before?.ordered === true && start > 1 && start === before.next) return before;
  return out.writer.newList(true, Math.max(start, 0));
}

function items(parent: DomElement, state: State, out: Emitter): void {
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child) ? !/\S/.test(child.data) : !isElement(child)) continue;
    if (!isElement(child)) {
      out.item(state.list, child);
    } else if (child.localName === 'li') {
      item(child, state, out);
    } else if (child.localName === 'ul' || child.localName === 'ol') {
      listInList(child, state, out);
    } else if (child.firstElementChild?.localName === 'li') {
      items(child, state, out);
    } else {
      out.item(state.list, child);
    }
  }
}

function item(element: DomElement, state: State, out: Emitter): void {
  const label = out.footnotes.labelOfNote(element);
  const { list } = state;
  if (label !== undefined) {
    // Where notes and items mix, neither may run on into the other.
    if (list.lastItem !== undefined) list.loose = true;
    state.hasNotes = true;
    out.note(label, element);
    list.next = Math.max(list.next + state.step, 0);
    return;
  }
  if (state.hasNotes) list.loose = true;
  const value = list.ordered ? integer(element.getAttribute('value')) : undefined;
  if (value !== undefined) list.next = Math.max(value, 0);
  // An item without content is not written, and takes no number.
  if (out.item(list, element)) list.next = Math.max(list.next + state.step, 0);
}

/** A list that is a child of a list belongs to the item before. */
function listInList(element: DomElement, state: State, out: Emitter): void {
  const before = state.list.lastItem;
  if (before === undefined) items(element, state, out);
  else out.inside(before, () => out.visit(element));
}

function inlineItems(element: DomElement, out: Emitter): void {
  const ordered = element.localName === 'ol';
  let number = integer(element.getAttribute('start')) ?? 1;
  for (let child: DomNode | null = element.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child)) continue;
    if (child.localName === 'li') inlineItem(child, ordered ? `${number++}. ` : '- ', out);
    else out.visit(child);
  }
}

/** In a table cell an item is a line that begins with its marker. */
function inlineItem(element: DomElement, marker: string, out: Emitter): void {
  out.boundary();
  out.run.lead(marker);
  out.children(element);
  out.run.lead('');
  out.boundary();
}

function countItems(element: DomElement): number {
  let count = 0;
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child) && child.localName === 'li') count++;
  }
  return count;
}

function integer(value: string | null): number | undefined {
  return value !== null && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : undefined;
}
