/** The data of a report: one row for each URL of a job, in columns, with texts that are safe to show. */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { JobInput, JobUsage } from '../../../core/model/job.ts';
import { isCredentialName } from '../../../core/http/network/credentials.ts';

/** The data that the page of a report shows. */
export interface ReportData {
  /** The version of the library. */
  readonly version: string;
  /** ISO 8601, as the other times. */
  readonly writtenAt: string;
  readonly title: string;
  readonly job: ReportedFacts;
  /** The number of skipped URLs by reason, also of URLs without a row. */
  readonly skippedByReason: Readonly<Record<string, number>>;
  /** URLs without a row, because of the limit or because their documents are gone. */
  readonly unlisted: { readonly pages: number; readonly failed: number; readonly skipped: number };
  /** Screenshots left out: too large, too many, or of an unknown kind. */
  readonly screenshotsLeftOut: number;
  /** Row and `data:` URI of each thumbnail. */
  readonly screenshots: readonly (readonly [row: number, image: string])[];
  /** Texts that the columns refer to by their index. */
  readonly texts: readonly string[];
  readonly rows: ReportColumns;
}

/** The facts of the job. */
export interface ReportedFacts {
  readonly id: string;
  readonly verb: JobInput['verb'] | 'extract' | 'job';
  readonly url?: string | undefined;
  readonly options: JobInput['options'];
  readonly status: string;
  readonly createdAt: string;
  readonly completedAt?: string | undefined;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly pending: number;
  readonly creditsUsed: number;
  readonly usage: JobUsage;
  readonly warning?: string | undefined;
  /** The error of a job that could not continue. */
  readonly error?: string | undefined;
}

/** The state of a URL: its index. */
export const rowStates = ['page', 'failed', 'skipped'] as const;

/** Facts of one URL; -1 and an empty text stand for unknown. */
export interface ReportRow {
  readonly state: (typeof rowStates)[number];
  readonly url: string;
  readonly parent?: string | undefined;
  /** The final URL, where it differs. */
  readonly finalUrl?: string | undefined;
  readonly title?: string | undefined;
  readonly statusCode?: number | undefined;
  /** The reason of a skip, or the code of an error. */
  readonly code?: string | undefined;
  /** The rule of a skip, the message of an error, the warning of a page. */
  readonly note?: string | undefined;
  readonly engine?: string | undefined;
  readonly foundBy?: string | undefined;
  readonly depth?: number | undefined;
  readonly bytes?: number | undefined;
  readonly durationMs?: number | undefined;
  /** Milliseconds since 1970: when it was fetched. */
  readonly at?: number | undefined;
  readonly credits?: number | undefined;
  readonly cache?: string | undefined;
  /** With `keepFailures`: the path or the key of the HTML of a failed page. */
  readonly keptHtml?: string | undefined;
  /** Likewise, of its picture. */
  readonly keptScreenshot?: string | undefined;
}

/** A column for each fact of a row: indexes of texts, or numbers. */
export type ReportColumns = { readonly [Name in keyof ReportRow]-?: number[] };

/** Characters of a displayed text at most. */
const longest = { url: 2000, title: 300, note: 1000 };

/** Collects rows; about 100 bytes and the texts of each. */
export class ReportRows {
  readonly columns: ReportColumns = {
    state: [],
    url: [],
    parent: [],
    finalUrl: [],
    title: [],
    statusCode: [],
    code: [],
    note: [],
    engine: [],
    foundBy: [],
    depth: [],
    bytes: [],
    durationMs: [],
    at: [],
    credits: [],
    cache: [],
    keptHtml: [],
    keptScreenshot: [],
  };
  readonly texts: string[] = [];
  readonly #indices = new Map<string, number>();

  /** Adds a row; returns its index. */
  add(row: ReportRow): number {
    const { columns } = this;
    const text = (value: string | undefined, length: number): number =>
      value === undefined || value === '' ? -1 : this.#indexOf(displayText(value, length));
    for (const name of ['url', 'parent', 'finalUrl', 'keptHtml', 'keptScreenshot'] as const) {
      columns[name].push(text(row[name], longest.url));
    }
    columns.title.push(text(row.title, longest.title));
    columns.note.push(text(row.note, longest.note));
    for (const name of ['code', 'engine', 'foundBy', 'cache'] as const) {
      columns[name].push(text(row[name], longest.title));
    }
    for (const name of ['statusCode', 'depth', 'bytes', 'durationMs', 'at', 'credits'] as const) {
      columns[name].push(row[name] ?? -1);
    }
    return columns.state.push(rowStates.indexOf(row.state)) - 1;
  }

  /** Sets the time and size of a row. */
  time(row: number, facts: { at: number; durationMs: number; bytes: number }): void {
    for (const name of ['at', 'durationMs', 'bytes'] as const) {
      this.columns[name][row] = facts[name];
    }
  }

  isFailure(row: number): boolean {
    return this.columns.state[row] === rowStates.indexOf('failed');
  }

  #indexOf(text: string): number {
    const known = this.#indices.get(text);
    if (known !== undefined) return known;
    this.#indices.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

/** Control characters, also characters that change the direction of text. */
const controls = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/gu;

/**
 * The text as displayed: on one line, cut, without control characters, passwords in URLs, and values of
 * parameters that are credentials.
 */
export function displayText(text: string, length: number): string {
  // Copied: a slice would retain the whole text in memory.
  const start = Buffer.from(text.slice(0, length + 1), 'utf16le').toString('utf16le');
  const cut = start.length > length ? `${start.slice(0, length - 1)}…` : start;
  return withoutSecrets(cut.replace(controls, ' ').trim());
}

/** Without user names and passwords of URLs, and values of parameters that are credentials. */
function withoutSecrets(text: string): string {
  return text
    .replace(/(\b[a-z][a-z\d+.-]*:[/\\]{1,9})[^\s/\\?#]*@/gi, '$1')
    .replace(
      /([?&#;]([^=&#;\s?]{1,100})=)[^&#\s"'<>]+/g,
      (pair: string, head: string, name: string) => (isCredentialName(name) ? `${head}***` : pair),
    );
}

/** Options, cleaned likewise at any depth. */
export function displayOptions(value: unknown): unknown {
  if (typeof value === 'string') return displayText(value, longest.note);
  if (Array.isArray(value)) return value.slice(0, mostEntries).map(displayOptions);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, mostEntries);
  return Object.fromEntries(entries.map(([name, one]) => [name, displayOptions(one)]));
}

/** Entries of one list or object of the options. */
const mostEntries = 200;

const deflate = promisify(deflateRaw);

/** The data as text that has letters, digits and `+/=` only: safe inside of HTML. */
export async function packReport(data: ReportData): Promise<string> {
  const packed = await deflate(Buffer.from(JSON.stringify(data)), { level: 6 });
  return packed.toString('base64');
}
