/** Zstandard undone: by Node where it can (22.15 and later), else by the package fzstd. */
import { Transform, type TransformCallback } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import zlib from 'node:zlib';
import { ZstdFrames } from './zstd-frames.ts';

/** The oldest Node supported, whose types these are, has no such function. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

/** True when this Node decodes Zstandard itself. */
export const hasNativeZstd: boolean = createZstdDecompress !== undefined;

/** Decodes one frame. */
interface FrameDecoder {
  /** Takes the next piece of the frame; what it decodes to has been given out when this resolves. */
  push(bytes: Buffer, isEnd: boolean): Promise<void> | void;
  destroy?(): void;
}

/**
 * Decodes frame by frame and block by block, and lets other work run between blocks. Left alone,
 * Node takes a cut frame for a complete one (22) and stops after the first of several frames (22,
 * 24); fzstd takes any window, and gives out all that a chunk decodes to at once, gigabytes where
 * it is made so.
 */
export class ZstdDecompressor extends Transform {
  readonly #isNative: boolean;
  readonly #frames = new ZstdFrames();
  readonly #blocks: Uint8Array[] = [];
  #decoder: FrameDecoder | undefined;
  /** Bytes of windows that were shifted: fzstd does that after every block. */
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
    const { Decompress } = await import('fzstd');
    const decoder = new Decompress(take);
    return {
      push: (bytes, isEnd) => {
        decoder.push(bytes);
        // It keeps the first bytes of a frame until there are more of them, or the last ones.
        if (isEnd) decoder.push(new Uint8Array(0), true);
      },
    };
  }
}

/** Bytes; some seconds of work. A page of 50 MB in full blocks needs a fifth of it. */
const maximumShifted = 16 * 1024 ** 3;

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
