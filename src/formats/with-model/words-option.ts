/** An option that a person writes: a question, a query. */
import { preview } from '../../text/preview.ts';

const longest = 10_000;

/** Throws an `Error` that begins with the option's name. */
export function wordsOption(name: string, value: unknown): string {
  if (typeof value === 'string' && /\S/.test(value) && value.length <= longest) return value;
  throw new Error(`${name}: expected a text of 1 to ${longest} characters, got ${preview(value)}`);
}
