/** The paragraphs of a rich text file, or of one of its notes, as HTML. */
import { BlockWriter } from '../writing/block-writer.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import { InlineWriter, type Marks } from '../writing/inline-writer.ts';
import { inCell } from '../writing/table-writer.ts';
import type { ParagraphState } from './rtf-state.ts';
import { RtfTable } from './rtf-table.ts';

/** Twips by which lists are indented for each level. */
const indent = 360;

/** Takes text and what ends it. */
export class RtfText {
  readonly table: RtfTable;
  readonly #budget: HtmlBudget;
  readonly #blocks: BlockWriter;
  readonly #inline: InlineWriter;
  #cell: BlockWriter;
  /** What stands before the text of an item. */
  #marker = '';
  /** The beginning of the paragraph, which may be a marker that somebody typed. */
  #start = '';

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
    this.#blocks = new BlockWriter(budget);
    this.#inline = new InlineWriter(budget);
    this.#cell = new BlockWriter(budget);
    this.table = new RtfTable(budget);
  }

  text(text: string, marks: Marks, { first }: ParagraphState): void {
    if (text === '\t' && first < 0 && typedMarker.test(this.#start)) {
      this.#marker = this.#start;
      this.#start = '';
      this.#inline.finish();
      return;
    }
    if (this.#start.length < 10) this.#start += text;
    this.#inline.text(text, marks);
  }

  html(html: string): void {
    this.#inline.html(html);
  }

  marker(text: string): void {
    if (this.#marker.length < 20) this.#marker += text;
  }

  lineBreak(): void {
    this.#inline.lineBreak();
  }

  /** `name` is that of its style. */
  endParagraph(paragraph: ParagraphState, name: string): void {
    if (!paragraph.isInTable && this.table.isOpen) this.#blocks.add(this.table.finish());
    this.#write(paragraph.isInTable ? this.#cell : this.#blocks, paragraph, name);
  }

  endCell(paragraph: ParagraphState, name: string): void {
    this.#write(this.#cell, paragraph, name);
    this.table.cell(inCell(this.#cell.finish()));
    this.#cell = new BlockWriter(this.#budget);
  }

  finish(paragraph: ParagraphState, name: string): string {
    this.endParagraph(paragraph, name);
    if (this.table.isOpen) this.#blocks.add(this.table.finish());
    return this.#blocks.finish();
  }

  #write(blocks: BlockWriter, paragraph: ParagraphState, name: string): void {
    const html = this.#inline.finish();
    const marker = this.#marker.trim();
    this.#marker = '';
    this.#start = '';
    if (html === '') return;
    const [, named] = /^heading ([1-9])$/i.exec(name) ?? [];
    const outline = paragraph.outline ?? (named === undefined ? undefined : Number(named) - 1);
    if (outline !== undefined && outline < 9) {
      blocks.heading(outline + 1, marker === '' ? html : `${marker} ${html}`);
    } else if (/^title$/i.test(name)) blocks.heading(1, html);
    else if (marker !== '') {
      const level = paragraph.level ?? Math.round(paragraph.left / indent) - 1;
      const isOrdered = /[\p{L}\d]/u.test(marker) && !/^o$/.test(marker);
      const digits = /\d+(?=\D*$)/.exec(marker.slice(0, 20))?.[0];
      const number = digits === undefined ? undefined : Number(digits);
      blocks.item(html, { level: Math.max(0, level), isOrdered, number });
    } else if (onlyCode.test(html) || codeStyle.test(name)) {
      blocks.codeLine(html.replaceAll('<br>', '\n').replace(tag, ''));
    } else if (/^(?:quotations?|(?:intense )?quote|block text)$/i.test(name)) blocks.quote(html);
    else if (paragraph.left >= indent && blocks.isInList) {
      blocks.inItem(`<p>${html}</p>`, Math.max(0, Math.round(paragraph.left / indent) - 1));
    } else blocks.paragraph(html);
  }
}

/** What stands in quotes is no end of it: addresses may have any character. */
const tag = /<(?:[^"<>]|"[^"]*")*>/g;

const codeStyle = /^(?:preformatted text|source code|html preformatted|code)$/i;

/** Lines in a font of equally wide letters. */
const onlyCode = /^(?:<code>[^<]*<\/code>|<br>)+$/;

const typedMarker = /^\s*(?:[•·▪◦‣–*-]|\(?[\da-z]{1,3}[.)])\s*$/i;
