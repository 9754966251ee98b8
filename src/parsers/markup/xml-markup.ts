/** Markup that stands in XML as elements, as HTML text. */
import { escapeAttribute, escapeText } from '../../html/escape.ts';
import { voidElements } from '../../html/implied-tags.ts';
import type { XmlElement } from '../../html/xml-tree.ts';

/** The content of an element: the XHTML of an Atom entry, the HTML that somebody forgot to escape. */
export function markupOf(element: XmlElement): string {
  const parts: string[] = [];
  // Instead of recursion; a string is written as it is.
  const waiting: (XmlElement | { readonly text: string } | { readonly end: string })[] = [];
  const add = (children: XmlElement['children']): void => {
    for (const child of children.toReversed()) {
      waiting.push(typeof child === 'string' ? { text: child } : child);
    }
  };
  add(element.children);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('text' in next) parts.push(escapeText(next.text));
    else if ('end' in next) parts.push(next.end);
    else {
      const name = next.name.replace(/^.*:/, '');
      if (!/^[a-z][a-z0-9]*$/.test(name)) {
        add(next.children);
        continue;
      }
      const attributes = Object.entries(next.attributes)
        .filter(([key]) => /^[a-z][\w-]*$/i.test(key))
        .map(([key, value = '']) => ` ${key}="${escapeAttribute(value)}"`);
      parts.push(`<${name}${attributes.join('')}>`);
      if (voidElements.has(name)) continue;
      waiting.push({ end: `</${name}>` });
      add(next.children);
    }
  }
  return parts.join('');
}
