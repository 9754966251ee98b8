/** Footnotes: a raised link to a list item or paragraph further down that is its note. */
import { type DomElement, type DomNode, isText } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import { pageFragment } from '../../url/page-fragment.ts';
import { groupNotes, removeBackLinks, writeReference } from './footnote-form.ts';
import type { Normalizer, PageState } from './normalizer.ts';

/** Remembers links that look like references to footnotes. */
export const collectReference: Normalizer = (link, { references, baseUrl }) => {
  const looksRight = looksLikeReference(link);
  // What the page says is a guess like others.
  link.removeAttribute('data-footnote-ref');
  if (looksRight && pageFragment(link.getAttribute('href'), baseUrl) !== undefined) {
    references.push(link);
  }
  return undefined;
};

/** Brings the references whose notes are on the page, and these notes, into the form of GFM's HTML. */
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

interface Target {
  readonly element: DomElement;
  /** The place in document order. */
  readonly index: number;
}

interface Reference extends Target {
  readonly fragment: string;
}

class Footnotes {
  /** The label of each note. */
  readonly notes = new Map<DomElement, string>();
  /** The label of each reference. */
  readonly labels = new Map<DomElement, string>();
  /** Ids around the references: what the arrows at the end of a note point to. */
  readonly backTargets = new Set<string>();
  readonly #page: PageState;
  readonly #taken = new Set<string>();
  /** Where the search for a free number begins, by what stands before it. */
  readonly #nextNumber = new Map<string, number>();

  constructor(page: PageState) {
    this.#page = page;
  }

  connect(): void {
    const targets = new Map<string, Target>();
    const references: Reference[] = [];
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
    // Labels that the page shows go first: the numbers of the others must not take them.
    const isNamed = ({ element }: Reference): boolean => shownLabel(element) !== '';
    for (const reference of references) if (isNamed(reference)) this.#connect(reference, targets);
    for (const reference of references) if (!isNamed(reference)) this.#connect(reference, targets);
  }

  #connect(reference: Reference, targets: ReadonlyMap<string, Target>): void {
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

  /** What the page shows, where that can be a label, else the next free number. */
  #newLabel(link: DomElement): string {
    const shown = shownLabel(link);
    if (shown !== '' && !this.#taken.has(shown)) return shown;
    const prefix = shown === '' ? '' : `${shown}-`;
    // Labels are never given back: the search goes on where the last one ended.
    let number = this.#nextNumber.get(prefix) ?? (shown === '' ? 1 : 2);
    while (this.#taken.has(`${prefix}${number}`)) number++;
    this.#nextNumber.set(prefix, number + 1);
    return `${prefix}${number}`;
  }
}

function shownLabel(link: DomElement): string {
  return (link.textContent ?? '').replace(/[^\p{L}\p{N}]/gu, '');
}

/** A link with a short text, raised or marked as a reference. */
function looksLikeReference(link: DomElement): boolean {
  const parent = link.parentElement;
  const only = link.firstElementChild;
  const isRaised =
    parent?.localName === 'sup' ||
    parent?.parentElement?.localName === 'sup' ||
    (only?.localName === 'sup' && only.nextElementSibling === null);
  const isMarked =
    isRaised ||
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

/** The list item, or the block that is called a note, around the target of a reference. */
function noteAround(target: DomElement, reference: Reference): DomElement | undefined {
  let note: DomElement | null = target;
  while (note !== null && /^(?:a|b|em|i|span|strong|sup)$/.test(note.localName)) {
    note = note.parentElement;
  }
  if (note === null || !/^(?:li|p|dd|div|aside|section)$/.test(note.localName)) return undefined;
  if (note.localName !== 'li') {
    const names = `${reference.fragment} ${note.className} ${note.getAttribute('role') ?? ''}`;
    if (!/note|cite|(?:^|[\W_])(?:fn|ftn|edn|en)(?:[\W_\d]|$)/i.test(names)) return undefined;
  }
  for (let parent = note.parentElement; parent !== null; parent = parent.parentElement) {
    if (parent.localName === 'td' || parent.localName === 'th' || parent.localName === 'a')
      return undefined;
  }
  return note.contains(reference.element) ? undefined : aloneIn(note);
}

/** What holds the note and nothing else is the note: word processors write a `div` around each. */
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
