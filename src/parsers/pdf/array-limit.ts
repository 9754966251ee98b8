/**
 * How large a picture may become while it is decoded. A thread's limit of memory does not count what
 * arrays of bytes hold, and pdf.js asks no one: a JPEG of 1 KB that claims 65,535 × 65,535 pixels, or
 * the mask of a small image that does, would take all the memory that the machine has.
 */
import { isMainThread } from 'node:worker_threads';

/** Bytes of one array: 64 million pixels in three colors. */
const largest = 256 * 2 ** 20;
/** Bytes of all arrays together. */
const most = 1024 * 2 ** 20;

const kinds = [
  'Uint8Array',
  'Uint8ClampedArray',
  'Int8Array',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
] as const;

/**
 * On a thread, which has nothing else to do meanwhile, larger arrays are a `RangeError`, which pdf.js
 * takes for a damaged image; until it is disposed. On the main thread others are at work: it does
 * nothing there.
 */
export function limitArrays(): Disposable {
  let counted = 0;
  let isOver = false;
  const undo: (() => unknown)[] = [];
  const names = isMainThread ? [] : kinds;
  for (const name of names) {
    const original = globalThis[name] as new (...args: unknown[]) => object;
    const { BYTES_PER_ELEMENT: width } = globalThis[name];
    const limited: object = new Proxy(original, {
      construct: (target, args: unknown[], newTarget) => {
        const [length] = args;
        if (typeof length === 'number' && !isOver) {
          counted += length * width;
          if (length * width > largest || counted > most) {
            throw new RangeError(`An array of ${length * width} bytes is too large for a picture.`);
          }
        }
        return Reflect.construct(
          target,
          args,
          newTarget === limited ? target : newTarget,
        ) as object;
      },
    });
    Reflect.set(globalThis, name, limited);
    undo.push(() => globalThis[name] === limited && Reflect.set(globalThis, name, original));
  }
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      for (const step of undo) step();
    },
  };
}
