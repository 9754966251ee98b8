/** The target of `scrape()` and `parse()`: a URL, or content that the caller already holds. */
import { z } from 'zod';
import type { ScrapeRequest } from '../model/request.ts';
import { check } from '../checks/check.ts';
import { readBy } from '../checks/option.ts';
import { preview } from '../checks/option-errors.ts';
import { messageOf } from '../runtime/errors.ts';
import { canParseUrl, normalizeUrl, parseUrl } from '../url/normalize-url.ts';

/** HTML that the caller already holds; `url` is the base of its links. */
export interface HtmlInput {
  readonly html: string;
  /** @default 'about:blank' */
  readonly url?: string | undefined;
}

/** Describes the bytes given to `parse()`. */
export interface ContentDescription {
  /** A Content-Type header: `text/html; charset=windows-1251`. @default detected from the bytes */
  readonly contentType?: string | undefined;
  /** The base of relative links; of a file its `file:` URL. @default 'about:blank' */
  readonly url?: string | undefined;
}

/** A checked target. */
export interface ScrapeTarget extends Pick<ScrapeRequest<never>, 'sourceUrl' | 'url' | 'content'> {
  /**
   * Basic authorization from the user name and password in the URL, which are kept nowhere else.
   */
  readonly authorization?: string;
  /** The caller's data that goes with the page. */
  readonly data?: unknown;
}

/** A URL of a job, alone or with data of the caller's: any JSON, which its documents and hooks get. */
export type JobUrl = string | URL | { readonly url: string | URL; readonly data?: unknown };

/** A checked URL of a job: its data is a copy, as JSON has it. */
export interface JobEntry {
  readonly url: string;
  readonly data?: unknown;
}

const mostData = 10_000; // characters: each document and each failure of a crawl repeats it

const dataSchema = readBy((data) => JSON.parse(jsonOf(data)) as unknown).optional();

/** The check of a URL of a job. */
export const jobUrlSchema: z.ZodType<JobEntry, JobUrl> = z.preprocess(
  (given) => (typeof given === 'string' || given instanceof URL ? { url: given } : given),
  z.strictObject(
    {
      url: z.union([z.string(), z.instanceof(URL)], 'expected a URL').transform(String),
      data: dataSchema,
    },
    'expected a URL or { url, data }',
  ),
) as z.ZodType as z.ZodType<JobEntry, JobUrl>;

function jsonOf(data: unknown): string {
  let text: unknown;
  try {
    text = JSON.stringify(data);
  } catch (error) {
    throw new TypeError(`JSON cannot hold it: ${messageOf(error)}`);
  }
  if (typeof text !== 'string') {
    throw new TypeError(`expected a value that JSON can hold, got ${preview(data)}`);
  }
  if (text.length <= mostData) return text;
  throw new RangeError(
    `it has ${text.length} characters as JSON, and may have ${mostData}: give an id, and look up the rest`,
  );
}

const urlSchema = z.string('expected a URL or { html, url }');

const htmlInputSchema = z.strictObject({ html: z.string(), url: z.string().optional() });

/** Checks the first argument of `scrape()`. */
export function parseScrapeTarget(input: unknown, subject = 'scrape'): ScrapeTarget {
  if (input instanceof URL) return urlTarget(input.href);
  if (typeof input === 'object' && input !== null && 'html' in input) {
    const { html, url } = check(subject, htmlInputSchema, input);
    return givenContent(new TextEncoder().encode(html), 'text/html; charset=utf-8', url);
  }
  return urlTarget(check(subject, urlSchema, input));
}

/**
 * Checks the arguments of `parse()`: the target, and the scrape options besides its description.
 */
export function parseContent(
  bytes: unknown,
  options: unknown,
): { target: ScrapeTarget; rest: Record<string, unknown> } {
  const body = check('parse', contentSchema, bytes);
  const { contentType: type = '', url, ...rest } = check('parse', descriptionSchema, options ?? {});
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  // A string is already decoded, whatever charset its Content-Type names.
  const contentType = typeof body === 'string' ? withUtf8(type) : type;
  // A file that the caller has read: its links are no pages, and nothing is fetched.
  const isFile = url !== undefined && /^file:\/\//i.test(url) && canParseUrl(url);
  const target = isFile
    ? { sourceUrl: url, url: new URL(url).href, content: { body: content, contentType } }
    : givenContent(content, contentType, url);
  return { target, rest };
}

const contentSchema = z.union([z.instanceof(Uint8Array), z.instanceof(ArrayBuffer), z.string()]);

const descriptionSchema = z.looseObject({
  contentType: z.string().optional(),
  url: z.string().optional(),
} satisfies Record<keyof ContentDescription, z.ZodType>);

function urlTarget(sourceUrl: string): ScrapeTarget {
  const url = parseUrl(sourceUrl);
  const { username, password } = url;
  const target = { sourceUrl, url: normalizeUrl(url, {}) };
  if (username === '' && password === '') return target;
  url.username = '';
  url.password = '';
  return {
    ...target,
    sourceUrl: url.href,
    authorization: basicAuthorization(username, password),
  };
}

/** RFC 7617. URLs contain both percent-encoded. */
function basicAuthorization(username: string, password: string): string {
  const [user, secret] = [username, password].map(unescapeBytes);
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
}

function unescapeBytes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function givenContent(
  body: Uint8Array,
  contentType: string,
  url: string | undefined,
): ScrapeTarget {
  const content = { body, contentType };
  return url === undefined
    ? { sourceUrl: 'about:blank', url: 'about:blank', content }
    : { ...urlTarget(url), content };
}

function withUtf8(contentType: string): string {
  const [mediaType = ''] = contentType.split(';');
  return `${mediaType.trim() || 'application/octet-stream'}; charset=utf-8`;
}
