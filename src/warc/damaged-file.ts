/** What may be wrong with a file, for the reader that knows its name. */

/** It holds what cannot be; the message goes on after "it". */
export class DamagedFile extends Error {}

/** It ends in the middle of something, as one may whose writer was killed. */
export class CutFile extends DamagedFile {}
