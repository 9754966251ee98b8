/** Footnotes: a superscript link and its note, written in the form of GFM's HTML. */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  elementsOf,
  isElement,
  isText,
  nextNode,
} from '../../html/dom.ts';
import { pageFragment } from '../../../core/url/links.ts';
import { newElement, type Normalizer, type PageState, replaceElement } from './normalizer.ts';

/** Collects links that look like references to footnotes. */
export const collectReference: Normalizer = (link, { references, baseUrl }) => {
  const isReference = mayBeReference(link);
  // The page's own attribute is not proof of a footnote.
  link.removeAttribute('data-footnote-ref');
  if (isReference && pageFragment(link.getAttribute('href'), baseUrl) !== undefined) {
    references.push(link);
  }
  return undefined;
};

/** Converts the references whose notes are on the page, and these notes, to the form of GFM's HTML. */
export function connectFootnotes(page: PageState): void {
  if (page.references.length === 0) return;
  const footnotes = new Footnotes(page);
  footnotes.connect();
  const { notes, labels } = footnotes;
  if (notes.size === 0) return;
  removeBackLinks(page, notes, footnotes.backTargets);
  for (const [reference, label] of labels) writeReference(reference, label);
  groupNotes(notes);
}

interface FootnoteTarget {
  readonly element: DomElement;
  /** The position in document order. */
  readonly index: number;
}

interface FootnoteReference extends FootnoteTarget {
  readonly fragment: string;
}

class Footnotes {
  /** The label of each note. */
  readonly notes = new Map<DomElement, string>();
  /** The label of each reference. */
  readonly labels = new Map<DomElement, string>();
  /** Ids around the references: targets of the arrows at the end of a note. */
  readonly backTargets = new Set<string>();
  readonly #page: PageState;
  readonly #taken = new Set<string>();
  /** The first number to try, by prefix. */
  readonly #nextNumber = new Map<string, number>();

  constructor(page: PageState) {
    this.#page = page;
  }

  connect(): void {
    const targets = new Map<string, FootnoteTarget>();
    const references: FootnoteReference[] = [];
    const candidates = new Set(this.#page.references);
    let index = 0;
    for (const element of elementsOf(this.#page.root)) {
      index++;
      const isLink = element.localName === 'a';
      for (const name of [element.getAttribute('id'), isLink ? element.getAttribute('name') : null])
        if (name !== null && name !== '' && !targets.has(name))
          targets.set(name, { element, index });
      if (!isLink || !candidates.has(element)) continue;
      const fragment = pageFragment(element.getAttribute('href'), this.#page.baseUrl);
      if (fragment !== undefined) references.push({ element, index, fragment });
    }
    // Visible labels are assigned first: generated numbers must not take them.
    const isNamed = ({ element }: FootnoteReference): boolean => visibleLabel(element) !== '';
    for (const reference of references) if (isNamed(reference)) this.#connect(reference, targets);
    for (const reference of references) if (!isNamed(reference)) this.#connect(reference, targets);
  }

  #connect(reference: FootnoteReference, targets: ReadonlyMap<string, FootnoteTarget>): void {
    const target = targets.get(reference.fragment);
    if (target === undefined || target.index < reference.index) return;
    const note = noteAround(target.element, reference);
    if (note === undefined) return;
    let label = this.notes.get(note);
    if (label === undefined) {
      label = this.#newLabel(reference.element);
      this.notes.set(note, label);
      this.#taken.add(label);
    }
    this.labels.set(reference.element, label);
    let around: DomElement | null = reference.element;
    for (let level = 0; level < 3 && around !== null; level++, around = around.parentElement) {
      for (const name of [around.getAttribute('id'), around.getAttribute('name')])
        if (name !== null && name !== '') this.backTargets.add(name);
    }
  }

  /** The visible label, if it is usable, else the next free number. */
  #newLabel(link: DomElement): string {
    const visible = visibleLabel(link);
    if (visible !== '' && !this.#taken.has(visible)) return visible;
    const prefix = visible === '' ? '' : `${visible}-`;
    // Labels are never released: the search continues where the last one ended.
    let number = this.#nextNumber.get(prefix) ?? (visible === '' ? 1 : 2);
    while (this.#taken.has(`${prefix}${number}`)) number++;
    this.#nextNumber.set(prefix, number + 1);
    return `${prefix}${number}`;
  }
}

function visibleLabel(link: DomElement): string {
  return (link.textContent ?? '').replace(/[^\p{L}\p{N}]/gu, '');
}

/** A link with a short text, superscript or marked as a reference. */
function mayBeReference(link: DomElement): boolean {
  const parent = link.parentElement;
  const only = link.firstElementChild;
  const isSuperscript =
    parent?.localName === 'sup' ||
    parent?.parentElement?.localName === 'sup' ||
    (only?.localName === 'sup' && only.nextElementSibling === null);
  const isMarked =
    isSuperscript ||
    link.hasAttribute('data-footnote-ref') ||
    link.getAttribute('role') === 'doc-noteref' ||
    referenceClass.test(link.className) ||
    referenceClass.test(only?.className ?? '');
  return (
    isMarked &&
    /^[^\p{L}\p{N}]*[\p{L}\p{N}\s]{0,12}[^\p{L}\p{N}]{0,3}$/u.test(link.textContent ?? '')
  );
}

const referenceClass = /\b(?:mso)?(?:foot|end)?note-?ref/i;

/** The list item, or the block with the class of a note, around the target of a reference. */
function noteAround(target: DomElement, reference: FootnoteReference): DomElement | undefined {
  let note: DomElement | null = target;
  while (note !== null && /^(?:a|b|em|i|span|strong|sup)$/.test(note.localName)) {
    note = note.parentElement;
  }
  if (note === null || !/^(?:li|p|dd|div|aside|section)$/.test(note.localName)) return undefined;
  if (note.localName !== 'li') {
    const names = `${reference.fragment} ${note.className} ${note.getAttribute('role') ?? ''}`;
    if (!/note|cite|(?:^|[\W_])(?:fn|ftn|edn|en)(?:[\W_\d]|$)/i.test(names)) return undefined;
  }
  const isCell = ({ localName }: DomElement): boolean => /^(?:td|th|a)$/.test(localName);
  if (closestWhere(note.parentElement, isCell) !== undefined) return undefined;
  return note.contains(reference.element) ? undefined : aloneIn(note);
}

/** The parent, if it holds only the note: word processors write a `div` around each. */
function aloneIn(note: DomElement): DomElement {
  const parent = note.parentElement;
  if (parent === null || note.localName === 'li') return note;
  if (parent.localName !== 'li' && parent.localName !== 'div') return note;
  const isAlone = note.previousElementSibling === null && note.nextElementSibling === null;
  if (!isAlone || hasInk(note.previousSibling) || hasInk(note.nextSibling)) return note;
  return parent;
}

function hasInk(node: DomNode | null): boolean {
  return isText(node) && /\S/.test(node.data);
}

// The form of footnotes in GFM's HTML: superscript references, and notes in a section of their own.

/**
 * Writes `<sup><a href="#…" data-footnote-ref="label">label</a></sup>`. The href stays the page's own, so
 * that the link works everywhere.
 */
function writeReference(link: DomElement, label: string): void {
  link.textContent = label.replace(/-\d+$/, '');
  link.setAttribute('data-footnote-ref', label);
  const parent = link.parentElement;
  if (parent?.localName === 'sup' || parent?.parentElement?.localName === 'sup') {
    dropBrackets(link);
    return;
  }
  const superscript = newElement(link, 'sup');
  link.replaceWith(superscript);
  superscript.appendChild(link);
}

/** `[1]`: reduced to the number, as the link. */
function dropBrackets(link: DomElement): void {
  const { previousSibling: before, nextSibling: after } = link;
  if (!isText(before) || !isText(after)) return;
  if (!/\[\s*$/.test(before.data) || !/^\s*\]/.test(after.data)) return;
  before.data = before.data.replace(/\[\s*$/, '');
  after.data = after.data.replace(/^\s*\]/, '');
}

/** Removes back links from notes, with wrappers that become empty. */
function removeBackLinks(
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
    // Brackets that contained the number of the note.
    if (!/[\p{L}\p{N}]/u.test(parent.textContent ?? '')) parent.remove();
  }
}

function isInNote(link: DomElement, notes: ReadonlyMap<DomElement, string>): boolean {
  return closestWhere(link.parentElement, (around) => notes.has(around)) !== undefined;
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
 * Puts `<section data-footnotes><ol><li id="…" data-footnote="label">` around consecutive
 * notes. Definitions in a definition list stay where they are.
 */
function groupNotes(notes: ReadonlyMap<DomElement, string>): void {
  const grouped = new Set<DomElement>();
  for (const [note, label] of notes) {
    note.setAttribute('data-footnote', label);
    dropMarker(note, label);
  }
  for (const note of notes.keys()) {
    if (grouped.has(note) || note.localName === 'dd') continue;
    if (note.localName === 'li') wrapList(note.parentElement, grouped);
    else collectNote(note, notes, grouped);
  }
}

/** Removes the number that the page writes before the text of a note: `3. `, `[3] `. */
function dropMarker(note: DomElement, label: string): void {
  let node: DomNode | null = note.firstChild;
  while (node !== null && !(isText(node) && /\S/.test(node.data))) node = nextNode(node, note);
  if (!isText(node)) return;
  const marker = /^\s*[[(]?([\p{L}\p{N}]{1,12})(?:[.):]|\]:?)\s+/u.exec(node.data);
  if (marker?.[1] === label) node.data = node.data.slice(marker[0].length);
}

/** Wraps the list in a section; items that are not notes stay in it. */
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

/** Collects consecutive notes that are paragraphs or boxes in one list. */
function collectNote(
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
      list.appendChild(noteItemOf(node));
    } else if (isText(node) && /\S/.test(node.data)) {
      break;
    }
    node = next;
  }
}

/** A list item around the note; a paragraph stays a paragraph in it. */
function noteItemOf(note: DomElement): DomElement {
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
