/** What the readers of an OpenDocument file share while it is read. */
import type { XmlElement } from '../../../html/xml-tree.ts';
import type { ZipFiles } from '../../zip/read-zip.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import type { Pictures } from '../writing/pictures.ts';
import type { OdfStyles } from './styles.ts';

/** The parts of a file. */
export interface OdfParts {
  readonly zip: ZipFiles;
  readonly styles: OdfStyles;
  readonly pictures: Pictures;
  readonly budget: HtmlBudget;
  /** MathML of the formulas in it, by the names of their folders. */
  readonly formulas: ReadonlyMap<string, XmlElement>;
  /** The content of notes in the order of the text. */
  readonly notes: XmlElement[];
}
