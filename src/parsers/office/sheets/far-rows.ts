/** Rows of a sheet (SpreadsheetML) that are further down than is read. */
import { mostRows } from './sheet-limits.ts';

/**
 * A sheet with such rows says its size here. The package that reads sheets passes over them, and tells
 * it only where the size reaches there, which many programs leave out. Other parts of a workbook are
 * given back as they are.
 */
export function withFarRowsSaid(part: Uint8Array): Uint8Array {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
  if (!bytes.includes('sheetData')) return part;
  const xml = bytes.toString('latin1');
  // Of two sizes the first counts.
  const at = xml.search(/<(?:\w+:)?(?:dimension|sheetData)\b/);
  const row = farRow(xml);
  if (at < 0 || row === undefined) return part;
  const size = Buffer.from(`<dimension ref="A1:A${row}"/>`);
  return Buffer.concat([bytes.subarray(0, at), size, bytes.subarray(at)]);
}

/** The number of a row beyond those that are read, in which a cell has a value or a text. */
function farRow(xml: string): string | undefined {
  const nextContent = /<(?:\w+:)?(row|v|is)\b/g;
  for (const row of xml.matchAll(/<(?:\w+:)?row\s[^<>]*?\br=["'](\d{5,7})["']/g)) {
    if (Number(row[1]) <= mostRows) continue;
    nextContent.lastIndex = row.index + row[0].length;
    const next = nextContent.exec(xml)?.[1];
    if (next === 'v' || next === 'is') return row[1];
  }
  return undefined;
}
