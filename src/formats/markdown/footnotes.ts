/** Footnotes in the form that cleaning gives them: references and notes with the same label. */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';

/** The footnotes of a page. It is searched for them once one of them is met. */
export class Footnotes {
  readonly #root: DomElement;
  #labels: Set<string> | undefined;
  readonly #notes = new Map<string, DomElement>();

  constructor(root: DomElement) {
    this.#root = root;
  }

  /** The label of the note that the element is; nothing when no reference to it is left. */
  labelOfNote(element: DomElement): string | undefined {
    const label = element.getAttribute('data-footnote');
    if (label === null || !this.hasLabel(label)) return undefined;
    return this.#notes.get(label) === element ? label : undefined;
  }

  /** The label of the note that the link refers to; nothing when that is not on the page. */
  labelOfReference(link: DomElement): string | undefined {
    const label = link.getAttribute('data-footnote-ref');
    return label !== null && this.hasLabel(label) ? label : undefined;
  }

  /** True when a note has this label, and something refers to it. */
  hasLabel(label: string): boolean {
    this.#labels ??= this.#scan();
    return this.#labels.has(label);
  }

  #scan(): Set<string> {
    const referred = new Set<string>();
    for (const element of elementsOf(this.#root)) {
      const note = element.getAttribute('data-footnote');
      if (note !== null && isLabel.test(note) && !this.#notes.has(note)) {
        this.#notes.set(note, element);
      }
      const reference =
        element.localName === 'a' ? element.getAttribute('data-footnote-ref') : null;
      if (reference !== null) referred.add(reference);
    }
    return new Set([...this.#notes.keys()].filter((label) => referred.has(label)));
  }
}

/** Nothing in it may end the brackets around it. */
const isLabel = /^[\p{L}\p{N}]+(?:-\d+)?$/u;
