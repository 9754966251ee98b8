/** Filters of whole URLs: a part of the URL, a glob, or a RegExp; as plain data, which stores and caches can hold. */
import { z } from 'zod';
import { messageOf } from '../runtime/errors.ts';
import { backtracks, boundedTest } from './bounded-pattern.ts';

/**
 * Fits URLs that contain the text; with `*`, a glob, URLs that it fits from start to end (`*` stays within a
 * part of the path, `**` does not; without a scheme it may begin anywhere); or that the RegExp finds.
 */
export type UrlPart = string | RegExp;

/** A filter in plain data. */
export interface UrlFilter {
  /** As the caller wrote it. The names of the fields are part of cache keys and of recordings. */
  readonly shown: string;
  readonly source: string;
  readonly flags: string;
}

/** Throws an `Error` for a pattern that is empty, or that takes too long on some URLs. */
export function urlFilter(part: UrlPart): UrlFilter {
  if (typeof part === 'string') {
    if (part.trim() === '') throw new Error('expected a part of a URL, a glob or a RegExp');
    return { shown: part, source: sourceOf(part), flags: '' };
  }
  const { source } = part;
  const flags = part.flags.replace(/[gyd]/g, '');
  if (backtracks(source, flags)) {
    throw new Error(
      `the pattern ${source} takes too long on some inputs (catastrophic backtracking); write it without nested repeats`,
    );
  }
  return { shown: String(part), source, flags };
}

/** Checks a pattern of a caller. */
export const urlPartSchema: z.ZodType<UrlPart> = z
  .union([z.string().max(2000), z.instanceof(RegExp)], 'expected a string or a RegExp')
  .superRefine((part, context) => {
    try {
      urlFilter(part);
    } catch (error) {
      context.addIssue(messageOf(error));
    }
  });

/** The test of a filter; takes bounded time. */
export function urlTest({ source, flags }: UrlFilter): (url: string) => boolean {
  return boundedTest(source, flags, false);
}

function sourceOf(text: string): string {
  if (!text.includes('*')) return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return `${/^[a-z]+:/i.test(text) ? '^' : ''}${globSource(text)}$`;
}

const inRegExp: Readonly<Record<string, string>> = { '*': '[^/]*', '**': '.*', '?': '[^/]' };

/** The source of a regular expression for a glob, not anchored. */
export function globSource(glob: string): string {
  return glob.replace(
    /(\/)\*\*\/|\{([^{}]*)\}|\*\*|[*?.+^$()|[\]\\{}]/g,
    (token: string, slash?: string, list?: string) => {
      if (slash !== undefined) return '/(?:.*/)?';
      if (list !== undefined) return `(?:${list.split(',').map(globSource).join('|')})`;
      return inRegExp[token] ?? `\\${token}`;
    },
  );
}
