/** The characters of an old word processor's document as HTML ([MS-DOC], 2.4.1). */
import { linkOf } from '../docx/fields.ts';
import { BlockWriter } from '../writing/block-writer.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import { InlineWriter } from '../writing/inline-writer.ts';
import { type TableCell, writeTable } from '../writing/table-writer.ts';

/** Two cell marks in a row end a row. */
const cellMark = '\x07';
const fieldBegin = '\x13';
const fieldSeparator = '\x14';
const fieldEnd = '\x15';

/** Paragraphs end with a carriage return, cells with a mark of their own. */
export function writeText(text: string, budget: HtmlBudget): string {
  const blocks = new BlockWriter(budget);
  const inline = new InlineWriter(budget);
  const fields: { instruction: string; isResult: boolean }[] = [];
  let rows: TableCell[][] = [];
  let row: TableCell[] = [];
  let cell: string[] = [];
  const endTable = (): void => {
    blocks.add(writeTable(rows, 0, budget));
    rows = [];
  };
  for (const part of text.split(/([\x01-\x08\x0b-\x15\x1e\x1f])/)) {
    const field = fields.at(-1);
    if (part === fieldBegin) {
      if (fields.length < 50) fields.push({ instruction: '', isResult: false });
    } else if (part === fieldSeparator) {
      if (field !== undefined) field.isResult = true;
    } else if (part === fieldEnd) fields.pop();
    else if (field !== undefined && !field.isResult) field.instruction += part.slice(0, 5000);
    else if (part === '\r' || part === '\f') {
      const html = inline.finish();
      // Whether a paragraph is in a cell shows at the end of the cell: until then it waits.
      if (html !== '') cell.push(html);
    } else if (part === cellMark) {
      const html = inline.finish();
      if (html === '' && cell.length === 0 && row.length > 0 && text !== '') {
        rows.push(row);
        row = [];
        continue;
      }
      if (row.length === 0) {
        // What stands before the first cell of a row is not known to belong to it, but its end is.
        const own = html === '' ? (cell.pop() ?? '') : html;
        if (cell.length > 0) endTable();
        for (const paragraph of cell) blocks.paragraph(paragraph);
        row.push({ html: own });
      } else row.push({ html: [...cell, html].filter((one) => one !== '').join('<br>') });
      cell = [];
    } else if (part === '\v') inline.lineBreak();
    else if (part === '\x1e') inline.text('\u2011');
    else if (part !== '' && part.charCodeAt(0) >= 9) {
      inline.text(part, {
        href: fields.map(({ instruction }) => linkOf(instruction)).find(Boolean),
      });
    }
    if (cell.length > 0 && row.length === 0 && rows.length > 0 && part === '\r') endTable();
  }
  endTable();
  for (const paragraph of [...cell, inline.finish()]) blocks.paragraph(paragraph);
  return blocks.finish();
}
