/** Reads styles of an OpenDocument file (OpenDocument 1.3, part 3, chapter 16): headings, marks, lists, tables. */
import { xmlChild, type XmlElement, xmlElements } from '../../../content/html/xml.ts';
import type { RunMarks } from '../html-writer.ts';

/** The kind of a style's paragraphs. */
export type ParagraphKind = 'title' | 'code' | 'quote' | 'table heading' | 'text';

const mostParents = 20; // a style's chain of parent styles

/** The styles of a file by family and name. */
export class OdfStyles {
  readonly #styles = new Map<string, XmlElement>();
  readonly #lists = new Map<string, XmlElement>();
  readonly #marks = new Map<string, RunMarks>();
  readonly language: string | undefined;

  constructor(...trees: readonly (XmlElement | undefined)[]) {
    let language: string | undefined;
    for (const tree of trees) {
      for (const element of xmlElements(tree)) {
        const { attributes } = element;
        const name = attributes['style:name'] ?? '';
        if (element.name === 'style:style') {
          this.#styles.set(`${attributes['style:family'] ?? ''} ${name}`, element);
        } else if (element.name === 'text:list-style') this.#lists.set(name, element);
        else if (
          element.name === 'style:default-style' &&
          attributes['style:family'] === 'paragraph'
        ) {
          language ??= languageOf(element);
        }
      }
    }
    this.language = language;
  }

  /** The marks of a `text:span`, or of a paragraph's automatic style. */
  marksOf(name: string | undefined, family = 'text'): RunMarks {
    if (name === undefined) return {};
    const known = this.#marks.get(`${family} ${name}`);
    if (known !== undefined) return known;
    const marks = this.#resolveMarks(name, family);
    this.#marks.set(`${family} ${name}`, marks);
    return marks;
  }

  #resolveMarks(name: string, family: string): RunMarks {
    let bold: boolean | undefined;
    let italic: boolean | undefined;
    let struck: boolean | undefined;
    let position: string | undefined;
    let code = false;
    for (const [style, element] of this.#chain(name, family)) {
      const { attributes = noAttributes } = xmlChild(element, 'style:text-properties') ?? {};
      const { 'fo:font-weight': weight, 'fo:font-style': slant } = attributes;
      if (weight !== undefined) bold ??= /^(?:bold|[6-9]00)$/.test(weight);
      if (slant !== undefined) italic ??= slant !== 'normal';
      const line = attributes['style:text-line-through-style'];
      if (line !== undefined) struck ??= line !== 'none';
      position ??= attributes['style:text-position'];
      code ||= /^(?:source text|teletype|verbatim ?char|(?:.* )?code)$/i.test(plainName(style));
    }
    const [shift = ''] = (position ?? '').split(' ');
    return {
      bold,
      italic,
      struck,
      code,
      superscript: shift === 'super' || Number.parseFloat(shift) > 0,
      subscript: shift === 'sub' || Number.parseFloat(shift) < 0,
    };
  }

  /** The kind of a paragraph by the names of its styles. */
  kindOf(name: string | undefined): ParagraphKind {
    for (const [style] of this.#chain(name, 'paragraph')) {
      const plain = plainName(style);
      if (/^title$/i.test(plain)) return 'title';
      if (/^(?:preformatted text|source code|code(?: block)?|verbatim)$/i.test(plain))
        return 'code';
      if (/^(?:quotations?|block ?quote|block quotation|block text|quote)$/i.test(plain))
        return 'quote';
      if (/^table heading$/i.test(plain)) return 'table heading';
    }
    return 'text';
  }

  /** The list style of a paragraph's style. */
  listStyleOf(name: string | undefined): string | undefined {
    for (const [, element] of this.#chain(name, 'paragraph')) {
      const list = element?.attributes['style:list-style-name'];
      if (list !== undefined && list !== '') return list;
    }
    return undefined;
  }

  /** True for an ordered list at a level from 0, with its first number. */
  levelOf(list: string | undefined, level: number): { isOrdered: boolean; start: number } {
    for (const node of this.#lists.get(list ?? '')?.children ?? []) {
      if (typeof node === 'string' || node.attributes['text:level'] !== String(level + 1)) continue;
      const isOrdered =
        node.name === 'text:list-level-style-number' && node.attributes['style:num-format'] !== '';
      return { isOrdered, start: Number(node.attributes['text:start-value'] ?? 1) || 1 };
    }
    return { isOrdered: false, start: 1 };
  }

  /** True for a style whose content is not displayed. */
  isHidden(name: string | undefined, family: string): boolean {
    return [...this.#chain(name, family)].some(
      ([, element]) =>
        xmlChild(element, 'style:text-properties')?.attributes['text:display'] === 'none' ||
        xmlChild(element, 'style:table-properties')?.attributes['table:display'] === 'false',
    );
  }

  /** A style and its parent styles. A cycle of parents ends at the limit. */
  *#chain(
    name: string | undefined,
    family: string,
  ): Generator<readonly [name: string, element: XmlElement | undefined]> {
    let next = name;
    for (let step = 0; next !== undefined && step < mostParents; step += 1) {
      const element = this.#styles.get(`${family} ${next}`);
      yield [element?.attributes['style:display-name'] ?? next, element];
      next = element?.attributes['style:parent-style-name'];
    }
  }
}

/** Decodes `Block_20_Text`: style names are encoded as XML names. */
function plainName(name: string): string {
  return name.replace(/_20_/g, ' ').replace(/_/g, ' ');
}

const noAttributes: Readonly<Record<string, string | undefined>> = {};

function languageOf(style: XmlElement): string | undefined {
  const { attributes } = xmlChild(style, 'style:text-properties') ?? {};
  const language = attributes?.['fo:language'];
  const country = attributes?.['fo:country'];
  if (language === undefined || language === 'none' || language === 'zxx') return undefined;
  return country === undefined || country === 'none' ? language : `${language}-${country}`;
}
