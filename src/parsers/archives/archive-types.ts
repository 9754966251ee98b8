/** Which archives can be read: asked before the code that reads them is loaded. */

/** Media types of archives that can be read. */
export const archiveTypes: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-tar',
  'application/gzip',
]);
