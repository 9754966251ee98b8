/** Names that a page gives to its data. */

/** False for the one name that changes an object instead of adding to it, when it is copied. */
export function isSafeKey(name: string): boolean {
  return name !== '__proto__';
}
