/** Times as callers write them: milliseconds, or a number with its unit. */
import { z } from 'zod';
import { preview } from './option-errors.ts';

/** A time: milliseconds, or a number with its unit: `'500ms'`, `'30s'`, `'15m'`, `'6h'`, `'1d'`, `'1w'`. */
export type Duration = number | `${number}${keyof typeof units}`;

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const longest = 2 ** 31 - 1; // the longest time of a timer of Node

/** Milliseconds of a number with its unit; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|h|d|w)$/.exec(text.trim()) ?? [];
  return unit === undefined
    ? undefined
    : Math.round(Number(number) * units[unit as keyof typeof units]);
}

/** Milliseconds of a time that was checked. */
export function milliseconds(time: Duration): number {
  return typeof time === 'number' ? time : (parseDuration(time) ?? NaN);
}

/** A time between two bounds, in milliseconds. */
export function durationSchema(least: number, most: number = longest): z.ZodType<number, Duration> {
  return read(1, z.int().min(least).max(most));
}

/** Seconds, 0 to `most`, or a number with its unit. */
export function secondsSchema(most: number): z.ZodType<number, Duration> {
  const tooLong = ({ input }: { readonly input?: unknown }): string =>
    `expected seconds, at most ${most}; for milliseconds write '${String(input)}ms'`;
  return read(1000, z.number().min(0).max(most, { error: tooLong }));
}

/** Text becomes a number of units of so many milliseconds. */
function read(unit: number, schema: z.ZodType<number>): z.ZodType<number, Duration> {
  const time = z.preprocess((given, context) => {
    if (typeof given !== 'string') return given;
    const time = parseDuration(given);
    if (time !== undefined) return time / unit;
    const message = `expected a number, or a time such as '500ms', '30s' or '15m', got ${preview(given)}`;
    context.addIssue({ code: 'custom', message, input: given });
    return z.NEVER;
  }, schema);
  return time as z.ZodType<number, Duration>;
}
