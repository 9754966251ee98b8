/** What stands on a slide: texts, tables, pictures, in the order of the file. */
import {
  xmlChild,
  xmlChildren,
  type XmlElement,
  xmlElements,
  xmlText,
} from '../../../html/xml-tree.ts';
import { formula } from '../open-xml/formula.ts';
import type { OpenPackage, Relations } from '../open-xml/open-package.ts';
import { BlockWriter } from '../writing/block-writer.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import { InlineWriter } from '../writing/inline-writer.ts';
import { imageElement, type Pictures } from '../writing/pictures.ts';
import { inCell, type TableCell, writeTable } from '../writing/table-writer.ts';
import {
  type Bullet,
  bulletOf,
  levelBullet,
  type Placeholder,
  placeholderOf,
  type Placeholders,
} from './placeholders.ts';

/** What a slide is read with. */
export interface SlideParts {
  readonly file: OpenPackage;
  readonly relations: Relations;
  readonly placeholders: Placeholders;
  readonly pictures: Pictures;
  readonly budget: HtmlBudget;
  /** The lists that diagrams are made of, by id. */
  readonly diagrams: ReadonlyMap<string, string>;
  /** Only the text of the body: of a page of notes the rest repeats the slide. */
  readonly onlyBody?: boolean;
}

/** Placeholders that say nothing of the slide. */
const furniture = /^(?:sldNum|dt|ftr|hdr|sldImg)$/;

/** Reads one slide. */
export class SlideReader {
  readonly #parts: SlideParts;
  readonly #blocks: BlockWriter;
  #title = '';

  constructor(parts: SlideParts) {
    this.#parts = parts;
    this.#blocks = new BlockWriter(parts.budget);
  }

  /** The title as HTML, empty when the slide has none, and the rest. */
  read(tree: XmlElement | undefined): { readonly title: string; readonly html: string } {
    if (tree !== undefined) this.#shapes(tree);
    return { title: this.#title, html: this.#blocks.finish() };
  }

  #shapes(tree: XmlElement): void {
    for (const element of xmlChildren(tree)) {
      if (element.name === 'p:sp' || element.name === 'p:cxnSp') this.#shape(element);
      else if (this.#parts.onlyBody === true) continue;
      else if (element.name === 'p:grpSp') this.#shapes(element);
      else if (element.name === 'p:pic') this.#picture(element);
      else if (element.name === 'p:graphicFrame') this.#frame(element);
      else if (element.name === 'mc:AlternateContent') {
        const chosen = xmlChild(element, 'mc:Choice') ?? xmlChild(element, 'mc:Fallback');
        if (chosen !== undefined) this.#shapes(chosen);
      }
    }
  }

  #shape(shape: XmlElement): void {
    const placeholder = placeholderOf(shape);
    const body = xmlChild(shape, 'p:txBody');
    const isBody = placeholder !== undefined && placeholder.type === 'body';
    if (placeholder !== undefined && furniture.test(placeholder.type)) return;
    if (this.#parts.onlyBody === true && !isBody) return;
    if (body === undefined) return;
    if (/^(?:title|ctrTitle)$/.test(placeholder?.type ?? '') && this.#title === '') {
      this.#title = this.#titleText(body);
    } else this.#text(body, placeholder, this.#blocks);
  }

  /** Lines of a title are one heading. */
  #titleText(body: XmlElement): string {
    const lines = xmlChildren(body, 'a:p').map((paragraph) => this.#runs(paragraph));
    return lines
      .filter((line) => line !== '')
      .join(' ')
      .replaceAll('<br>', ' ')
      .replace(/<\/?strong>/g, '');
  }

  #text(body: XmlElement, placeholder: Placeholder | undefined, blocks: BlockWriter): void {
    const styles = xmlChild(body, 'a:lstStyle');
    const numbers: number[] = [];
    for (const paragraph of xmlChildren(body, 'a:p')) {
      const html = this.#runs(paragraph);
      if (html === '') continue;
      const properties = xmlChild(paragraph, 'a:pPr');
      const level = Math.min(8, Math.max(0, Number(properties?.attributes['lvl'] ?? 0) || 0));
      const bullet =
        bulletOf(properties) ?? levelBullet(styles, level) ?? this.#inherited(placeholder, level);
      if (bullet === 'none') {
        numbers.length = 0;
        blocks.paragraph(html);
        continue;
      }
      const start = Number(xmlChild(properties, 'a:buAutoNum')?.attributes['startAt'] ?? 1) || 1;
      const number = (numbers[level] ?? start - 1) + 1;
      numbers.length = level;
      if (bullet === 'number') numbers[level] = number;
      blocks.item(html, { level, isOrdered: bullet === 'number', number });
    }
  }

  #inherited(placeholder: Placeholder | undefined, level: number): Bullet {
    if (placeholder === undefined) return 'none';
    return this.#parts.placeholders.bullets(placeholder, level) ? 'bullet' : 'none';
  }

  #runs(paragraph: XmlElement): string {
    const out = new InlineWriter(this.#parts.budget);
    for (const element of xmlChildren(paragraph)) {
      if (element.name === 'a:br') out.lineBreak();
      else if (element.name === 'a:r' || element.name === 'a:fld') this.#run(element, out);
      else if (/:m$|^mc:AlternateContent$/.test(element.name)) {
        for (const one of xmlElements(element, 'm:oMath')) out.html(formula(one, false));
      }
    }
    return out.finish();
  }

  #run(run: XmlElement, out: InlineWriter): void {
    const properties = xmlChild(run, 'a:rPr');
    const { attributes } = properties ?? {};
    const link = xmlChild(properties, 'a:hlinkClick')?.attributes['r:id'];
    const target = this.#parts.relations.get(link ?? '');
    const raise = Number(attributes?.['baseline'] ?? 0);
    out.text(xmlText(xmlChild(run, 'a:t')), {
      bold: isTrue(attributes?.['b']),
      italic: isTrue(attributes?.['i']),
      struck: /^(?:sng|dbl)Strike$/.test(attributes?.['strike'] ?? ''),
      raised: raise > 0,
      lowered: raise < 0,
      // Links to other slides lead nowhere outside of the file.
      href: target?.isExternal === true ? target.target : undefined,
    });
  }

  #picture(picture: XmlElement): void {
    const { attributes } = xmlChild(picture, 'p:nvPicPr', 'p:cNvPr') ?? {};
    const alt = attributes?.['descr'] ?? attributes?.['title'] ?? '';
    for (const { name, attributes: own } of xmlElements(picture)) {
      if (/(?:^|:)decorative$/.test(name) && own['val'] !== '0') return;
    }
    const blip = xmlChild(picture, 'p:blipFill', 'a:blip');
    const { relations, pictures, file } = this.#parts;
    const id = blip?.attributes['r:embed'] ?? blip?.attributes['r:link'] ?? '';
    const relation = relations.get(id);
    const html =
      relation?.isExternal === true
        ? imageElement(alt, relation.target)
        : pictures.element(alt, () =>
            relation === undefined ? undefined : file.bytes(relation.target),
          );
    this.#blocks.paragraph(this.#parts.budget.spend(html));
  }

  #frame(frame: XmlElement): void {
    const graphic = xmlChild(frame, 'a:graphic', 'a:graphicData');
    const table = xmlChild(graphic, 'a:tbl');
    const diagram = xmlChild(graphic, 'dgm:relIds')?.attributes['r:dm'];
    const alt = xmlChild(frame, 'p:nvGraphicFramePr', 'p:cNvPr')?.attributes['descr'] ?? '';
    if (table !== undefined) this.#blocks.add(this.#table(table));
    else if (diagram !== undefined) {
      this.#blocks.add(this.#parts.budget.spend(this.#parts.diagrams.get(diagram) ?? ''));
    } else if (alt !== '') this.#blocks.paragraph(imageElement(alt, 'data:,'));
  }

  #table(table: XmlElement): string {
    const rows = xmlChildren(table, 'a:tr').map((row) =>
      xmlChildren(row, 'a:tc')
        .filter(({ attributes: cell }) => !isTrue(cell['hMerge']) && !isTrue(cell['vMerge']))
        .map((cell): TableCell => {
          const blocks = new BlockWriter(this.#parts.budget);
          const body = xmlChild(cell, 'a:txBody');
          if (body !== undefined) this.#text(body, undefined, blocks);
          return {
            html: inCell(blocks.finish()),
            columns: Number(cell.attributes['gridSpan'] ?? 1) || 1,
            rows: Number(cell.attributes['rowSpan'] ?? 1) || 1,
          };
        }),
    );
    const hasHeader = isTrue(xmlChild(table, 'a:tblPr')?.attributes['firstRow']);
    return writeTable(rows, hasHeader && rows.length > 1 ? 1 : 0, this.#parts.budget);
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}
