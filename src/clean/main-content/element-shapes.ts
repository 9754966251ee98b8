/** Tags with their first class as numbers: what looks alike has the same one. */
import type { DomElement } from '../../html/dom.ts';

/** The shapes of one page. */
export class ElementShapes {
  readonly #numbers = new Map<string, number>();
  /** By tag and by the whole class attribute: most elements are like one before. */
  readonly #known = new Map<string, Map<string, number>>();

  numberOf({ localName }: DomElement, classes: string): number {
    let byClasses = this.#known.get(localName);
    if (byClasses === undefined) {
      byClasses = new Map();
      this.#known.set(localName, byClasses);
    }
    let number = byClasses.get(classes);
    if (number === undefined) {
      number = this.#read(localName, classes);
      byClasses.set(classes, number);
    }
    return number;
  }

  #read(localName: string, classes: string): number {
    const [name = ''] = classes.trimStart().split(' ', 1);
    const key = `${localName}.${name}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}
