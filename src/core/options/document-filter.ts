/** The filter of documents: by label, status, path, and the time of the fetch. */
import { z } from 'zod';
import type { PlainDocument } from '../model/document.ts';
import { check, wrongOption } from '../checks/check.ts';
import { type Input, list, option, schemaOf } from '../checks/option.ts';
import { urlOf } from '../url/normalize-url.ts';
import { compilePatterns, patternSchema } from './job-options.ts';

const aCode = 'a status code such as 200, "4xx" or "500-503"';
const codesSchema: z.ZodType<{ low: number; high: number }, number | string> = z
  .union([
    z.int().min(100).max(599),
    z.string().regex(/^[1-5](?:xx|\d\d(?:-[1-5]\d\d)?)$/, `expected ${aCode}`),
  ])
  .transform((codes) => {
    const [first = '', last = first] = String(codes).split('-');
    return { low: Number(first.replace('xx', '00')), high: Number(last.replace('xx', '99')) };
  })
  .refine(({ low, high }) => low <= high, `expected ${aCode}, low to high`);

function oneOrMore<Out, In>(
  schema: z.ZodType<Out, In>,
  expected: string,
): z.ZodType<Out | readonly Out[], In | readonly In[]> {
  return z.union([schema, list(schema, 1000)], `expected ${expected}, or a list of them`);
}

/** Milliseconds since 1970. */
const timeSchema: z.ZodType<number, Date | string> = z
  .union(
    [
      z.date(),
      z.iso.date(),
      z.iso.datetime({ offset: true, local: true }),
      // Without seconds.
      z.iso.datetime({ offset: true, precision: -1 }),
    ],
    'expected a Date, or a time such as 2026-11-30 or 2026-11-30T08:00Z',
  )
  .transform((time) => {
    if (typeof time !== 'string') return time.getTime();
    const isLocal = /T[\d:.]+$/.test(time);
    return Date.parse(isLocal ? `${time}Z` : time);
  });

/** The rows of the filter. */
export const documentFilterRows = {
  /** Pages with one of these labels, which `routes` of a crawl give. @default any, and none */
  label: option(oneOrMore(z.string().min(1, 'expected a label'), 'a label'), {
    cli: '<name,…> only pages with one of these labels',
  }),
  /** Pages with one of these status codes: a number, a class such as `'4xx'`, or a range such as `'500-503'`. @default any */
  status: option(oneOrMore(codesSchema, aCode), {
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
  fetchedAt?: (document: PlainDocument) => number,
): DocumentTest {
  const { label, status, path, since, until } = check(subject, schema, filter ?? {});
  const [from = -Infinity, to = Infinity] = [since, until];
  const readsTimes = since !== undefined || until !== undefined;
  if (readsTimes && fetchedAt === undefined) {
    const name = since === undefined ? 'until' : 'since';
    const problem = 'only a job has the times of its pages, not a file or a folder';
    throw wrongOption(subject, [name], problem);
  }
  if (from >= to) throw wrongOption(subject, ['since'], 'is not before until, so no page fits');
  const labels = label === undefined ? undefined : new Set<unknown>([label].flat());
  const ranges = status === undefined ? undefined : [status].flat();
  const patterns = compilePatterns(subject, ['path'], path, false);
  return {
    readsTimes,
    fits: (document) => {
      const { metadata } = document;
      const { statusCode } = metadata;
      if (labels?.has(metadata.label) === false) return false;
      if (ranges?.some(({ low, high }) => statusCode >= low && statusCode <= high) === false) {
        return false;
      }
      if (path !== undefined) {
        const url = urlOf(metadata.url);
        if (!url || !patterns.some((pattern) => pattern.matches(url))) return false;
      }
      if (!readsTimes) return true;
      const at = fetchedAt?.(document) ?? NaN;
      return at >= from && at < to;
    },
  };
}

/** The documents that fit. */
export async function* fitting<Document>(
  documents: AsyncIterable<Document> | Iterable<Document>,
  { fits }: DocumentTest,
): AsyncGenerator<Document, void, undefined> {
  for await (const document of documents) if (fits(document as PlainDocument)) yield document;
}
