/** What rewrites one kind of element, and what all of them know about the page. */
import type { DomElement, DomNode } from '../../html/dom.ts';
import type { FailedSearches } from './failed-searches.ts';
import type { PageIds } from './page-ids.ts';

/**
 * Rewrites an element that is met on the walk through the page, if it is of its kind.
 *
 * `done`: the element is finished, replaced or gone, and nothing inside is looked at. An element:
 * the walk goes on inside of it, it stands in the place of the one that was given. Nothing: not of
 * this kind. What comes after the element in the page must not be changed.
 */
export type Normalizer = (element: DomElement, page: PageState) => DomElement | 'done' | undefined;

/** What is remembered on the walk. */
export interface PageState {
  readonly root: DomElement;
  /** For links that stay on the page. */
  readonly baseUrl: string;
  readonly failed: FailedSearches;
  readonly ids: PageIds;
  /** Bars of tabs; rewritten when all of the page was seen, as their panels come later. */
  readonly tabLists: DomElement[];
  /** Links that look like references to footnotes, in document order. */
  readonly references: DomElement[];
  /** Elements of SVG. */
  readonly drawn: WeakSet<DomNode>;
}
