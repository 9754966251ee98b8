/** Runs in the page: the plain part of an object that is held there. */

/** `this` is what a collector gave. */
export function heldRecords(this: { readonly records: unknown }): unknown {
  return this.records;
}
