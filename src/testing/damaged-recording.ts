/** What may be wrong with the file of a recording, for the reader that knows its name. */

/** It holds what cannot be; the message goes on after "it". */
export class DamagedRecording extends Error {}

/** It ends in the middle of something, as that of a run that was killed may. */
export class CutRecording extends Error {}
