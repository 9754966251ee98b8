/** The outline that one pass over the source of a page gives: its text, its open regions and its scripts. */
import type { ElementRole, RegionKind } from './element-roles.ts';

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
  readonly mounts: readonly RegionContent[];
  /** `<main>` and `role="main"`. */
  readonly mains: readonly RegionContent[];
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
interface PageScripts {
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
export interface RegionContent {
  /** As a reader of the source would call it: `#root`, `<app-root>`, `<main>`. */
  readonly name: string;
  /** Whose it is, where that is known: `Angular`. */
  readonly framework?: string | undefined;
  readonly shown: number;
  readonly media: number;
  readonly fields: number;
}

// The regions that a pass over a page is in: kept by counting namesakes, so an end tag that is missing elsewhere does no harm.

type RegionMeasure = Pick<RegionContent, 'shown' | 'media' | 'fields'>;

interface OpenRegion extends ElementRole {
  readonly tag: string;
  readonly before: RegionMeasure;
  /** Elements of the same name that are open, this one included. */
  depth: number;
}

/** Regions inside each other that are followed; what is nested deeper is part of them. */
const mostOpen = 16;

/** Mount points and main parts that are told. */
const mostFilled = 50;

/** Follows chrome, hidden parts, main parts and mount points. */
export class OpenRegions {
  readonly #open: OpenRegion[] = [];
  readonly #filled = { mounts: [] as RegionContent[], mains: [] as RegionContent[] };

  /** Tells of a start tag, before `open` tells that a region begins with it. */
  note(tag: string): void {
    for (const region of this.#open) if (region.tag === tag) region.depth += 1;
  }

  /** Begins a region. */
  open(tag: string, start: ElementRole, before: RegionMeasure): void {
    if (start.kind === 'main') this.leaveChrome();
    if (this.#open.length >= mostOpen) return;
    // One inside its like changes nothing, and a page may have a million of them.
    if (this.#open.some((region) => region.tag === tag && region.kind === start.kind)) return;
    // The header of an article is part of it.
    if (start.kind === 'chrome' && tag === 'header' && this.isIn('main')) return;
    const { kind, name, framework } = start;
    this.#open.push({ kind, name, framework, tag, before, depth: 1 });
  }

  /** True when a region may end with an end tag of this name. */
  has(tag: string): boolean {
    for (const region of this.#open) if (region.tag === tag) return true;
    return false;
  }

  close(tag: string, now: RegionMeasure): void {
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      const region = this.#open[index];
      if (region?.tag !== tag) continue;
      region.depth -= 1;
      if (region.depth > 0) continue;
      this.#open.splice(index, 1);
      this.#fill(region, now);
    }
  }

  isIn(kind: RegionKind): boolean {
    for (const region of this.#open) if (region.kind === kind) return true;
    return false;
  }

  /** The main part is never inside navigation: an end tag was forgotten. */
  leaveChrome(): void {
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      if (this.#open[index]?.kind === 'chrome') this.#open.splice(index, 1);
    }
  }

  /** At the end of the page: what was never closed ends here. */
  finish(now: RegionMeasure): {
    readonly mounts: readonly RegionContent[];
    readonly mains: readonly RegionContent[];
  } {
    for (const region of this.#open.splice(0)) this.#fill(region, now);
    return this.#filled;
  }

  #fill({ kind, name, framework, before }: OpenRegion, now: RegionMeasure): void {
    const list =
      kind === 'mount' ? this.#filled.mounts : kind === 'main' ? this.#filled.mains : undefined;
    if (list === undefined || list.length >= mostFilled) return;
    list.push({
      name,
      framework,
      shown: now.shown - before.shown,
      media: now.media - before.media,
      fields: now.fields - before.fields,
    });
  }
}

// Adds up the scripts of a page.

/** Characters of scripts that are kept to be searched. */
const keptSource = 8000;

/** Counts scripts and keeps the beginnings of their sources. */
export class ScriptTally {
  #external = 0;
  #inline = 0;
  #json = 0;
  #source = '';
  #sources = '';
  #hasHandler = false;

  /** Reads a `<script>`: the attributes of its tag, and where its content begins and ends in `page`. */
  add(attributes: string, page: string, from: number, end: number): void {
    const type = /\stype\s?=\s?["']?([^\s"'>]+)/i.exec(attributes)?.[1]?.toLowerCase() ?? '';
    // Facts for search engines, rules for the browser, and markup that a script may use.
    if (/ld\+json|rules|importmap|html|template|tmpl|handlebars|mustache/.test(type)) return;
    if (type.includes('json')) {
      this.#json += end - from;
      return;
    }
    const address = /\ssrc\s?=\s?["']?([^"'>]{0,300})/i.exec(attributes)?.[1];
    if (address !== undefined) {
      this.#external += 1;
      if (this.#sources.length < keptSource) this.#sources += `${address}\n`;
      return;
    }
    this.#inline += end - from;
    const room = keptSource - this.#source.length;
    if (room > 0) this.#source += `${page.slice(from, Math.min(end, from + room))}\n`;
  }

  /** Reads the attributes of the body: `onload` is a script, too. */
  addHandlers(attributes: string): void {
    this.#hasHandler ||= /\sonload\s?=/i.test(attributes);
  }

  get scripts(): PageScripts {
    const [external, inline, json] = [this.#external, this.#inline, this.#json];
    const any = external + inline > 0 || this.#hasHandler;
    return { external, inline, json, source: this.#source, sources: this.#sources, any };
  }
}
