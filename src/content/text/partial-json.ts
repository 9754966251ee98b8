/** Reads incomplete JSON that is still being written. See docs/decisions/015-own-lenient-json.md. */
import { parseJson } from '../../core/runtime/json.ts';

const maxDepth = 200; // deeper values are left out

/**
 * Reads the beginning of a JSON text. An unfinished string is returned as far as it goes; a number or word
 * that may continue is left out. Undefined if no value has begun. Stops at the first syntax error. Linear in
 * the length of the text.
 */
export function readPartialJson(text: string): unknown {
  const start = text.search(/[{["]/);
  if (start < 0) return undefined;
  let position = start;
  return value(0).value;

  function value(depth: number): PartialValue {
    const mark = next();
    if (depth > maxDepth) return noValue;
    if (mark === '{') return object(depth);
    if (mark === '[') return list(depth);
    if (mark === '"') return string();
    return word();
  }

  function object(depth: number): PartialValue {
    const members = new Map<string, unknown>();
    const end = (isWhole: boolean): PartialValue => {
      members.delete('__proto__');
      return { value: Object.fromEntries(members), isWhole };
    };
    position += 1;
    for (;;) {
      const mark = next();
      if (mark === '}') return closed(end(true));
      if (mark === ',') {
        position += 1;
        continue;
      }
      if (mark !== '"') return end(false);
      const key = string();
      if (!key.isWhole || next() !== ':') return end(false);
      position += 1;
      const member = value(depth + 1);
      if (member.value !== undefined) members.set(String(key.value), member.value);
      if (!member.isWhole) return end(false);
    }
  }

  function list(depth: number): PartialValue {
    const items: unknown[] = [];
    position += 1;
    for (;;) {
      const mark = next();
      if (mark === ']') return closed({ value: items, isWhole: true });
      if (mark === ',') {
        position += 1;
        continue;
      }
      const item = value(depth + 1);
      if (item.value !== undefined) items.push(item.value);
      if (!item.isWhole) return { value: items, isWhole: false };
    }
  }

  function string(): PartialValue {
    const start = position;
    for (let at = start + 1; at < text.length; at += 1) {
      const mark = text[at];
      if (mark === '\\') at += 1;
      else if (mark === '"') {
        position = at + 1;
        const value = parseJson(text.slice(start, at + 1));
        return { value, isWhole: value !== undefined };
      }
    }
    position = text.length;
    // An incomplete escape is left out.
    const begun = text.slice(start).replace(/\\(?:u[\da-f]{0,3})?$/i, '');
    return { value: parseJson(`${begun}"`), isWhole: false };
  }

  function word(): PartialValue {
    const word = /[^\s,\]}[{":]*/y;
    word.lastIndex = position;
    const found = word.exec(text)?.[0] ?? '';
    position += found.length;
    if (found === '' || position >= text.length) return noValue;
    const value = parseJson(found);
    return value === undefined ? noValue : { value, isWhole: true };
  }

  function closed(read: PartialValue): PartialValue {
    position += 1;
    return read;
  }

  function next(): string | undefined {
    while (/\s/.test(text[position] ?? '')) position += 1;
    return text[position];
  }
}

/** A value as far as it was read; `isWhole` is true when it is complete. */
interface PartialValue {
  readonly value: unknown;
  readonly isWhole: boolean;
}

const noValue: PartialValue = { value: undefined, isWhole: false };
