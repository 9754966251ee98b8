/** What the readers of an OpenDocument file share while it is read. */
import type { XmlElement } from '../../../html/xml-tree.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import type { PictureFiles, Pictures } from '../writing/pictures.ts';
import type { OdfStyles } from './styles.ts';

/** The parts of a file. */
export interface OdfParts {
  /** Where the bytes of pictures are. */
  readonly zip: PictureFiles;
  readonly styles: OdfStyles;
  readonly pictures: Pictures;
  readonly budget: HtmlBudget;
  /** MathML of the formulas in it, by the names of their folders. */
  readonly formulas: ReadonlyMap<string, XmlElement>;
  /** The content of notes in the order of the text. */
  readonly notes: XmlElement[];
}
