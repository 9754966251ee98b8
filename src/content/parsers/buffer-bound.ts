/**
 * Bounds the bytes that libraries unpack at once on a file worker. A worker's memory limit counts the
 * JavaScript heap, not buffers: a few kilobytes of PDF could become gigabytes.
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Error message for a larger buffer, wherever a library reports it. */
export const bufferRefused = 'a part of it unpacks to more than is read';

const unpack: Readonly<Record<string, typeof inflateSync>> = {
  deflate: inflateSync,
  'deflate-raw': inflateRawSync,
  gzip: gunzipSync,
  brotli: brotliDecompressSync,
};

/** Created once, on our own worker: replaces the globals `Uint8Array` and `DecompressionStream` there. */
export class BufferBound {
  /** Limit in bytes of one buffer. */
  most: number;

  constructor(most: number) {
    this.most = most;
    this.#replaceArrays();
    this.#replaceStreams();
  }

  #replaceArrays(): void {
    const { Uint8Array: unbounded } = globalThis;
    const check = (size: unknown): void => {
      if (typeof size === 'number' && size > this.most) throw new RangeError(bufferRefused);
    };
    function Bounded(...given: unknown[]): unknown {
      check(given[0]);
      const target = new.target === bounded ? unbounded : new.target;
      return Reflect.construct(unbounded, given, target);
    }
    const bounded: unknown = Bounded;
    // Buffers created before and after are instances of the same class.
    Object.defineProperty(Bounded, 'prototype', { value: unbounded.prototype });
    Object.setPrototypeOf(Bounded, unbounded);
    globalThis.Uint8Array = Bounded as unknown as typeof Uint8Array;
  }

  /** Node's streams have no limit, and take a millisecond for a few bytes: this one unpacks everything at the end. */
  #replaceStreams(): void {
    const mostBytes = (): number => this.most;
    class BoundedDecompression extends TransformStream<Uint8Array, Uint8Array> {
      constructor(format: string) {
        const chunks: Uint8Array[] = [];
        super({
          transform: (chunk) => void chunks.push(chunk),
          flush: (controller) => {
            const unpackAll = unpack[format] ?? inflateSync;
            const packed = Buffer.concat(chunks.splice(0));
            controller.enqueue(unpackAll(packed, { maxOutputLength: mostBytes() }));
          },
        });
      }
    }
    globalThis.DecompressionStream = BoundedDecompression as unknown as typeof DecompressionStream;
  }
}
