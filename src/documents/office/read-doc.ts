/** Reads Word 97 to 2003 documents (.doc; [MS-DOC]): their text as HTML, without pictures and styles. */
import { TextDecoder } from '../../content/text/text-decoder.ts';
import type { FileContent, ReadFile } from '../../content/parsers/file-parser.ts';
import { unreadable } from '../unreadable.ts';
import { type CompoundFile, readCompoundFile, readProperties } from './compound-file.ts';
import { linkOf } from './word-fields.ts';
import { BlockWriter, HtmlBudget, InlineWriter } from './html-writer.ts';
import { type TableCell, writeTable } from './table-writer.ts';

/**
 * Paragraphs, cells and links. Headings and list items are not recognised: a warning says so.
 * Throws `UNSUPPORTED_CONTENT` for a file that is encrypted, damaged, or older than 1997.
 */
export const readDoc: ReadFile = ({ body }, { limits }): Promise<FileContent> => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const file = readCompoundFile(bytes);
  const main = file?.stream('WordDocument');
  if (file === undefined || main === undefined || main.length < 900) {
    throw unreadable('The Word document', 'it has no text that can be found');
  }
  const text = readPieces(file, main);
  return Promise.resolve({
    ...readProperties(file.stream('\x05SummaryInformation')),
    html: writeText(text, new HtmlBudget(limits.text)),
    warnings: [
      'From this kind of file (.doc) only text, tables and links are read; save it as .docx for headings and lists.',
    ],
  });
};

/** The text of the document without its notes, headers and comments, which follow it. */
function readPieces(file: CompoundFile, main: Buffer): string {
  const flags = main.readUInt16LE(10);
  if (main.readUInt16LE(0) !== 0xa5ec || main.readUInt16LE(2) < 0xc1) {
    throw unreadable('The Word document', 'it is older than Word 97');
  }
  if ((flags & 0x100) !== 0) throw unreadable('The Word document', 'it is encrypted');
  const table = file.stream((flags & 0x200) !== 0 ? '1Table' : '0Table');
  const length = main.readUInt32LE(76);
  const start = main.readUInt32LE(418);
  const size = main.readUInt32LE(422);
  if (table === undefined || size === 0 || start + size > table.length) {
    throw unreadable('The Word document', 'it is damaged');
  }
  return joinPieces(main, table.subarray(start, start + size)).slice(0, length);
}

/** Joins the pieces of the piece table, which follows the pieces' properties. */
function joinPieces(main: Buffer, table: Buffer): string {
  let at = 0;
  while (table[at] === 1 && at + 3 <= table.length) at += 3 + table.readUInt16LE(at + 1);
  if (table[at] !== 2 || at + 5 > table.length)
    throw unreadable('The Word document', 'it is damaged');
  const pieces = table.subarray(at + 5, at + 5 + table.readUInt32LE(at + 1));
  const count = Math.floor((pieces.length - 4) / 12);
  const decoder = new TextDecoder('windows-1252');
  const texts: string[] = [];
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    const characters = pieces.readUInt32LE(index * 4 + 4) - pieces.readUInt32LE(index * 4);
    const location = pieces.readUInt32LE((count + 1) * 4 + index * 8 + 2);
    const isNarrow = (location & 0x40000000) !== 0;
    const begin = isNarrow ? (location & 0x3fffffff) >>> 1 : location & 0x3fffffff;
    if (characters <= 0 || begin >= main.length) continue;
    const end = Math.min(main.length, begin + characters * (isNarrow ? 1 : 2));
    // Pieces that repeat the same bytes could make a huge text of a small file.
    total += end - begin;
    if (total > main.length) throw unreadable('The Word document', 'it is damaged');
    texts.push(
      isNarrow ? decoder.decode(main.subarray(begin, end)) : main.toString('utf16le', begin, end),
    );
  }
  return texts.join('');
}

// Writes the characters of a DOC file as HTML ([MS-DOC], 2.4.1).

/** Two cell marks in a row end a row. */
const cellMark = '\x07';

const fieldBegin = '\x13';

const fieldSeparator = '\x14';

const fieldEnd = '\x15';

/** A paragraph ends with a carriage return, a cell with a cell mark. */
function writeText(text: string, budget: HtmlBudget): string {
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
      // Only the cell mark decides whether a paragraph is in a cell: it is pending until then.
      if (html !== '') cell.push(html);
    } else if (part === cellMark) {
      const html = inline.finish();
      if (html === '' && cell.length === 0 && row.length > 0 && text !== '') {
        rows.push(row);
        row = [];
        continue;
      }
      if (row.length === 0) {
        // Only the last paragraph before the first cell mark certainly belongs to the cell.
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
