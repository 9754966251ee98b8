/** A page that is too much: it is left out, and the others are read. */

/** Says why, in words that go on after "page 3 was left out:". */
export class PageLimit extends Error {}
