/** Runs in the page: one of the elements of an object that is held there. */

/** `this` is what a collector gave. */
export function heldElement(
  this: { readonly elements: readonly Element[] },
  index: number,
): object {
  const element = this.elements[index];
  if (element === undefined) throw new Error(`no element ${index}`);
  return element;
}
