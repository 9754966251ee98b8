/** What one pass over the source of a page tells of it: how much there is to read, and where. */

/** Counts are of letters and digits; a Chinese or Japanese character counts as two. */
export interface PageOutline {
  /** Everything a reader sees. */
  readonly shown: number;
  /** What is neither in links and buttons nor in navigation, headers, footers and notices. */
  readonly content: number;
  /** The same with the text of links and buttons: most of a list of articles. */
  readonly readable: number;
  /** The beginning of the content. */
  readonly text: string;
  /** Elements named `<h1>` with letters in them. */
  readonly headings: number;
  /** Pictures; a film, a frame or a drawing counts as three. */
  readonly media: number;
  /** Fields that a reader fills in. */
  readonly fields: number;
  readonly isFrameset: boolean;
  readonly scripts: PageScripts;
  /** Letters of the longest `<noscript>`. */
  readonly fallback: number;
  /** A `<noscript>` asks for JavaScript. */
  readonly asksForScript: boolean;
  /** Places where an application puts itself, with what is in them. */
  readonly mounts: readonly Filling[];
  /** `<main>` and `role="main"`. */
  readonly mains: readonly Filling[];
  /** Elements of the application's own kind (`<my-app>`) with nothing in them, by name. */
  readonly emptyCustom: readonly string[];
  /** Elements with an id and nothing in them, by id. */
  readonly emptyIds: readonly string[];
  /** Lists and bodies of tables with nothing in them: `list` or `table`. */
  readonly emptyRows: readonly string[];
  /** Placeholders that are drawn where text will be, and `aria-busy`. */
  readonly skeletons: number;
  /** Attributes of templates that a script fills in: `v-for`, `ng-repeat` … */
  readonly bindings: number;
  /** `<template>` elements. */
  readonly templates: number;
}

/** The scripts of a page. */
export interface PageScripts {
  /** Those with a `src`. */
  readonly external: number;
  /** Characters of those in the page. */
  readonly inline: number;
  /** Characters of data for scripts; JSON-LD is not for them. */
  readonly json: number;
  /** The beginnings of those in the page, with a line end between. */
  readonly source: string;
  /** Their `src` attributes, with a line end between. */
  readonly sources: string;
  /** Any of these, or a handler such as `onload` on the body. */
  readonly any: boolean;
}

/** A place in the page, and what is in it. */
export interface Filling {
  /** As a reader of the source would call it: `#root`, `<app-root>`, `<main>`. */
  readonly name: string;
  /** Whose it is, where that is known: `Angular`. */
  readonly framework?: string | undefined;
  readonly shown: number;
  readonly media: number;
  readonly fields: number;
}
