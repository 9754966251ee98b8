/** The limit of what an upload gives to a page. */

/** Bytes of the files of one action at most. */
export const mostUploadBytes = 20_000_000;
