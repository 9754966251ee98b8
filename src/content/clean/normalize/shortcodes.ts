/** Unrendered shortcodes of page builders: `[vc_row width="1/1"]`, `[/vc_row]`. */
import { type DomNode, isText } from '../../html/dom.ts';

/** Removes shortcodes from the texts of a page; their content and brackets in sentences stay. */
export function removeShortcodes(texts: readonly { data: string }[]): void {
  const opened = new Set<string>();
  const closed = new Set<string>();
  for (const { data } of texts) {
    for (const [, slash, name = '', attributes = ''] of data.matchAll(shortcode)) {
      if (slash === '/') closed.add(name);
      else if (quoted.test(attributes) || builderName.test(name)) opened.add(name);
    }
  }
  for (const text of texts) {
    const isAlone = !/\S/.test(text.data.replace(shortcode, ''));
    text.data = text.data.replace(
      shortcode,
      (whole: string, slash: string, name: string, attributes: string) => {
        const isPaired = opened.has(name) && closed.has(name);
        const isSingle =
          builderName.test(name) && slash === '' && (quoted.test(attributes) || isAlone);
        return isPaired || isSingle ? '' : whole;
      },
    );
  }
}

/** Quotation marks may have become typographic. */
const shortcode =
  /\[(\/?)([a-z][\w-]{1,50})((?:\s+[\w-]{1,50}\s*=\s*(?:"[^"]{0,1000}"|'[^']{0,1000}'|[“”″][^“”″]{0,1000}[“”″]|[^\s"'“”″[\]]{1,200})|\s+[^\s[\]=]{1,200}){0,40})\s*\/?\]/gi;

const quoted = /=\s*["'“”″]/;

/** Names of several words. */
const builderName = /\w[_-]\w/;

/** Joins a text with the texts right after it: the parser ends a text at every character reference. */
export function joinTexts(text: DomNode & { data: string }): void {
  for (let next = text.nextSibling; isText(next); next = text.nextSibling) {
    text.data += next.data;
    next.parentNode?.removeChild(next);
  }
}
