/** What was looked for in an element and is not there: nothing inside of it has to be searched again. */
import type { DomElement } from '../../html/dom.ts';

/** For a walk in document order: the last search of each kind that found nothing. */
export class FailedSearches {
  readonly #last = new Map<string, DomElement>();

  /** True when something around the element, or the element, has been searched in vain. */
  covers(kind: string, element: DomElement): boolean {
    return this.#last.get(kind)?.contains(element) === true;
  }

  add(kind: string, element: DomElement): void {
    this.#last.set(kind, element);
  }
}
