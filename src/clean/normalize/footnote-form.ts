/** The form of footnotes in GFM's HTML: raised references, and notes in a section of their own. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { elementsOf, nextNode } from '../../html/nodes.ts';
import { pageFragment } from '../../url/page-fragment.ts';
import type { PageState } from './normalizer.ts';
import { newElement, replaceElement } from './replace-element.ts';

/**
 * `<sup><a href="#…" data-footnote-ref="label">label</a></sup>`. The target stays that of the page,
 * so that the link is true wherever it is read.
 */
export function writeReference(link: DomElement, label: string): void {
  link.textContent = label.replace(/-\d+$/, '');
  link.setAttribute('data-footnote-ref', label);
  const parent = link.parentElement;
  if (parent?.localName === 'sup' || parent?.parentElement?.localName === 'sup') {
    dropBrackets(link);
    return;
  }
  const raised = newElement(link, 'sup');
  link.replaceWith(raised);
  raised.appendChild(link);
}

/** `[1]`: only the number is the link. */
function dropBrackets(link: DomElement): void {
  const { previousSibling: before, nextSibling: after } = link;
  if (!isText(before) || !isText(after)) return;
  if (!/\[\s*$/.test(before.data) || !/^\s*\]/.test(after.data)) return;
  before.data = before.data.replace(/\[\s*$/, '');
  after.data = after.data.replace(/^\s*\]/, '');
}

/** Removes the links in the notes that lead back to their references, with what is around them only. */
export function removeBackLinks(
  { root, baseUrl }: PageState,
  notes: ReadonlyMap<DomElement, string>,
  targets: ReadonlySet<string>,
): void {
  const links: DomElement[] = [];
  for (const element of elementsOf(root)) {
    const isBack =
      element.localName === 'a'
        ? isBackLink(element, targets, baseUrl)
        : element.localName === 'span' && /\bmw-cite-backlink\b/.test(element.className);
    if (isBack && isInNote(element, notes)) links.push(element);
  }
  for (const link of links) {
    const parent = link.parentElement;
    link.remove();
    if (parent === null || notes.has(parent) || !/^(?:span|sup)$/.test(parent.localName)) continue;
    if (!/\S/.test(parent.textContent ?? '')) parent.remove();
  }
}

function isInNote(link: DomElement, notes: ReadonlyMap<DomElement, string>): boolean {
  for (let parent = link.parentElement; parent !== null; parent = parent.parentElement) {
    if (notes.has(parent)) return true;
  }
  return false;
}

function isBackLink(link: DomElement, targets: ReadonlySet<string>, baseUrl: string): boolean {
  const fragment = pageFragment(link.getAttribute('href'), baseUrl);
  return (
    (fragment !== undefined && targets.has(fragment)) ||
    link.hasAttribute('data-footnote-backref') ||
    link.getAttribute('role') === 'doc-backlink' ||
    /\b(?:footnote-back(?:ref|link)?|reversefootnote)\b/.test(link.className)
  );
}

/**
 * `<section data-footnotes><ol><li id="…" data-footnote="label">` around notes that follow each
 * other. Definitions in a list of terms stay where they are.
 */
export function groupNotes(notes: ReadonlyMap<DomElement, string>): void {
  const grouped = new Set<DomElement>();
  for (const [note, label] of notes) {
    note.setAttribute('data-footnote', label);
    dropMarker(note, label);
  }
  for (const note of notes.keys()) {
    if (grouped.has(note) || note.localName === 'dd') continue;
    if (note.localName === 'li') wrapList(note.parentElement, grouped);
    else collect(note, notes, grouped);
  }
}

/** The number that the page writes before the text of a note: `3. `, `[3] `. */
function dropMarker(note: DomElement, label: string): void {
  let node: DomNode | null = note.firstChild;
  while (node !== null && !(isText(node) && /\S/.test(node.data))) node = nextNode(node, note);
  if (!isText(node)) return;
  const marker = /^\s*[[(]?([\p{L}\p{N}]{1,12})(?:[.):]|\]:?)\s+/u.exec(node.data);
  if (marker?.[1] === label) node.data = node.data.slice(marker[0].length);
}

/** A list may have other items than notes: they stay in it. */
function wrapList(list: DomElement | null, grouped: Set<DomElement>): void {
  if (list === null || !/^[ou]l$/.test(list.localName) || grouped.has(list)) return;
  const ordered = list.localName === 'ol' ? list : replaceElement(list, 'ol');
  grouped.add(ordered);
  const around = ordered.parentElement;
  if (around?.localName === 'section' && /foot-?notes|endnotes/i.test(around.className)) {
    around.setAttribute('data-footnotes', '');
    return;
  }
  const section = newSection(ordered);
  ordered.replaceWith(section);
  section.appendChild(ordered);
}

/** Paragraphs and boxes: all notes that follow, in one list. */
function collect(
  first: DomElement,
  notes: ReadonlyMap<DomElement, string>,
  grouped: Set<DomElement>,
): void {
  const section = newSection(first);
  const list = newElement(first, 'ol');
  section.appendChild(list);
  first.before(section);
  for (let node: DomNode | null = first; node !== null;) {
    const next: DomNode | null = node.nextSibling;
    if (isElement(node)) {
      if (!notes.has(node)) break;
      grouped.add(node);
      list.appendChild(itemOf(node));
    } else if (isText(node) && /\S/.test(node.data)) {
      break;
    }
    node = next;
  }
}

/** A paragraph stays one in the item. */
function itemOf(note: DomElement): DomElement {
  const item = newElement(note, 'li');
  for (const name of ['id', 'data-footnote']) {
    const value = note.getAttribute(name);
    if (value !== null) item.setAttribute(name, value);
    note.removeAttribute(name);
  }
  item.appendChild(note);
  return item;
}

function newSection(beside: DomElement): DomElement {
  const section = newElement(beside, 'section');
  section.setAttribute('data-footnotes', '');
  section.className = 'footnotes';
  return section;
}
