/** What the styles of a word processor's document mean: headings, code, quotations, numbering. */
import { isXmlElement, xmlChild, xmlChildren, type XmlElement } from '../../../html/xml-tree.ts';
import { isOn, valueOf } from '../open-xml/open-package.ts';

/** A style with what it has from those it is based on. */
export interface Style {
  readonly kind: 'heading' | 'title' | 'code' | 'quote' | 'contents' | 'text';
  /** Of headings, from 1. */
  readonly level: number;
  readonly list: ListPlace | undefined;
  readonly bold: boolean | undefined;
  readonly italic: boolean | undefined;
  /** For the cells at the head of a table. */
  readonly isTableHeading: boolean;
}

/** A list, and the level in it from 0. */
export interface ListPlace {
  readonly id: string;
  readonly level: number;
}

const plain: Style = {
  kind: 'text',
  level: 0,
  list: undefined,
  bold: undefined,
  italic: undefined,
  isTableHeading: false,
};

/** Styles that a style may be based on, one over the other. */
const mostBases = 20;

/** The styles of a document by id. */
export class Styles {
  readonly #elements = new Map<string, XmlElement>();
  readonly #styles = new Map<string, Style>();
  /** The language that the document has where nothing else is said. */
  readonly language: string | undefined;

  constructor(tree: XmlElement | undefined) {
    for (const element of xmlChildren(tree, 'w:style')) {
      const id = element.attributes['w:styleId'];
      if (id !== undefined && !this.#elements.has(id)) this.#elements.set(id, element);
    }
    const defaults = xmlChild(tree, 'w:docDefaults', 'w:rPrDefault', 'w:rPr', 'w:lang');
    this.language = defaults?.attributes['w:val'];
  }

  /** The style of an id; unknown ones are plain text. */
  of(id: string | undefined): Style {
    if (id === undefined) return plain;
    const known = this.#styles.get(id);
    if (known !== undefined) return known;
    const style = this.#resolve(id);
    this.#styles.set(id, style);
    return style;
  }

  /** A style says what it does not inherit. One that is based on itself ends somewhere. */
  #resolve(id: string): Style {
    let next: string | undefined = id;
    let found: Partial<Style> = {};
    let outline: number | undefined;
    for (let step = 0; next !== undefined && step < mostBases; step += 1) {
      const element: XmlElement | undefined = this.#elements.get(next);
      // Programs name built-in styles in documents that do not describe them.
      const name = valueOf(element, 'w:name') ?? (element === undefined ? next : '');
      const paragraph = xmlChild(element, 'w:pPr');
      const run = xmlChild(element, 'w:rPr');
      if (found.kind === undefined) found = { ...found, ...meaningOf(name) };
      outline ??= numberOf(valueOf(paragraph, 'w:outlineLvl'));
      found = {
        ...found,
        list: found.list ?? listPlaceOf(paragraph),
        bold: found.bold ?? isOn(run, 'w:b'),
        italic: found.italic ?? isOn(run, 'w:i'),
        isTableHeading: found.isTableHeading === true || /^table ?heading$/i.test(name),
      };
      next = valueOf(element, 'w:basedOn');
    }
    if (found.kind === undefined && outline !== undefined && outline < 9) {
      found = { ...found, kind: 'heading', level: outline + 1 };
    }
    return { ...plain, ...found };
  }
}

/** What the name of a style says. Built-in styles have English names in every language. */
function meaningOf(name: string): Partial<Style> {
  const [, level] = /^heading\s*([1-9])(?:\s+char)?$/i.exec(name) ?? [];
  if (level !== undefined) return { kind: 'heading', level: Number(level) };
  if (/^title(?:\s+char)?$/i.test(name)) return { kind: 'title', level: 1 };
  if (/^(?:toc\s*\d|(?:contents|toc) heading|table of figures)$/i.test(name)) {
    return { kind: 'contents' };
  }
  if (code.test(name)) return { kind: 'code' };
  if (/^(?:(?:intense )?quote|quotations?|block (?:text|quote)|blockquote)$/i.test(name)) {
    return { kind: 'quote' };
  }
  return {};
}

const code =
  /^(?:(?:source|inline|verbatim|html)?\s*code(?:\s+(?:block|char|text))?|source ?text|verbatim(?:\s+char)?|html (?:code|preformatted|typewriter|sample|keyboard)|preformatted(?: text)?|teletype|plain text|macro text)$/i;

/** `w:numPr` of a paragraph or a style. The list `0` takes a paragraph out of the list of its style. */
export function listPlaceOf(paragraph: XmlElement | undefined): ListPlace | undefined {
  const numbering = xmlChild(paragraph, 'w:numPr');
  const id = valueOf(numbering, 'w:numId');
  if (id === undefined) return undefined;
  return { id, level: numberOf(valueOf(numbering, 'w:ilvl')) ?? 0 };
}

/** A whole number from 0. */
export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Elements that have other elements of the same kind inside, which count as if they stood there. */
export function isTransparent(name: string): boolean {
  return transparent.has(name);
}

const transparent: ReadonlySet<string> = new Set([
  ...['w:ins', 'w:moveTo', 'w:smartTag', 'w:customXml', 'w:bdo', 'w:dir', 'w:sdtContent'],
  ...['mc:Choice', 'mc:Fallback', 'w:fldSimple'],
]);

/** Of the ways that a document offers the first, which newer programs write. */
export function chosenAlternative(element: XmlElement): XmlElement | undefined {
  return (
    xmlChild(element, 'mc:Choice') ??
    element.children.find((node): node is XmlElement => isXmlElement(node, 'mc:Fallback'))
  );
}
