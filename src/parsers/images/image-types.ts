/** Which images can be read: asked before the code that reads them is loaded. Drawings are XML. */

/** Media types whose heads are read. */
export const imageTypes: ReadonlySet<string> = new Set(
  ['png', 'jpeg', 'gif', 'webp', 'avif', 'heic', 'tiff', 'bmp', 'x-icon'].map(
    (kind) => `image/${kind}`,
  ),
);
