/** The positions of a block's text that are escaped. */
import { BareLinks } from './bare-links.ts';
import type { Piece } from './piece.ts';

/** Collects positions, then puts a backslash before each, or a reference where a backslash does nothing. */
export class EscapeMarks {
  /** Most blocks have none. */
  #byPiece: Map<number, number[]> | undefined;

  add(piece: number, offset: number, length = 1): void {
    this.#byPiece ??= new Map();
    let offsets = this.#byPiece.get(piece);
    if (offsets === undefined) this.#byPiece.set(piece, (offsets = []));
    for (let at = 0; at < length; at++) offsets.push(offset + at);
  }

  hasStart(piece: number): boolean {
    return this.#byPiece?.get(piece)?.includes(0) ?? false;
  }

  /** `followsLink`: a bare link may stand right before the pieces. */
  apply(pieces: Piece[], followsLink: boolean): void {
    const links = new BareLinks(pieces);
    for (const [index, offsets] of this.#byPiece ?? []) {
      const piece = pieces[index];
      if (piece === undefined) continue;
      let text = '';
      let from = 0;
      for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
        text += piece.text.slice(from, offset);
        from = offset;
        if (piece.text[offset] !== '<' || !(followsLink || links.reach(index, offset))) {
          text += '\\';
          continue;
        }
        text += '&lt;';
        from += 1;
      }
      piece.text = text + piece.text.slice(from);
    }
  }
}
