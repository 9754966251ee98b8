/** Two values of one schema: which of their properties differ, by path. */
import type { ValueChange } from './index.ts';

/** Differences listed; a page decides how long its lists are. */
const mostChanges = 10_000;

/**
 * Objects are compared property by property, lists of one length item by item, others as a whole. What
 * is not there is null, as what was not found is; the values are plain data.
 */
export function compareValues(previous: unknown, current: unknown): Record<string, ValueChange> {
  const changes: [string, ValueChange][] = [];
  const waiting: [path: string, previous: unknown, current: unknown][] = [['', previous, current]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (changes.length >= mostChanges) break;
    const [path, before = null, after = null] = next;
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      for (let index = before.length - 1; index >= 0; index -= 1) {
        waiting.push([`${path}[${index}]`, before[index], after[index]]);
      }
    } else if (isRecord(before) && isRecord(after)) {
      const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      for (const name of names.reverse()) {
        waiting.push([join(path, name), own(before, name), own(after, name)]);
      }
    } else if (stable(before) !== stable(after)) {
      changes.push([path, { previous: before, current: after }]);
    }
  }
  return Object.fromEntries(changes);
}

/** The same text for equal values, whatever the order of their properties. */
export function stable(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(
          Object.keys(part)
            .filter((name) => (part[name] ?? null) !== null)
            .sort()
            .map((name) => [name, part[name]]),
        )
      : part,
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** `offers[0].price`; a name that could be taken for a path is in quotes: `["a.b"]`. */
function join(path: string, name: string): string {
  if (/[.[\]"]/.test(name) || name === '') return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
