/** What an element's tag, role, class and id say about its part in the page. */
import type { DomElement } from '../../html/dom.ts';
import { Evidence } from './evidence.ts';
import { nameEvidence } from './name-evidence.ts';

/** Reads the elements of one page, whose class attributes it remembers. */
export class EvidenceReader {
  /** Of a whole class attribute. */
  readonly #ofClasses = new Map<string, number>();

  /** All evidence of one element, whose class attribute is `classes`. */
  read(element: DomElement, classes: string): number {
    let evidence = tagEvidence.get(element.localName) ?? 0;
    const role = element.getAttribute('role');
    if (role !== null) evidence |= roleEvidence.get(role) ?? 0;
    if ((evidence & structuralKinds) !== 0) evidence |= Evidence.structural;
    const id = element.getAttribute('id');
    if (id !== null && id !== '') evidence |= nameEvidence(id);
    if (classes !== '') evidence |= this.#classed(classes);
    return evidence;
  }

  #classed(classes: string): number {
    const known = this.#ofClasses.get(classes);
    if (known !== undefined) return known;
    let evidence = 0;
    for (const name of classes.split(' ')) if (name !== '') evidence |= nameEvidence(name);
    this.#ofClasses.set(classes, evidence);
    return evidence;
  }
}

const structuralKinds = Evidence.navigation | Evidence.footer | Evidence.aside | Evidence.overlay;

const tagEvidence: ReadonlyMap<string, number> = new Map([
  ['nav', Evidence.navigation],
  ['menu', Evidence.navigation],
  ['header', Evidence.header],
  ['footer', Evidence.footer],
  ['aside', Evidence.aside],
  ['dialog', Evidence.overlay],
  ['main', Evidence.main],
  ['article', Evidence.article],
]);

const roleEvidence: ReadonlyMap<string, number> = new Map([
  ['navigation', Evidence.navigation],
  ['menu', Evidence.navigation],
  ['menubar', Evidence.navigation],
  ['search', Evidence.navigation],
  ['doc-toc', Evidence.navigation],
  ['banner', Evidence.header],
  ['contentinfo', Evidence.footer],
  ['complementary', Evidence.aside],
  ['dialog', Evidence.overlay],
  ['alertdialog', Evidence.overlay],
  ['main', Evidence.main],
  ['article', Evidence.article],
  ['note', Evidence.callout],
]);
