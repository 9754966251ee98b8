/** An option that a person writes: a question, a query. */
import { preview } from '../../text/preview.ts';

const longest = 10_000;

/** Throws an `Error` that begins with the option's name. */
export function wordsOption(name: string, value: unknown): string {
  if (typeof value === 'string' && /\S/.test(value) && value.length <= longest) return value;
  throw new Error(`${name}: expected a text of 1 to ${longest} characters, got ${preview(value)}`);
}

/** Throws an `Error` that names an option that there is not. */
export function refuseUnknown(unknown: object, known: readonly string[]): void {
  const [unexpected] = Object.keys(unknown);
  if (unexpected === undefined) return;
  throw new Error(`unknown option "${unexpected}"; known: ${known.join(', ')}`);
}
