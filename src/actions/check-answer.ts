/** Whether what came out of a page has the shape that was asked for. */

/**
 * Gives `value` when it is built as `sample`: an array's only element stands for all of its own,
 * numbers are finite, `null` in a sample of one object may stand for it in the answer.
 */
export function checkAnswer<T>(value: unknown, sample: T, name: string): T {
  const problem = mismatch(value, sample, name);
  if (problem !== undefined) throw new Error(`The page gave something else than asked: ${problem}`);
  return value as T;
}

function mismatch(value: unknown, sample: unknown, path: string): string | undefined {
  if (Array.isArray(sample)) {
    if (!Array.isArray(value)) return path;
    if (sample.length === 0) return undefined;
    if (sample.length > 1) return firstOf(sample, (part, at) => mismatch(value[at], part, path));
    return firstOf(value, (part, at) => mismatch(part, sample[0], `${path}[${at}]`));
  }
  if (typeof sample === 'object' && sample !== null) {
    if (typeof value !== 'object' || value === null) return path;
    return firstOf(Object.entries(sample), ([name, part]) =>
      mismatch(Reflect.get(value, name), part, `${path}.${name}`),
    );
  }
  const isFit = typeof value === typeof sample && (typeof value !== 'number' || isFinite(value));
  return isFit ? undefined : path;
}

function firstOf<T>(
  items: readonly T[],
  find: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
