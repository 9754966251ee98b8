/** Files of comma-separated values as a table. */
import { escapeText } from '../../../html/escape.ts';
import type { FileContent, ReadFile } from '../../file-parser.ts';
import { readSource } from '../../read-source.ts';
import { HtmlBudget } from '../writing/html-budget.ts';
import { readCsv, separatorOf } from './csv-rows.ts';
import { cellLimit, cutWarning, isNumber, mostRows } from './sheet-limits.ts';
import { type TableCell, writeTable } from '../writing/table-writer.ts';

/** The first row is the head of the table. */
export const readCsvFile: ReadFile = async (snapshot, context): Promise<FileContent> => {
  const { source, warnings } = await readSource(snapshot, context, 'text');
  const separator = separatorOf(source, context.mediaType);
  const text = source.replace(/^sep=[^\r\n]\r?\n/i, '');
  const cells = cellLimit(context.limits);
  const { rows, isCut } = readCsv(text, separator, mostRows, cells);
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const numeric = numericColumns(rows, width);
  const table = rows.map((row, index) =>
    row.map((value, column): TableCell => {
      const html = escapeText(value.trim()).replace(/\r\n?|\n/g, '<br>');
      return { html, align: index > 0 && numeric.has(column) ? 'right' : undefined };
    }),
  );
  return {
    html: writeTable(table, 1, new HtmlBudget(context.limits.text * 2)),
    warnings: isCut ? [...warnings, cutWarning('The file', rows.length, cells)] : warnings,
  };
};

/** Columns that hold nothing but numbers below their name. */
function numericColumns(rows: readonly (readonly string[])[], width: number): ReadonlySet<number> {
  const numeric = new Set<number>();
  const body = rows.slice(1, 1001);
  for (let column = 0; column < Math.min(width, 1000); column += 1) {
    const values = body.map((row) => row[column]?.trim() ?? '').filter((value) => value !== '');
    if (values.length > 0 && values.every(isNumber)) numeric.add(column);
  }
  return numeric;
}
