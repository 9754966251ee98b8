/** The names that links within the page lead to. */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';

/** Read when they are asked for, in one walk. */
export class PageIds {
  readonly #root: DomElement;
  #known: Set<string> | undefined;

  constructor(root: DomElement) {
    this.#root = root;
  }

  /** Makes the name known; false when an element has it already. */
  claim(id: string): boolean {
    this.#known ??= readIds(this.#root);
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    return true;
  }
}

function readIds(root: DomElement): Set<string> {
  const ids = new Set<string>();
  for (const element of elementsOf(root)) {
    const id = element.getAttribute('id');
    if (id !== null) ids.add(id);
    const name = element.localName === 'a' ? element.getAttribute('name') : null;
    if (name !== null) ids.add(name);
  }
  return ids;
}
