/** What is kept in the page while a list is scrolled: types only. */

/** A list that is scrolled. */
export interface ListState {
  /** What scrolls; the document's scrolling element for the window. */
  readonly scroller: Element;
  readonly isWindow: boolean;
  readonly mutations: Mutations;
  /** The element whose children are the rows. */
  container: Element | null;
  /** Rows by their number. */
  rows: KnownRow[];
  /** The number under which an element was seen last. */
  latest: Map<Element, number>;
  /** Rows went away while it was scrolled. */
  isRecycled: boolean;
  /** A document that shows and runs nothing. */
  readonly inert: Document;
  /** Characters of their markup. */
  characters: number;
}

/** What changed inside. */
export interface Mutations {
  /** `performance.now()` of the last one. */
  last: number;
  /** Since they were last looked at: elements that got or lost children. */
  parents: Set<Node>;
  hasChanged: boolean;
}

/** A row as it was when it was seen. */
export interface KnownRow {
  readonly live: Element;
  readonly key: string;
  readonly top: number;
  readonly left: number;
  readonly copy: Element;
}

/** A row as it is told. */
export interface SeenRow {
  /** Its number in `ListState.rows`. */
  readonly id: number;
  /** Stands for its content: text, links, pictures. */
  readonly key: string;
  /** CSS pixels from the start of what scrolls. */
  readonly top: number;
  readonly left: number;
  readonly height: number;
  /** It sticks to an edge: its place says nothing. */
  readonly isPinned: boolean;
}

/** What a look at the list tells. */
export interface ListView {
  /** CSS pixels: the place, what is visible and what there is. */
  readonly top: number;
  readonly visible: number;
  readonly height: number;
  /** It did not come to rest in the time given. */
  readonly isRestless: boolean;
  /** Something shows that it loads. */
  readonly isBusy: boolean;
  /** Something changed since the last look. */
  readonly hasChanged: boolean;
  /** It was the rows that changed, as in lists that load or are recycled. */
  readonly isOwnChange: boolean;
  /** Other rows than before: what was seen of the others counts no more. */
  readonly isNew: boolean;
  /** Where the rows begin, in CSS pixels from the start of what scrolls. */
  readonly start: number;
  /** Those near what is visible. */
  readonly rows: readonly SeenRow[];
  /** Characters of all rows that were kept. */
  readonly characters: number;
}
