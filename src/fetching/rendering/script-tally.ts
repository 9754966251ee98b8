/** Adds up the scripts of a page. */
import type { PageScripts } from './page-outline.ts';

/** Characters of scripts that are kept to be searched. */
const kept = 8000;

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
      if (this.#sources.length < kept) this.#sources += `${address}\n`;
      return;
    }
    this.#inline += end - from;
    const room = kept - this.#source.length;
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
