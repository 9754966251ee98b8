/** Tokenizes an RTF file (Rich Text Format 1.9.1): groups, control words, text. */

/** Receives the tokens of a file in order. */
export interface RtfListener {
  open(): void;
  close(): void;
  /** A control word, with its number where it has one. */
  word(name: string, number: number | undefined): void;
  /** A control symbol: the character after a backslash. */
  symbol(character: string): void;
  /** Bytes of text, in the code page of the font. */
  bytes(bytes: Uint8Array): void;
}

const backslash = 0x5c;
const open = 0x7b;
const close = 0x7d;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Reads a file from start to end; accepts any input. */
export function readRtfTokens(file: Buffer, listener: RtfListener): void {
  let at = 0;
  while (at < file.length) {
    const byte = file[at] ?? 0;
    if (byte === open) listener.open();
    else if (byte === close) listener.close();
    else if (byte === backslash) {
      at = readControl(file, at + 1, listener);
      continue;
    } else if (byte !== lineFeed && byte !== carriageReturn) {
      const start = at;
      while (at < file.length && !isSpecial(file[at] ?? 0)) at += 1;
      listener.bytes(file.subarray(start, at));
      continue;
    }
    at += 1;
  }
}

function isSpecial(byte: number): boolean {
  return (
    byte === backslash ||
    byte === open ||
    byte === close ||
    byte === lineFeed ||
    byte === carriageReturn
  );
}

/** Returns the position after the control word. */
function readControl(file: Buffer, start: number, listener: RtfListener): number {
  let at = start;
  while (at < file.length && at - start < 40 && isLetter(file[at] ?? 0)) at += 1;
  if (at === start) return readSymbol(file, start, listener);
  const name = file.toString('latin1', start, at);
  const digits = /^-?\d{1,10}/.exec(file.toString('latin1', at, at + 11))?.[0] ?? '';
  at += digits.length;
  if (file[at] === 0x20) at += 1;
  const number = digits === '' ? undefined : Number(digits);
  // Raw bytes of a picture may contain anything.
  if (name === 'bin') return at + Math.max(0, number ?? 0);
  listener.word(name, number);
  return at;
}

function readSymbol(file: Buffer, at: number, listener: RtfListener): number {
  const character = file.toString('latin1', at, at + 1);
  if (character === "'") {
    const byte = Number.parseInt(file.toString('latin1', at + 1, at + 3), 16);
    if (!Number.isNaN(byte)) listener.bytes(Uint8Array.of(byte));
    return at + 3;
  }
  if (character === '\n' || character === '\r') listener.word('par', undefined);
  else if (character !== '') listener.symbol(character);
  return at + 1;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}
