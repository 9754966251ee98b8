/** The filter of documents: by label, status, path, and the time of the fetch. */
import { z } from 'zod';
import { ValidationError } from '../runtime/errors.ts';
import type { PlainDocument } from '../model/document.ts';
import { check } from '../checks/check.ts';
import { type Input, list, option, schemaOf } from '../checks/option.ts';
import { urlOf } from '../url/normalize-url.ts';
import { compilePatterns, patternSchema } from './job-options.ts';

const code = z.int().min(100).max(599);
const aCode = 'a status code such as 200, "4xx" or "500-503"';
const codes = z
  .string()
  .regex(/^[1-5](?:xx|\d\d(?:-[1-5]\d\d)?)$/, `expected ${aCode}`)
  .refine((text) => !(rangeOf(text)[0] > rangeOf(text)[1]), `expected ${aCode}, low to high`);
const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

function oneOrMore<Out, In>(
  schema: z.ZodType<Out, In>,
  expected: string,
): z.ZodType<Out | readonly Out[], In | readonly In[]> {
  return z.union([schema, list(schema, 1000)], `expected ${expected}, or a list of them`);
}

const aTime = 'expected a Date, or a time such as 2026-11-30 or 2026-11-30T08:00Z';
const timeSchema: z.ZodType<Date | string, Date | string> = z.union(
  [z.date(), z.string().refine((text) => !Number.isNaN(timeOf(text)), aTime)],
  aTime,
);

/** The rows of the filter. */
export const documentFilterRows = {
  /** Pages with one of these labels, which `routes` of a crawl give. @default any, and none */
  label: option(oneOrMore(z.string().min(1, 'expected a label'), 'a label'), {
    cli: '<name,…> only pages with one of these labels',
  }),
  /** Pages with one of these status codes: a number, a class such as `'4xx'`, or a range such as `'500-503'`. @default any */
  status: option(oneOrMore(z.union([code, codes]), aCode), {
    cli: '<code,…> only pages with one of these status codes: 200, 4xx, 500-503',
  }),
  /** Pages of which the path of `metadata.url` matches one of these, which are as in `includePaths`. @default any */
  path: option(oneOrMore(patternSchema, 'a regular expression or a function'), {
    cli: '<regex> only pages with a matching path; repeatable',
  }),
  /** Pages that were fetched at that time or later: a Date or ISO 8601, in UTC unless it says otherwise. @default any */
  since: option(timeSchema, {
    cli: '<date> of a job: only pages fetched at this time or later, such as 2026-11-30',
  }),
  /** Pages that were fetched before that time. @default any */
  until: option(timeSchema, { cli: '<date> of a job: only pages fetched before this time' }),
};

/** What documents have to be like. All that is given has to fit. */
export interface DocumentFilter extends Input<typeof documentFilterRows> {}

/** A checked filter. */
export interface DocumentTest {
  /** True if it depends on the time of the fetch. */
  readonly readsTimes: boolean;
  readonly fits: (document: PlainDocument) => boolean;
}

const schema = schemaOf(documentFilterRows);

/**
 * Checks a filter. `fetchedAt` gives the time of a document, in milliseconds since 1970; without it, times are
 * `BAD_REQUEST`, because a file of documents does not have them.
 */
export function documentTest(
  subject: string,
  filter: unknown,
  fetchedAt?: (document: PlainDocument) => number | undefined,
): DocumentTest {
  const { label, status, path, since, until } = check(subject, schema, filter ?? {});
  const from = since === undefined ? undefined : timeOf(since);
  const to = until === undefined ? undefined : timeOf(until);
  const wrongTime = (message: string): ValidationError => {
    const name = since === undefined ? 'until' : 'since';
    return new ValidationError(subject, [{ path: [name], message: `${name}: ${message}` }]);
  };
  const readsTimes = from !== undefined || to !== undefined;
  if (readsTimes && fetchedAt === undefined) {
    throw wrongTime('only a job has the times of its pages, not a file or a folder');
  }
  if (from !== undefined && to !== undefined && from >= to) {
    throw wrongTime('is not before until, so no page fits');
  }
  const labels = label === undefined ? undefined : new Set<unknown>([label].flat());
  const ranges = status === undefined ? undefined : [status].flat().map(rangeOf);
  const patterns = compilePatterns(subject, ['path'], path, false);
  return {
    readsTimes,
    fits: (document) => {
      const { metadata } = document;
      const { statusCode } = metadata;
      if (labels?.has(metadata.label) === false) return false;
      if (ranges?.some(([low, high]) => statusCode >= low && statusCode <= high) === false) {
        return false;
      }
      if (path !== undefined) {
        const url = urlOf(metadata.url);
        if (!url || !patterns.some((pattern) => pattern.matches(url))) return false;
      }
      if (!readsTimes) return true;
      const at = fetchedAt?.(document);
      return at !== undefined && at >= (from ?? -Infinity) && at < (to ?? Infinity);
    },
  };
}

/** NaN for what is no time. */
function timeOf(time: Date | string): number {
  if (typeof time !== 'string') return time.getTime();
  const [whole, zone] = isoTime.exec(time) ?? [];
  if (whole === undefined) return NaN;
  return Date.parse(whole.includes('T') && zone === undefined ? `${whole}Z` : whole);
}

function rangeOf(status: number | string): readonly [low: number, high: number] {
  const text = String(status);
  if (text.endsWith('xx')) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99];
  const [low, high = low] = text.split('-').map(Number);
  return [low ?? NaN, high ?? NaN];
}
