/** Which columns a table of documents has, and what stands in them. */
import type { PlainDocument } from '../model/document.ts';
import { plainJson } from './plain-json.ts';

/** A value of a cell; undefined is null. */
export type Cell = string | number | Date | undefined;

/** A column. */
export interface Column {
  readonly name: string;
  readonly type: 'STRING' | 'INT32' | 'TIMESTAMP';
  readonly cell: (document: PlainDocument) => Cell;
}

/** Every table has these, in this order; links, metadata and the rest are JSON. */
const fixed: readonly Column[] = [
  ...['url', 'sourceURL', 'title', 'description', 'language'].map(factColumn),
  { name: 'statusCode', type: 'INT32', cell: ({ metadata }) => integer(metadata.statusCode) },
  factColumn('contentType'),
  fieldColumn('markdown'),
  fieldColumn('html'),
  fieldColumn('links'),
  { name: 'depth', type: 'INT32', cell: ({ metadata }) => integer(metadata.depth) },
  factColumn('parentUrl'),
  { name: 'cachedAt', type: 'TIMESTAMP', cell: ({ metadata }) => time(metadata.cachedAt) },
  { name: 'warning', type: 'STRING', cell: ({ warning }) => warning },
  fieldColumn('metadata'),
];

/** Columns for the formats of a document beside these; what is above goes into the last column. */
const mostFormats = 64;

/**
 * The columns of a table whose first documents these are: a parquet file says at its start which it has.
 * What only a later document has stands in the last column, `more`, as JSON.
 */
export function columnsFor(documents: readonly PlainDocument[]): readonly Column[] {
  const taken = new Set([...fixed.map(({ name }) => name), 'more']);
  const formats = new Set(documents.flatMap((document) => Object.keys(document)));
  const own = [...formats].filter((name) => !taken.has(name)).slice(0, mostFormats);
  const known = new Set([...own, ...ownFields]);
  const more = (document: PlainDocument): Cell => {
    const rest = Object.entries(document).filter(([name]) => !known.has(name));
    const object = Object.fromEntries(rest);
    return rest.length === 0 ? undefined : plainJson(object, document.metadata.url);
  };
  return [...fixed, ...own.map(fieldColumn), { name: 'more', type: 'STRING', cell: more }];
}

/** Fields of a document that have a column of their name. */
const ownFields = ['markdown', 'html', 'links', 'warning', 'metadata'] as const;

/** A text of the metadata. */
function factColumn(name: string): Column {
  const cell = ({ metadata }: PlainDocument): Cell => {
    const value = metadata[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { name, type: 'STRING', cell };
}

/** A format: text as it is, everything else as JSON. */
function fieldColumn(name: string): Column {
  const cell = (document: PlainDocument): Cell => {
    const value = document[name];
    if (value === undefined || value === null || typeof value === 'string')
      return value ?? undefined;
    return plainJson(value, document.metadata.url);
  };
  return { name, type: 'STRING', cell };
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
