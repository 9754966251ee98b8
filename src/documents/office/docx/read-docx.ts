/** Reads DOCX documents (ECMA-376, part 1, WordprocessingML): paragraphs, lists, tables and notes as HTML. */
import { xmlChild, xmlChildren, type XmlElement, xmlText } from '../../../content/html/xml.ts';
import { oneLine } from '../../../content/text/plain-text.ts';
import type { FileContent, ReadFile } from '../../../content/parsers/file-parser.ts';
import { isOn, OpenPackage, relationOf, type Relations, valueOf } from '../open-package.ts';
import { chartWarnings, readCharts } from '../read-charts.ts';
import { WordFields } from '../word-fields.ts';
import { BlockWriter, HtmlBudget, InlineWriter, notesSection } from '../html-writer.ts';
import { inCell, type TableCell, writeTable } from '../table-writer.ts';
import { type DocxParts, type InlineFindings, InlineReader, linkTargets } from './inline-reader.ts';
import {
  chosenAlternative,
  DocxNumbering,
  type DocxStyle,
  DocxStyles,
  isTransparent,
  listLevelOf,
  numberOf,
} from './docx-styles.ts';

/**
 * The text with all tracked changes accepted: insertions stay, deletions are left out, as are comments,
 * headers and footers. Notes follow the text.
 */
export const readDocx: ReadFile = async ({ body: bytes }, context): Promise<FileContent> => {
  const { limits } = context;
  const file = new OpenPackage(bytes, context);
  const name = await file.mainPart();
  const relations = await file.relations(name);
  const related = async (kind: string): Promise<XmlElement | undefined> => {
    const relation = relationOf(relations, kind);
    return relation === undefined ? undefined : file.part(relation.target);
  };
  const document = await file.part(name);
  const budget = new HtmlBudget(limits.text);
  const charts = await readCharts(file, relations, budget);
  const parts: DocxParts = {
    file,
    charts,
    relations,
    styles: new DocxStyles(await related('styles')),
    numbering: new DocxNumbering(await related('numbering')),
    budget,
    fields: new WordFields(),
    targets: document === undefined ? new Set() : linkTargets(document),
    notes: new Map(),
  };
  const body = xmlChild(document, 'w:body');
  const text = body === undefined ? '' : new BodyReader(parts).read(body);
  const notes = await readNotes(parts, relations);
  const properties = await file.properties();
  return {
    ...properties,
    html: text + notes,
    title: properties.title ?? titleOf(body, parts),
    language: properties.language ?? parts.styles.language,
    warnings: chartWarnings(charts),
  };
};

/** Referenced notes, in the order of their references; a note may refer to another. */
async function readNotes(parts: DocxParts, relations: Relations): Promise<string> {
  const byId = new Map<string, { element: XmlElement; relations: Relations }>();
  for (const part of ['footnotes', 'endnotes']) {
    const name = relationOf(relations, part)?.target;
    if (name === undefined) continue;
    const own = await parts.file.relations(name);
    for (const element of xmlChildren(await parts.file.part(name))) {
      byId.set(`${part} ${element.attributes['w:id'] ?? ''}`, { element, relations: own });
    }
  }
  const notes: string[] = [];
  for (const key of parts.notes.keys()) {
    const found = byId.get(key);
    const own = { ...parts, relations: found?.relations ?? relations, fields: new WordFields() };
    notes.push(found === undefined ? '' : new BodyReader(own).read(found.element));
  }
  return notesSection(notes);
}

// Paragraphs and tables of a DOCX as HTML.

/** Reads an element with paragraphs: the body, a cell, a note, a box. */
class BodyReader {
  readonly #parts: DocxParts;
  readonly #blocks: BlockWriter;
  readonly #inline: InlineWriter;
  #found: InlineFindings = { boxes: [], charts: [], id: undefined };

  constructor(parts: DocxParts) {
    this.#parts = parts;
    this.#blocks = new BlockWriter(parts.budget);
    this.#inline = new InlineWriter(parts.budget);
  }

  /** The HTML of the content of an element. */
  read(parent: XmlElement): string {
    this.#content(parent);
    // The paragraph mark of the last paragraph may be deleted, too.
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

  /** Leaves out a table of contents, which only repeats the headings. */
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
    const out = isCode ? new InlineWriter(this.#parts.budget, true) : this.#inline;
    new InlineReader(this.#parts, out, this.#found).read(paragraph, undefined);
    // Its paragraph mark is deleted: the next paragraph continues it.
    if (!isCode && xmlChild(format, 'w:rPr', 'w:del') !== undefined) return;
    const html = out.finish();
    const { boxes, charts, id } = this.#found;
    this.#found = { boxes: [], charts: [], id: html === '' ? id : undefined };
    if (style.kind !== 'contents') this.#write(html, id, format, style);
    for (const box of boxes) this.#blocks.add(new BodyReader(this.#parts).read(box));
    for (const chart of charts) this.#blocks.add(this.#parts.budget.spend(chart));
  }

  #write(
    html: string,
    id: string | undefined,
    format: XmlElement | undefined,
    style: DocxStyle,
  ): void {
    const blocks = this.#blocks;
    const outline = numberOf(valueOf(format, 'w:outlineLvl'));
    const isOutlined = outline !== undefined && outline < 9 && style.kind === 'text';
    const level = isOutlined ? outline + 1 : style.level;
    const listLevel = listLevelOf(format) ?? style.list;
    const item =
      listLevel === undefined
        ? undefined
        : this.#parts.numbering.next(listLevel.id, listLevel.level);
    if (style.kind === 'code') blocks.codeLine(html);
    else if (html === '') return;
    else if (level > 0 && style.kind !== 'title') {
      // The text refers to a heading by its number.
      const label = item?.label ?? '';
      blocks.heading(level, label === '' ? html : `${label} ${html}`, id);
    } else if (style.kind === 'title') blocks.heading(1, html, id);
    else if (item !== undefined) {
      blocks.item(html, { ...item, level: listLevel?.level ?? 0 }, id);
    } else if (style.kind === 'quote') blocks.quote(html);
    else if ((listLevel !== undefined || isIndented(format)) && blocks.isInList) {
      blocks.inItem(`<p>${html}</p>`, listLevel?.level);
    } else blocks.paragraph(html, id);
  }

  #table(table: XmlElement): string {
    const rows = within(table, 'w:tr');
    const cells: TableCell[][] = [];
    /** Cells that continue in the rows below, by their first column. */
    const open = new Map<number, { rows: number }>();
    let headerRows = 0;
    for (const row of rows) {
      const format = xmlChild(row, 'w:trPr');
      if (xmlChild(format, 'w:del') !== undefined) continue;
      if (headerRows === cells.length && isOn(format, 'w:tblHeader') === true) headerRows += 1;
      let column = numberOf(valueOf(format, 'w:gridBefore')) ?? 0;
      const line: TableCell[] = column > 0 ? [{ html: '', columns: column }] : [];
      for (const cell of within(row, 'w:tc')) {
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

/** Indented by at least a quarter of an inch, as the continuation of a list item is. */
function isIndented(format: XmlElement | undefined): boolean {
  const { attributes } = xmlChild(format, 'w:ind') ?? {};
  const left = numberOf(attributes?.['w:left'] ?? attributes?.['w:start']);
  return left !== undefined && left >= 360;
}

/** Children of a name, also inside content controls and tracked changes. */
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

function styleOf(paragraph: XmlElement, parts: DocxParts): DocxStyle {
  return parts.styles.of(valueOf(xmlChild(paragraph, 'w:pPr'), 'w:pStyle'));
}

/** The text of the first paragraph with the title style. */
function titleOf(body: XmlElement | undefined, parts: DocxParts): string | undefined {
  for (const paragraph of xmlChildren(body, 'w:p').slice(0, 20)) {
    if (styleOf(paragraph, parts).kind !== 'title') continue;
    return oneLine(xmlText(paragraph));
  }
  return undefined;
}
