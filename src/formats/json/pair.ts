/** A label with its values, wherever on a page they are. */
import type { DomElement } from '../../html/dom.ts';

/** A label and what stands beside it. */
export interface Pair {
  readonly label: string;
  readonly source: 'table' | 'definition-list' | 'label';
  /** More than one for several `dd` of a `dt`, and for a list below a heading. */
  readonly values: readonly PairValue[];
  /** A list below its heading: only for properties that are arrays. */
  readonly isList: boolean;
  /** Paragraphs below a heading: only for properties that are texts. */
  readonly isText?: true;
}

/** A text, or the element whose text it is: it is read when it is asked for. */
export type PairValue =
  | { readonly text: string; readonly element?: undefined }
  | { readonly element: DomElement; readonly text?: undefined };
