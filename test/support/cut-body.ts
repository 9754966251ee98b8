/** A page of which a part comes, in a response whose framing is right: its gzip data ends early. */
import { gzipSync } from 'node:zlib';

/** Texts from `word0` on; the further `share` is below 1, the fewer of them can be unpacked. */
export function cutPage(share = 0.5): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
} {
  const words = Array.from({ length: 9000 }, (_, at) => `word${at}`).join(' ');
  const packed = gzipSync(
    `<!doctype html><html lang="en"><title>Words</title><main><h1>Words</h1><p>${words}</p></main>`,
  );
  return {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' },
    body: packed.subarray(0, Math.floor(packed.length * share)),
  };
}
