/** What the head of an image file says. */

/** Facts of an image. Texts are plain. */
export interface Picture {
  /** Pixels, as shown: a turned photograph has them changed round. */
  readonly width: number;
  readonly height: number;
  /** Of an animation; at most 1 of a picture that does not move. */
  readonly frames?: number;
  readonly notes: PictureNotes;
}

/** What somebody wrote into the file. */
export interface PictureNotes {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly author?: string | undefined;
  readonly copyright?: string | undefined;
  readonly keywords?: string | undefined;
  /** When it was taken, as written. */
  readonly taken?: string | undefined;
  readonly camera?: string | undefined;
}

/** Characters of a note that are kept. */
const longest = 5_000;

/** The first of several that says something counts, field by field. */
export function mergeNotes(...all: readonly (PictureNotes | undefined)[]): PictureNotes {
  const merged: Record<string, string> = {};
  for (const notes of all) {
    for (const [name, value] of Object.entries(
      (notes ?? {}) as Record<string, string | undefined>,
    )) {
      const text = value
        ?.replace(/[\0-\x08\x0b-\x1f]/g, ' ')
        .trim()
        .slice(0, longest);
      if (text) merged[name] ??= text;
    }
  }
  return merged;
}

/** UTF-8 where it is, else Latin-1: formats that say ASCII hold both. */
export function looseText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = Buffer.from(end < 0 ? bytes : bytes.subarray(0, end));
  const utf8 = text.toString('utf8');
  return utf8.includes('\ufffd') ? text.toString('latin1') : utf8;
}
