/** Reads the items of a list until one gives a value. */

/** The first value that `read` gives; undefined without one. */
export function firstDefined<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Value | undefined,
): Value | undefined {
  for (const item of items) {
    const value = read(item);
    if (value !== undefined) return value;
  }
  return undefined;
}
