/** The positions of a block's text that get a backslash. */
import type { Piece } from './piece.ts';

/** Collects positions, then puts the backslashes in. */
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

  apply(pieces: Piece[]): void {
    for (const [index, offsets] of this.#byPiece ?? []) {
      const piece = pieces[index];
      if (piece === undefined) continue;
      let text = '';
      let from = 0;
      for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
        text += `${piece.text.slice(from, offset)}\\`;
        from = offset;
      }
      piece.text = text + piece.text.slice(from);
    }
  }
}
