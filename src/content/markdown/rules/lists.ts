/** Rules of lists: `ul`, `ol`, `menu`, `dir`, `li` outside of them, `dt` and `dd`. */
import {
  type DomElement,
  type DomNode,
  findElement,
  isElement,
  isText,
  nodesOf,
} from '../../html/dom.ts';
import type { ListLevel } from '../block-writer.ts';
import type { Emitter, MarkdownRule } from '../emitter.ts';

/**
 * A list. Items keep the page's numbers (`start`, `value`, `reversed`); letters and Roman numerals become
 * numbers. Items are separated by blank lines only if one has several blocks. Items that are notes become
 * footnotes.
 */
export const list: MarkdownRule = (element, out) => {
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

/** An item outside of a list; adjacent ones make one list. */
export const listItem: MarkdownRule = (element, out) => {
  if (out.inCell) {
    inlineItem(element, '- ', out);
    return;
  }
  out.flush();
  const before = out.writer.level.lastList;
  const orphans = before?.orphans === true ? before : out.writer.newList(false, 1, true);
  out.inside(orphans, () => out.item(orphans, element));
};

interface ListState {
  readonly list: ListLevel;
  readonly step: 1 | -1;
  hasNotes: boolean;
}

/** Continues the previous list if the numbers go on from its end. */
function numberedList(element: DomElement, out: Emitter): ListLevel {
  const reversed = element.hasAttribute('reversed');
  const start = integer(element.getAttribute('start')) ?? (reversed ? countItems(element) : 1);
  const before = out.writer.level.lastList;
  if (before?.ordered === true && start > 1 && start === before.next) return before;
  return out.writer.newList(true, Math.max(start, 0));
}

function items(parent: DomElement, state: ListState, out: Emitter): void {
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

function item(element: DomElement, state: ListState, out: Emitter): void {
  const label = out.footnotes.labelOfNote(element);
  const { list } = state;
  if (label !== undefined) {
    // Mixed notes and items are separated by a blank line.
    if (list.lastItem !== undefined) list.loose = true;
    state.hasNotes = true;
    out.note(label, element);
    list.next = Math.max(list.next + state.step, 0);
    return;
  }
  if (state.hasNotes) list.loose = true;
  const value = list.ordered ? integer(element.getAttribute('value')) : undefined;
  if (value !== undefined) list.next = Math.max(value, 0);
  // An item without content is not written and gets no number.
  if (out.item(list, element)) list.next = Math.max(list.next + state.step, 0);
}

/** Writes a list that is a direct child of a list into the previous item. */
function listInList(element: DomElement, state: ListState, out: Emitter): void {
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

/** Writes an item in a table cell as a line that begins with its marker. */
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

// `dt` and `dd`.

/** A bold line, followed by a short definition: `**Weight**: 19 kg`. */
export const term: MarkdownRule = (element, out) => {
  if (element.previousElementSibling?.localName === 'dt') out.lineBreak();
  else out.boundary();
  const isBlock = ({ localName }: DomElement): boolean =>
    /^(?:h[1-6]|p|div|ul|ol|table|pre)$/.test(localName);
  if (findElement(element, isBlock) !== undefined) return out.paragraph(element);
  out.run.wrap({ kind: 'strong' }, () => out.children(element));
};

/** A short definition is on the line of its term, further ones are on lines of their own, long ones are paragraphs. */
export const definition: MarkdownRule = (element, out) => {
  const before = element.previousElementSibling;
  const isOnLine = !out.run.isEmpty && isShort(element);
  if (isOnLine && before?.localName === 'dt') {
    const hasColon = /[:：?？]\s*$/.test(before.textContent ?? '');
    out.run.lead(hasColon || /^\s*[:：]/.test(element.textContent ?? '') ? ' ' : ': ');
  } else if (isOnLine && before?.localName === 'dd' && !out.opensCard) {
    out.run.break();
  } else {
    out.boundary();
  }
  out.children(element);
  out.run.lead('');
  if (element.nextElementSibling?.localName !== 'dd') out.boundary();
};

const longestOnLine = 200; // characters of a definition on the line of its term

function isShort(element: DomElement): boolean {
  let length = 0;
  let left = longestOnLine;
  for (const node of nodesOf(element)) {
    if (isText(node)) length += node.data.trim().length;
    if (length > longestOnLine || --left === 0) return false;
  }
  return true;
}
