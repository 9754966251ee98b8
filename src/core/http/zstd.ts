/**
 * Decodes Zstandard: by Node if it can (22.15 and later), else frame by frame by the package fzstd
 * (RFC 8878).
 */
import { Transform, type TransformCallback } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import zlib from 'node:zlib';
import { loadModule } from '../runtime/load-module.ts';

/** The oldest supported Node, whose types these are, lacks this function. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

/** True when this Node decodes Zstandard itself. */
const hasNativeZstd: boolean = createZstdDecompress !== undefined;

/** Decodes one frame. */
interface FrameDecoder {
  /** Pushes the next piece of the frame; resolves when its output has been emitted. */
  push(bytes: Buffer, isEnd: boolean): Promise<void> | void;
  destroy?(): void;
}

/**
 * Decodes frame by frame and block by block, and yields to other work between blocks. On its own,
 * Node treats a cut frame as complete (22) and stops after the first of several frames (22, 24);
 * fzstd accepts any window, and emits all output of a chunk at once, gigabytes for a crafted one.
 */
export class ZstdDecompressor extends Transform {
  readonly #isNative: boolean;
  readonly #frames = new ZstdFrames();
  readonly #blocks: Uint8Array[] = [];
  #decoder: FrameDecoder | undefined;
  /** Bytes of windows that were shifted: fzstd shifts after every block. */
  #shifted = 0;
  #goOn: () => void = () => undefined;

  constructor(isNative: boolean = hasNativeZstd) {
    super();
    this.#isNative = isNative;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#decode(chunk).then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#frames.isComplete) return done();
    done(Object.assign(new Error('unexpected end of data'), { code: 'Z_BUF_ERROR' }));
  }

  override _read(size: number): void {
    this.#goOn();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#decoder?.destroy?.();
    super._destroy(error, done);
  }

  async #decode(chunk: Buffer): Promise<void> {
    for (const { bytes, isStart, isEnd, window } of this.#frames.push(chunk)) {
      if (this.destroyed) return;
      if (isStart) this.#decoder = await this.#open();
      this.#shifted += this.#isNative ? 0 : window;
      if (this.#shifted > maximumShifted)
        throw new Error('its blocks are too small for its window');
      await this.#decoder?.push(bytes, isEnd);
      const block = Buffer.concat(this.#blocks.splice(0));
      if (block.length === 0) continue;
      const isWanted = this.push(block);
      await (isWanted ? setImmediate() : new Promise<void>((resolve) => (this.#goOn = resolve)));
    }
  }

  async #open(): Promise<FrameDecoder> {
    const take = (block: Uint8Array): void => void this.#blocks.push(block);
    if (this.#isNative && createZstdDecompress !== undefined) {
      return nativeDecoder(createZstdDecompress(), take);
    }
    const { Decompress } = await loadModule(() => import('fzstd'));
    const decoder = new Decompress(take);
    return {
      push: (bytes, isEnd) => {
        decoder.push(bytes);
        // fzstd buffers the first bytes of a frame until there are more, and the last ones until
        // the end.
        if (isEnd) decoder.push(new Uint8Array(0), true);
      },
    };
  }
}

const maximumShifted = 16 * 1024 ** 3; // bytes: seconds of work, and 5 times the need of 50 MB

function nativeDecoder(stream: Transform, take: (block: Uint8Array) => void): FrameDecoder {
  let fail: (error: Error) => void = () => undefined;
  stream.on('data', take);
  stream.on('error', (error) => fail(error));
  return {
    push: (bytes, isEnd) =>
      new Promise((resolve, reject) => {
        fail = reject;
        if (isEnd) stream.once('end', resolve).end(bytes);
        else stream.write(bytes, () => resolve());
      }),
    destroy: () => stream.destroy(),
  };
}

// Splits Zstandard data into frames and blocks without decoding them (RFC 8878, 3.1).

/** A part of a frame: its header, a block, or its checksum. */
export interface ZstdPiece {
  readonly bytes: Buffer;
  /** True for the header of a frame. */
  readonly isStart: boolean;
  /** True for the last piece of a frame. */
  readonly isEnd: boolean;
  /** Memory that the frame's decoder needs, in bytes. */
  readonly window: number;
}

type FrameStep = 'frame' | 'block' | 'checksum' | 'skip' | 'over';

/** Bytes; the maximum of HTTP (RFC 9659) and browsers. */
const maximumWindow: number = 8 * 1024 * 1024;

/** True when Zstandard data may start like this: with a frame, or with a skippable one. */
export function startsLikeZstd(head: Buffer): boolean {
  return [frameMagic, skipMagic].some((magic) => startsWith(head, magic));
}

const frameMagic: readonly number[] = [0x28, 0xb5, 0x2f, 0xfd];

/** Its first byte may be any up to 0x5f. */
const skipMagic: readonly number[] = [0x50, 0x2a, 0x4d, 0x18];

/** Also true when the head is too short to tell. */
function startsWith(head: Buffer, magic: readonly number[]): boolean {
  const isSkip = magic === skipMagic;
  return magic.every((byte, at) => {
    const found = head[at] ?? byte;
    return (isSkip && at === 0 ? found & 0xf0 : found) === byte;
  });
}

const maximumBlock = 128 * 1024;

/** Takes data as it arrives; data after the last frame is ignored, as in the zstd library. */
export class ZstdFrames {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes needed for the next step. */
  #needed = 4;
  #step: FrameStep = 'frame';
  #frames = 0;
  #window = 0;
  #hasChecksum = false;
  /** Remaining bytes of a skippable frame. */
  #skip = 0;

  /** True when the data may end here. */
  get isComplete(): boolean {
    return this.#step === 'over' || (this.#step === 'frame' && this.#length === 0);
  }

  /**
   * The pieces that these bytes complete. Throws when they cannot be Zstandard, or need too much
   * memory.
   */
  push(chunk: Buffer): readonly ZstdPiece[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return [];
    let data = Buffer.concat(this.#chunks, this.#length);
    const pieces: ZstdPiece[] = [];
    for (let size = this.#next(data, pieces); size > 0; size = this.#next(data, pieces)) {
      data = data.subarray(size);
    }
    this.#chunks = [data];
    this.#length = data.length;
    return pieces;
  }

  /** Takes one step; returns the bytes it used, 0 when it needs more. */
  #next(data: Buffer, pieces: ZstdPiece[]): number {
    if (data.length === 0 || data.length < this.#needed) return 0;
    if (this.#step === 'frame') return this.#readFrame(data, pieces);
    if (this.#step === 'block') return this.#readBlock(data, pieces);
    if (this.#step === 'checksum') {
      pieces.push(this.#piece(data.subarray(0, 4), false, true));
      return this.#expect('frame', 4, 4);
    }
    if (this.#step === 'over') return data.length;
    const size = Math.min(data.length, this.#skip);
    this.#skip -= size;
    return this.#skip > 0 ? size : this.#expect('frame', 4, size);
  }

  #readFrame(data: Buffer, pieces: ZstdPiece[]): number {
    if (startsWith(data, skipMagic)) {
      if (data.length < 8) return this.#wait(8);
      this.#skip = data.readUInt32LE(4);
      return this.#expect(this.#skip > 0 ? 'skip' : 'frame', this.#skip > 0 ? 1 : 4, 8);
    }
    if (!startsWith(data, frameMagic)) {
      if (this.#frames > 0) return this.#expect('over', 0, data.length);
      throw new Error('not a Zstandard frame');
    }
    if (data.length < 5) return this.#wait(5);
    const descriptor = data.readUInt8(4);
    const isSingle = (descriptor & 0x20) !== 0;
    const flag = descriptor >> 6;
    const sizeBytes = flag === 0 ? (isSingle ? 1 : 0) : 1 << flag;
    const sizeAt = 5 + (isSingle ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
    const length = sizeAt + sizeBytes;
    if (data.length < length) return this.#wait(length);
    this.#window = isSingle ? contentSize(data, sizeAt, sizeBytes) : windowSize(data.readUInt8(5));
    if (this.#window > maximumWindow) {
      throw new Error(`its window of ${this.#window} bytes is over ${maximumWindow}`);
    }
    this.#hasChecksum = (descriptor & 4) !== 0;
    this.#frames += 1;
    pieces.push(this.#piece(data.subarray(0, length), true, false));
    return this.#expect('block', 3, length);
  }

  #readBlock(data: Buffer, pieces: ZstdPiece[]): number {
    const header = data.readUIntLE(0, 3);
    const isRun = ((header >> 1) & 3) === 1;
    if (header >> 3 > maximumBlock) throw new Error('a block is too large');
    const size = 3 + (isRun ? 1 : header >> 3);
    if (data.length < size) return this.#wait(size);
    const isLast = (header & 1) === 1;
    pieces.push(this.#piece(data.subarray(0, size), false, isLast && !this.#hasChecksum));
    if (!isLast) return this.#expect('block', 3, size);
    return this.#expect(this.#hasChecksum ? 'checksum' : 'frame', 4, size);
  }

  #piece(bytes: Buffer, isStart: boolean, isEnd: boolean): ZstdPiece {
    return { bytes, isStart, isEnd, window: this.#window };
  }

  #wait(needed: number): number {
    this.#needed = needed;
    return 0;
  }

  #expect(step: FrameStep, needed: number, used: number): number {
    this.#step = step;
    this.#needed = needed;
    return used;
  }
}

function contentSize(data: Buffer, at: number, bytes: number): number {
  if (bytes === 8) return Number(data.readBigUInt64LE(at));
  return data.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
