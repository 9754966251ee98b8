/** Values by explicit selectors: `x-selector` and `x-attribute`. */
import { PagewrightError } from '../../errors.ts';
import type { DomElement } from '../../html/dom.ts';
import { selectByXPath } from '../../html/select-by-xpath.ts';
import { elementText } from '../structured-data/element-text.ts';
import { absoluteUrl, elementUrl, propertyValue } from '../structured-data/property-value.ts';
import type { JsonSchema, Shape } from './json-schema.ts';

/** True when the schema says itself where its value is. */
export function isSelected(schema: JsonSchema): boolean {
  return schema['x-selector'] !== undefined || schema['x-attribute'] !== undefined;
}

/** The matches of each alternative; without a selector the element itself. */
export function selectAll(within: DomElement, schema: JsonSchema): DomElement[][] {
  const selector = schema['x-selector'] ?? ':scope';
  return [selector].flat().map((one) => {
    if (one.trim() === ':scope') return [within];
    try {
      const xpath = xpathOf(one);
      if (xpath !== undefined) return selectByXPath(xpath, within);
      return [...within.querySelectorAll(one)];
    } catch (error) {
      if (error instanceof PagewrightError) throw error;
      // Checked when the schema was compiled; a selector that fails here matches nothing.
      return [];
    }
  });
}

/** One of the alternatives as it is written; for the element itself `outer`, which matched it. */
export function selectorAt(
  schema: JsonSchema,
  index: number,
  outer: string | undefined,
): string | undefined {
  const selector = [schema['x-selector'] ?? ':scope'].flat()[index];
  return selector === undefined || selector.trim() === ':scope' ? outer : selector;
}

/** The path in `xpath://h1`; undefined for a CSS selector. */
export function xpathOf(selector: string): string | undefined {
  return selector.startsWith('xpath:') ? selector.slice('xpath:'.length).trim() : undefined;
}

const urlAttributes = new Set(['href', 'src', 'action', 'poster', 'data', 'cite', 'formaction']);

/** What the element says: the attribute if one is named, else what fits the wanted type. */
export function readElement(
  element: DomElement,
  shape: Shape,
  baseUrl: string,
): string | boolean | undefined {
  const attribute = shape.schema['x-attribute'];
  if (attribute === undefined || attribute === 'text') return contentOf(element, shape, baseUrl);
  if (attribute === 'html') return element.innerHTML;
  const value = element.getAttribute(attribute);
  if (value === null) return undefined;
  // `disabled=""`: being there is the value.
  if (shape.kind === 'boolean' && (value === '' || value === attribute)) return true;
  return urlAttributes.has(attribute) ? absoluteUrl(value, baseUrl) : value;
}

/** What an element says by itself, for a wanted type: the link for a URL, the datetime for a date. */
export function contentOf(element: DomElement, shape: Shape, baseUrl: string): string {
  const { format = '' } = shape.schema;
  if (/^(uri|url|iri)/.test(format)) return linkOf(element, baseUrl) ?? elementText(element);
  if (format === 'date' || format === 'date-time') {
    const time = element.localName === 'time' ? element : element.querySelector('time[datetime]');
    const machine = time?.getAttribute('datetime') ?? element.getAttribute('content');
    return machine ?? elementText(element);
  }
  if (element.localName === 'input') return element.getAttribute('value') ?? '';
  if (shape.kind === 'string' && !isMute(element)) return elementText(element);
  return propertyValue(element, baseUrl);
}

/** The element's own URL, or that of the only link or image in it. */
function linkOf(element: DomElement, baseUrl: string): string | undefined {
  const own = elementUrl(element, baseUrl);
  if (own !== undefined) return own;
  for (const selector of ['a[href]', 'img[src]']) {
    const [first, second] = element.querySelectorAll(selector);
    if (first !== undefined && second === undefined) return elementUrl(first, baseUrl);
  }
  return undefined;
}

/** Elements whose value is not their text. */
function isMute(element: DomElement): boolean {
  return /^(meta|link|img|source|video|audio|embed|iframe|object|track|data|meter)$/.test(
    element.localName,
  );
}
