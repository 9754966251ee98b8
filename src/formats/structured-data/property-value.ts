/** What an element says as the value of a property. */
import type { DomElement } from '../../html/dom.ts';
import { oneLine } from '../../text/one-line.ts';
import { isCodeUrl } from '../../url/safe-url.ts';
import { elementText } from './element-text.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/** Where HTML keeps the URL of an element that stands for another resource. */
const urlAttributes: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['link', 'href'],
  ['audio', 'src'],
  ['embed', 'src'],
  ['iframe', 'src'],
  ['img', 'src'],
  ['source', 'src'],
  ['track', 'src'],
  ['video', 'src'],
  ['object', 'data'],
]);

/**
 * The value by the rules of the HTML standard, "Values: the content attribute, element-specific
 * attributes, textContent" (section 5.2.4); and, as in the wild, a `content` attribute on any element.
 * URLs are absolute; text is on one line.
 */
export function propertyValue(element: DomElement, baseUrl: string, onNode?: () => void): string {
  const content = element.getAttribute('content');
  const urlAttribute = urlAttributes.get(element.localName);
  if (element.localName === 'meta') return oneLine(content ?? '');
  if (urlAttribute !== undefined) {
    const url = content ?? element.getAttribute(urlAttribute) ?? '';
    return absoluteUrl(url, baseUrl);
  }
  if (content !== null) return oneLine(content);
  const attribute = machineAttribute(element);
  return attribute === null ? elementText(element, onNode) : oneLine(attribute);
}

/** The URL an element stands for (its href, src or data), absolute; undefined for other elements. */
export function elementUrl(element: DomElement, baseUrl: string): string | undefined {
  const name = urlAttributes.get(element.localName);
  const url = name === undefined ? null : element.getAttribute(name);
  return url === null ? undefined : absoluteUrl(url, baseUrl);
}

/** `value` against `baseUrl`; as it is when it is no URL. An empty one, and one that runs code or carries a page, is empty. */
export function absoluteUrl(value: string, baseUrl: string): string {
  const trimmed = value.trim();
  if (trimmed === '' || isCodeUrl(trimmed)) return '';
  return canParseUrl(trimmed, baseUrl) ? new URL(trimmed, baseUrl).href : trimmed;
}

function machineAttribute(element: DomElement): string | null {
  if (element.localName === 'data' || element.localName === 'meter') {
    return element.getAttribute('value');
  }
  return element.localName === 'time' ? element.getAttribute('datetime') : null;
}
