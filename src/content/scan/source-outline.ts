/** The outline of a page from one pass over its source: its text, open regions and scripts. */
import type { ElementRole, RegionKind } from './element-roles.ts';

const limits = {
  open: 16, // nested regions that are tracked; deeper ones are part of them
  filled: 50, // mount points and main parts that are returned
  storedSource: 8000, // characters of script source stored for searching
};

/** Counts are of letters and digits; a Chinese or Japanese character counts as two. */
export interface SourceOutline {
  /** All text that a reader sees. */
  readonly visible: number;
  /** Text outside links and buttons, navigation, headers, footers and notices. */
  readonly content: number;
  /** The same with the text of links and buttons: most of a list of articles. */
  readonly readable: number;
  /** The beginning of the content. */
  readonly text: string;
  /** `<h1>` elements with letters in them. */
  readonly headings: number;
  /** Pictures; a video, a frame or a drawing counts as three. */
  readonly media: number;
  /** Form fields. */
  readonly fields: number;
  readonly isFrameset: boolean;
  readonly scripts: PageScripts;
  /** Letters of the longest `<noscript>`. */
  readonly fallback: number;
  /** A `<noscript>` requests JavaScript. */
  readonly requestsScript: boolean;
  /** Mount points of applications, with their content. */
  readonly mounts: readonly RegionContent[];
  /** `<main>` and `role="main"`. */
  readonly mains: readonly RegionContent[];
  /** Empty custom elements (`<my-app>`), by name. */
  readonly emptyCustom: readonly string[];
  /** Empty elements with an id, by id. */
  readonly emptyIds: readonly string[];
  /** Empty lists and table bodies: `list` or `table`. */
  readonly emptyRows: readonly string[];
  /** Skeleton placeholders, and `aria-busy`. */
  readonly skeletons: number;
  /** Attributes of templates that a script fills in: `v-for`, `ng-repeat` … */
  readonly bindings: number;
  /** `<template>` elements. */
  readonly templates: number;
}

/** The scripts of a page. */
interface PageScripts {
  /** Scripts with a `src`. */
  readonly external: number;
  /** Characters of inline scripts. */
  readonly inline: number;
  /** Characters of JSON data for scripts, without JSON-LD. */
  readonly json: number;
  /** The beginnings of the inline scripts, separated by line ends. */
  readonly source: string;
  /** The `src` attributes, separated by line ends. */
  readonly sources: string;
  /** True for any script, or a handler such as `onload` on the body. */
  readonly any: boolean;
}

/** A region of the page, and its content. */
export interface RegionContent {
  /** The name as in the source: `#root`, `<app-root>`, `<main>`. */
  readonly name: string;
  /** The framework it belongs to, if known: `Angular`. */
  readonly framework?: string | undefined;
  readonly visible: number;
  readonly media: number;
  readonly fields: number;
}

// The open regions of a pass over a page: elements of the same name are counted, so a missing end tag
// elsewhere does no harm.

type RegionMeasure = Pick<RegionContent, 'visible' | 'media' | 'fields'>;

interface OpenRegion extends ElementRole {
  readonly tag: string;
  readonly before: RegionMeasure;
  /** Open elements of the same name, this one included. */
  depth: number;
}

/** Tracks chrome, hidden parts, main parts and mount points. */
export class OpenRegions {
  readonly #open: OpenRegion[] = [];
  readonly #filled = { mounts: [] as RegionContent[], mains: [] as RegionContent[] };

  /** Counts a start tag, before `open` begins its region. */
  note(tag: string): void {
    for (const region of this.#open) if (region.tag === tag) region.depth += 1;
  }

  /** Begins a region. */
  open(tag: string, start: ElementRole, before: RegionMeasure): void {
    if (start.kind === 'main') this.leaveChrome();
    if (this.#open.length >= limits.open) return;
    // A region inside one of its kind changes nothing, and a page may have a million of them.
    if (this.#open.some((region) => region.tag === tag && region.kind === start.kind)) return;
    // The header of an article is part of the article.
    if (start.kind === 'chrome' && tag === 'header' && this.isIn('main')) return;
    const { kind, name, framework } = start;
    this.#open.push({ kind, name, framework, tag, before, depth: 1 });
  }

  /** True when an end tag of this name may end a region. */
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

  /** The main part is never inside navigation: an end tag must be missing. */
  leaveChrome(): void {
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      if (this.#open[index]?.kind === 'chrome') this.#open.splice(index, 1);
    }
  }

  /** Ends all open regions at the end of the page. */
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
    if (list === undefined || list.length >= limits.filled) return;
    list.push({
      name,
      framework,
      visible: now.visible - before.visible,
      media: now.media - before.media,
      fields: now.fields - before.fields,
    });
  }
}

// Sums up the scripts of a page.

/** Counts scripts and keeps the beginnings of their sources. */
export class ScriptTally {
  #external = 0;
  #inline = 0;
  #json = 0;
  #source = '';
  #sources = '';
  #hasHandler = false;

  /**
   * Reads a `<script>`: the attributes of its tag, and where its content begins and ends in `page`.
   */
  add(attributes: string, page: string, from: number, end: number): void {
    const type = /\stype\s?=\s?["']?([^\s"'>]+)/i.exec(attributes)?.[1]?.toLowerCase() ?? '';
    // Facts for search engines, rules for the browser, and templates.
    if (/ld\+json|rules|importmap|html|template|tmpl|handlebars|mustache/.test(type)) return;
    if (type.includes('json')) {
      this.#json += end - from;
      return;
    }
    const address = /\ssrc\s?=\s?["']?([^"'>]{0,300})/i.exec(attributes)?.[1];
    if (address !== undefined) {
      this.#external += 1;
      if (this.#sources.length < limits.storedSource) this.#sources += `${address}\n`;
      return;
    }
    this.#inline += end - from;
    const room = limits.storedSource - this.#source.length;
    if (room > 0) this.#source += `${page.slice(from, Math.min(end, from + room))}\n`;
  }

  /** Reads the attributes of the body: `onload` counts as a script. */
  addHandlers(attributes: string): void {
    this.#hasHandler ||= /\sonload\s?=/i.test(attributes);
  }

  get scripts(): PageScripts {
    const [external, inline, json] = [this.#external, this.#inline, this.#json];
    const any = external + inline > 0 || this.#hasHandler;
    return { external, inline, json, source: this.#source, sources: this.#sources, any };
  }
}
