/** Shortcodes of page builders that nothing has rendered: `[vc_row width="1/1"]`, `[/vc_row]`. */
import { type DomElement, type DomNode, isElement, isText, nextNode } from '../../html/dom.ts';
import type { HtmlPage } from '../../model/page.ts';

/** Removes them from the text; what they enclose stays. Brackets of sentences and of code stay, too. */
export function removeShortcodes({ root, source }: HtmlPage): void {
  if (!mention.test(source)) return;
  const texts = textsWithBrackets(root);
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

const mention = /\[\/[a-z][\w-]*\]|\[[a-z]\w*[_-][\w-]*[\s\]]/i;

/** Quotation marks may have been made typographic. */
const shortcode =
  /\[(\/?)([a-z][\w-]{1,50})((?:\s+[\w-]{1,50}\s*=\s*(?:"[^"]{0,1000}"|'[^']{0,1000}'|[“”″][^“”″]{0,1000}[“”″]|[^\s"'“”″[\]]{1,200})|\s+[^\s[\]=]{1,200}){0,40})\s*\/?\]/gi;

const quoted = /=\s*["'“”″]/;

/** Names of several words. */
const builderName = /\w[_-]\w/;

/** Texts outside of code; the parser ends a text at every character reference, so texts side by side are joined. */
function textsWithBrackets(root: DomElement): (DomNode & { data: string })[] {
  const texts: (DomNode & { data: string })[] = [];
  for (let node: DomNode | null = root; node !== null;) {
    if (isText(node) && node.data.includes('[')) {
      for (let next = node.nextSibling; isText(next); next = node.nextSibling) {
        node.data += next.data;
        next.parentNode?.removeChild(next);
      }
      texts.push(node);
    }
    node = nextNode(node, root, isElement(node) && unread.has(node.localName));
  }
  return texts;
}

const unread: ReadonlySet<string> = new Set(
  'code kbd math pre samp script style template textarea'.split(' '),
);
