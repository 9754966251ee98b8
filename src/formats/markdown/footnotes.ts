/** Finds footnotes: a raised link to a list item or paragraph further down that is its note. */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import type { UrlResolver } from './url-resolver.ts';

interface Target {
  readonly element: DomElement;
  /** The place in document order. */
  readonly index: number;
}

interface Reference extends Target {
  readonly fragment: string;
}

/** The footnotes of a page. It is searched for them once a link looks like a reference. */
export class Footnotes {
  readonly #root: DomElement;
  readonly #urls: UrlResolver;
  #scanned = false;
  readonly #notes = new Map<DomElement, string>();
  readonly #references = new Map<DomElement, string>();
  readonly #labels = new Set<string>();
  /** Where the search for a free number begins, by what stands before it. */
  readonly #nextNumber = new Map<string, number>();
  /** Ids around the references: what the arrows at the end of a note point to. */
  readonly #backTargets = new Set<string>();

  constructor(root: DomElement, urls: UrlResolver) {
    this.#root = root;
    this.#urls = urls;
  }

  /** The label of the note that the element is. */
  labelOfNote(element: DomElement): string | undefined {
    return this.#notes.size === 0 ? undefined : this.#notes.get(element);
  }

  /** The label of the note that the link refers to. */
  labelOfReference(link: DomElement): string | undefined {
    if (!this.#scanned) {
      if (!looksLikeReference(link) || this.#fragment(link) === undefined) return undefined;
      this.#scan();
    }
    return this.#references.get(link);
  }

  /** True when a note has this label. */
  hasLabel(label: string): boolean {
    if (label === '') return false;
    if (!this.#scanned) this.#scan();
    return this.#labels.has(label);
  }

  /** True for the link in a note that leads back to its reference. */
  isBackReference(link: DomElement): boolean {
    if (this.#notes.size === 0) return false;
    const fragment = this.#fragment(link);
    const isBack =
      (fragment !== undefined && this.#backTargets.has(fragment)) ||
      link.hasAttribute('data-footnote-backref') ||
      link.getAttribute('role') === 'doc-backlink' ||
      /\b(?:footnote-back(?:ref|link)?|reversefootnote)\b/.test(link.className);
    if (!isBack) return false;
    for (let parent = link.parentElement; parent !== null; parent = parent.parentElement) {
      if (this.#notes.has(parent)) return true;
    }
    return false;
  }

  #fragment(link: DomElement): string | undefined {
    return this.#urls.fragment(link.getAttribute('href'));
  }

  #scan(): void {
    this.#scanned = true;
    const targets = new Map<string, Target>();
    const references: Reference[] = [];
    let index = 0;
    for (const element of elementsOf(this.#root)) {
      index++;
      const isLink = element.localName === 'a';
      for (const name of [element.getAttribute('id'), isLink ? element.getAttribute('name') : null])
        if (name !== null && name !== '' && !targets.has(name))
          targets.set(name, { element, index });
      if (isLink && looksLikeReference(element)) {
        const fragment = this.#fragment(element);
        if (fragment !== undefined) references.push({ element, index, fragment });
      }
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
    let label = this.#notes.get(note);
    if (label === undefined) {
      label = this.#newLabel(reference.element);
      this.#notes.set(note, label);
      this.#labels.add(label);
    }
    this.#references.set(reference.element, label);
    let around: DomElement | null = reference.element;
    for (let level = 0; level < 3 && around !== null; level++, around = around.parentElement) {
      for (const name of [around.getAttribute('id'), around.getAttribute('name')])
        if (name !== null && name !== '') this.#backTargets.add(name);
    }
  }

  /** What the page shows, where that can be a label, else the next free number. */
  #newLabel(link: DomElement): string {
    const shown = shownLabel(link);
    if (shown !== '' && !this.#labels.has(shown)) return shown;
    const prefix = shown === '' ? '' : `${shown}-`;
    // Labels are never given back: the search goes on where the last one ended.
    let number = this.#nextNumber.get(prefix) ?? (shown === '' ? 1 : 2);
    while (this.#labels.has(`${prefix}${number}`)) number++;
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
    (link.hasAttribute('class') && /\b(?:footnote-?ref|noteref)\b/i.test(link.className));
  return (
    isMarked &&
    /^[^\p{L}\p{N}]*[\p{L}\p{N}\s]{0,12}[^\p{L}\p{N}]{0,3}$/u.test(link.textContent ?? '')
  );
}

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
  return note.contains(reference.element) ? undefined : note;
}
