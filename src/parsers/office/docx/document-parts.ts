/** What the readers of a word processor's document share while it is read. */
import { xmlElements, type XmlElement } from '../../../html/xml-tree.ts';
import type { OpenPackage, Relations } from '../open-xml/open-package.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import type { Pictures } from '../writing/pictures.ts';
import { type Fields, linkOf } from './fields.ts';
import type { Numbering } from './numbering.ts';
import type { Styles } from './styles.ts';

/** The parts of a document. */
export interface DocumentParts {
  readonly file: OpenPackage;
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly pictures: Pictures;
  readonly budget: HtmlBudget;
  /** Of the part that is read: notes have their own. */
  readonly relations: Relations;
  readonly fields: Fields;
  /** Names of places that some link leads to. */
  readonly targets: ReadonlySet<string>;
  /** The numbers of notes, by part and id, in the order in which the text names them. */
  readonly notes: Map<string, number>;
}

/** The places that links in a tree lead to. */
export function linkTargets(tree: XmlElement): ReadonlySet<string> {
  const targets = new Set<string>();
  for (const { name, attributes, children } of xmlElements(tree)) {
    const anchor = attributes['w:anchor'];
    if (name === 'w:hyperlink' && anchor !== undefined) targets.add(anchor);
    if (name !== 'w:instrText') continue;
    const [text] = children;
    const link = typeof text === 'string' ? linkOf(text) : undefined;
    if (link?.startsWith('#') === true) targets.add(link.slice(1));
  }
  return targets;
}
