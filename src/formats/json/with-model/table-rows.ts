/** The rows of a table in markdown, to be parted with its header above each part. */

/** A table: its header, and its rows. */
export interface TableRows {
  readonly head: string;
  /** Each with its line end. Joined behind `head` they are the text that was read. */
  readonly rows: readonly string[];
}

/** Reads a pipe table or an HTML table; undefined for what has less than two rows. */
export function tableRows(text: string): TableRows | undefined {
  const found = /^\s*(?:>\s*)*</.test(text) ? htmlRows(text) : pipeRows(text);
  return found !== undefined && found.rows.length > 1 ? found : undefined;
}

function pipeRows(text: string): TableRows | undefined {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const rule = lines.findIndex((line) => /^[\s>|:-]+$/.test(line) && /-/.test(line));
  if (rule < 1) return undefined;
  const rows = lines.slice(rule + 1);
  const last = rows.findLastIndex((line) => /\S/.test(line));
  return {
    head: lines.slice(0, rule + 1).join(''),
    rows: [...rows.slice(0, Math.max(0, last)), rows.slice(Math.max(0, last)).join('')],
  };
}

/** The first row is the header. */
function htmlRows(text: string): TableRows | undefined {
  const ends = [...text.matchAll(/<\/tr>\s{0,100}(?:<\/t(?:head|body)>\s{0,100})?/gi)].map(
    ({ index, 0: mark }) => index + mark.length,
  );
  const pieces = ends.map((end, at) => text.slice(at === 0 ? 0 : ends[at - 1], end));
  const [first, ...rest] = pieces;
  if (first === undefined || rest.length === 0) return undefined;
  const last = rest.pop() ?? '';
  return { head: first, rows: [...rest, last + text.slice(ends.at(-1))] };
}
