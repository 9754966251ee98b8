/** Documents as a table: one column a metadata field or format, and the values in them. */
import type { PlainDocument } from '../../core/model/document.ts';
import { plainJson } from './jsonl.ts';

/** A value of a cell; undefined is null. */
export type TableCell = string | number | Date | undefined;

/** A column. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'STRING' | 'INT32' | 'TIMESTAMP';
  readonly cell: (document: PlainDocument) => TableCell;
}

/** Columns of every table, in this order; links, metadata and other fields are JSON. */
export const fixedColumns: readonly TableColumn[] = [
  ...['url', 'sourceURL', 'title', 'description', 'language'].map(factColumn),
  { name: 'statusCode', type: 'INT32', cell: ({ metadata }) => integer(metadata.statusCode) },
  factColumn('contentType'),
  fieldColumn('markdown'),
  fieldColumn('html'),
  fieldColumn('links'),
  { name: 'depth', type: 'INT32', cell: ({ metadata }) => integer(metadata.depth) },
  factColumn('parentUrl'),
  factColumn('label'),
  { name: 'data', type: 'STRING', cell: ({ metadata }) => jsonCell(metadata.data, metadata.url) },
  { name: 'cachedAt', type: 'TIMESTAMP', cell: ({ metadata }) => time(metadata.cachedAt) },
  { name: 'warning', type: 'STRING', cell: ({ warning }) => warning },
  fieldColumn('metadata'),
];

const mostFormats = 64; // columns of further formats; later ones go into the last column

/**
 * The columns of a table with these first documents: a file names its columns at its start.
 * Fields that only later documents have go into the last column, `more`, as JSON.
 */
export function columnsFor(documents: readonly PlainDocument[]): readonly TableColumn[] {
  const taken = new Set([...fixedColumns.map(({ name }) => name), 'more']);
  const formats = new Set(documents.flatMap((document) => Object.keys(document)));
  const own = [...formats].filter((name) => !taken.has(name)).slice(0, mostFormats);
  const known = new Set([...own, ...ownFields]);
  const more = (document: PlainDocument): TableCell => {
    const rest = Object.entries(document).filter(([name]) => !known.has(name));
    const object = Object.fromEntries(rest);
    return rest.length === 0 ? undefined : plainJson(object, document.metadata.url);
  };
  return [...fixedColumns, ...own.map(fieldColumn), { name: 'more', type: 'STRING', cell: more }];
}

/** Fields of a document that have a column of the same name. */
const ownFields = ['markdown', 'html', 'links', 'warning', 'metadata'] as const;

/** A text of the metadata. */
function factColumn(name: string): TableColumn {
  const cell = ({ metadata }: PlainDocument): TableCell => {
    const value = metadata[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { name, type: 'STRING', cell };
}

/** A format: text as it is, everything else as JSON. */
export function fieldColumn(name: string): TableColumn {
  const cell = (document: PlainDocument): TableCell =>
    jsonCell(document[name], document.metadata.url);
  return { name, type: 'STRING', cell };
}

function jsonCell(value: unknown, url: string): TableCell {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
  return plainJson(value, url);
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31
    ? value
    : undefined;
}

function time(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Characters of a document, estimated: most of it is text. */
export function sizeOf(document: PlainDocument): number {
  let characters = 500;
  for (const value of Object.values(document)) {
    characters += typeof value === 'string' ? value.length : 0;
    if (Array.isArray(value)) characters += value.length * 100;
  }
  return characters;
}
