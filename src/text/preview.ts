/** A value as a message shows it. */
import { inspect } from 'node:util';

/** On one line, of 60 characters at most. */
export function preview(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 1, breakLength: Infinity });
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
