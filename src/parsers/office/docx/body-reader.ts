/** Paragraphs and tables of a word processor's document as HTML. */
import { xmlChild, xmlChildren, type XmlElement, xmlText } from '../../../html/xml-tree.ts';
import { oneLine } from '../../../text/one-line.ts';
import { isOn, valueOf } from '../open-xml/open-package.ts';
import { BlockWriter } from '../writing/block-writer.ts';
import { CodeWriter, InlineWriter, type RunWriter } from '../writing/inline-writer.ts';
import { inCell, type TableCell, writeTable } from '../writing/table-writer.ts';
import type { DocumentParts } from './document-parts.ts';
import { type InlineFindings, InlineReader } from './inline-reader.ts';
import { chosenAlternative, isTransparent, listPlaceOf, numberOf, type Style } from './styles.ts';

/** Reads what holds paragraphs: the body, a cell, a note, a box. */
export class BodyReader {
  readonly #parts: DocumentParts;
  readonly #blocks: BlockWriter;
  readonly #inline: InlineWriter;
  #found: InlineFindings = { boxes: [], id: undefined };

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    this.#blocks = new BlockWriter(parts.budget);
    this.#inline = new InlineWriter(parts.budget);
  }

  /** The HTML of the content of an element. */
  read(parent: XmlElement): string {
    this.#content(parent);
    // The mark of a last paragraph may be deleted too.
    this.#blocks.paragraph(this.#inline.finish());
    return this.#blocks.finish();
  }

  #content(parent: XmlElement): void {
    for (const node of parent.children) {
      if (typeof node === 'string') continue;
      if (node.name === 'w:p') this.#paragraph(node);
      else if (node.name === 'w:tbl') this.#blocks.add(this.#table(node));
      else if (node.name === 'w:sdt') this.#control(node);
      else if (node.name === 'mc:AlternateContent') {
        const chosen = chosenAlternative(node);
        if (chosen !== undefined) this.#content(chosen);
      } else if (isTransparent(node.name)) this.#content(node);
    }
  }

  /** A table of contents only repeats the headings. */
  #control(element: XmlElement): void {
    const gallery = xmlChild(element, 'w:sdtPr', 'w:docPartObj');
    if (/table of contents/i.test(valueOf(gallery, 'w:docPartGallery') ?? '')) return;
    const content = xmlChild(element, 'w:sdtContent');
    if (content !== undefined) this.#content(content);
  }

  #paragraph(paragraph: XmlElement): void {
    const format = xmlChild(paragraph, 'w:pPr');
    const style = this.#parts.styles.of(valueOf(format, 'w:pStyle'));
    const isCode = style.kind === 'code';
    const out: RunWriter = isCode ? new CodeWriter(this.#parts.budget) : this.#inline;
    new InlineReader(this.#parts, out, this.#found).read(paragraph, undefined);
    // Its mark was deleted: what follows belongs to it.
    if (!isCode && xmlChild(format, 'w:rPr', 'w:del') !== undefined) return;
    const html = out.finish();
    const { boxes, id } = this.#found;
    this.#found = { boxes: [], id: html === '' ? id : undefined };
    if (style.kind !== 'contents') this.#write(html, id, format, style);
    for (const box of boxes) this.#blocks.add(new BodyReader(this.#parts).read(box));
  }

  #write(html: string, id: string | undefined, format: XmlElement | undefined, style: Style): void {
    const blocks = this.#blocks;
    const outline = numberOf(valueOf(format, 'w:outlineLvl'));
    const isOutlined = outline !== undefined && outline < 9 && style.kind === 'text';
    const level = isOutlined ? outline + 1 : style.level;
    const place = listPlaceOf(format) ?? style.list;
    const item =
      place === undefined ? undefined : this.#parts.numbering.next(place.id, place.level);
    if (style.kind === 'code') blocks.codeLine(html);
    else if (html === '') return;
    else if (level > 0 && style.kind !== 'title') {
      // The number of a heading is what other places call it.
      const label = item?.label ?? '';
      blocks.heading(level, label === '' ? html : `${label} ${html}`, id);
    } else if (style.kind === 'title') blocks.heading(1, html, id);
    else if (item !== undefined) {
      blocks.item(html, { ...item, level: place?.level ?? 0 }, id);
    } else if (style.kind === 'quote') blocks.quote(html);
    else if ((place !== undefined || isIndented(format)) && blocks.isInList) {
      blocks.inItem(`<p>${html}</p>`, place?.level);
    } else blocks.paragraph(html, id);
  }

  #table(table: XmlElement): string {
    const rows = rowsOf(table);
    const cells: TableCell[][] = [];
    /** Cells that go on in the rows below, by the column where they begin. */
    const open = new Map<number, { rows: number }>();
    let headerRows = 0;
    for (const row of rows) {
      const format = xmlChild(row, 'w:trPr');
      if (xmlChild(format, 'w:del') !== undefined) continue;
      if (headerRows === cells.length && isOn(format, 'w:tblHeader') === true) headerRows += 1;
      let column = numberOf(valueOf(format, 'w:gridBefore')) ?? 0;
      const line: TableCell[] = column > 0 ? [{ html: '', columns: column }] : [];
      for (const cell of cellsOf(row)) {
        const own = xmlChild(cell, 'w:tcPr');
        const columns = Math.max(1, numberOf(valueOf(own, 'w:gridSpan')) ?? 1);
        const merge = xmlChild(own, 'w:vMerge');
        const above = open.get(column);
        if (merge !== undefined && merge.attributes['w:val'] !== 'restart' && above !== undefined) {
          above.rows += 1;
        } else {
          const html = inCell(new BodyReader(this.#parts).read(cell));
          const made = { html, columns, rows: 1, isHeading: this.#isHeading(cell) };
          if (merge === undefined) open.delete(column);
          else open.set(column, made);
          line.push(made);
        }
        column += columns;
      }
      cells.push(line);
    }
    return writeTable(cells, headerRows, this.#parts.budget);
  }

  #isHeading(cell: XmlElement): boolean {
    return within(cell, 'w:p').every((paragraph) => styleOf(paragraph, this.#parts).isTableHeading);
  }
}

/** Indented by a quarter of an inch at least, as what goes on in an item of a list is. */
function isIndented(format: XmlElement | undefined): boolean {
  const { attributes } = xmlChild(format, 'w:ind') ?? {};
  const left = numberOf(attributes?.['w:left'] ?? attributes?.['w:start']);
  return left !== undefined && left >= 360;
}

function rowsOf(table: XmlElement): XmlElement[] {
  return within(table, 'w:tr');
}

function cellsOf(row: XmlElement): XmlElement[] {
  return within(row, 'w:tc');
}

/** Children of a name; controls and changes may stand around them. */
function within(parent: XmlElement, name: string): XmlElement[] {
  return xmlChildren(parent).flatMap((child) => {
    if (child.name === name) return [child];
    if (child.name === 'w:sdt') {
      const content = xmlChild(child, 'w:sdtContent');
      return content === undefined ? [] : within(content, name);
    }
    return isTransparent(child.name) ? within(child, name) : [];
  });
}

function styleOf(paragraph: XmlElement, parts: DocumentParts): Style {
  return parts.styles.of(valueOf(xmlChild(paragraph, 'w:pPr'), 'w:pStyle'));
}

/** The text of the first paragraph in the style of a title. */
export function titleOf(body: XmlElement | undefined, parts: DocumentParts): string | undefined {
  for (const paragraph of xmlChildren(body, 'w:p').slice(0, 20)) {
    if (styleOf(paragraph, parts).kind !== 'title') continue;
    return oneLine(xmlText(paragraph));
  }
  return undefined;
}
