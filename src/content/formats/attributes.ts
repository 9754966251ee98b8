/** attributes: values of chosen attributes of chosen elements. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { DomElement } from '../html/dom.ts';
import type { Page } from '../../core/model/page.ts';
import { refuseUnknown } from '../../core/checks/option-errors.ts';
import { builtInModule, type Format } from './format.ts';

/** Options of the attributes format. */
export interface AttributesOptions {
  /** The attributes to read, in the order of the result. */
  readonly selectors: readonly AttributeSelector[];
}

/** The elements, and the attribute to read of each. */
export interface AttributeSelector {
  /** A CSS selector. */
  readonly selector: string;
  /** The attribute's name; where an element lacks it, `data-<name>` is tried. */
  readonly attribute: string;
}

/** The values that one selector gives. */
export interface AttributeValues extends AttributeSelector {
  /** In document order; elements without the attribute are left out. */
  readonly values: string[];
}

/**
 * Reads the cleaned page. A selector that is not valid gives no values, like one that matches
 * nothing; one that takes too long on the page is `PARSE_LIMIT`.
 */
export const attributes: Format<'attributes', AttributeValues[], AttributesOptions> = {
  name: 'attributes',
  needs: 'content',
  worker: builtInModule,
  parseOptions({ selectors, ...unknown }) {
    refuseUnknown(unknown, ['selectors']);
    if (!Array.isArray(selectors) || selectors.length === 0) {
      throw new Error('selectors: expected a list of at least one { selector, attribute }');
    }
    return { selectors: selectors.map(readSelector) };
  },
  run(page, { selectors }) {
    return selectors.map(({ selector, attribute }) => {
      const values = matches(page, selector).flatMap(
        (element) => valueOf(element, attribute) ?? [],
      );
      return { selector, attribute, values };
    });
  },
};

function readSelector(input: unknown, index: number): AttributeSelector {
  const at = `selectors[${index}]`;
  if (typeof input !== 'object' || input === null) {
    throw new Error(`${at}: expected { selector, attribute }`);
  }
  const { selector, attribute, ...unknown } = input as Readonly<Record<string, unknown>>;
  refuseUnknown(unknown, ['selector', 'attribute'], `${at}.`);
  return {
    selector: readText(selector, `${at}.selector`),
    attribute: readText(attribute, `${at}.attribute`),
  };
}

function readText(value: unknown, at: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw new Error(`${at}: expected a string that is not empty`);
}

function matches(page: Page, selector: string): DomElement[] {
  if (page.kind !== 'html') return [];
  try {
    return [...page.root.querySelectorAll(selector)];
  } catch (error) {
    if (error instanceof PagewrightError) throw error;
    return [];
  }
}

function valueOf(element: DomElement, attribute: string): string | null {
  const value = element.getAttribute(attribute);
  return value !== null || attribute.startsWith('data-')
    ? value
    : element.getAttribute(`data-${attribute}`);
}
