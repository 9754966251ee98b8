import type { Snapshot } from '../../../../src/core/model/snapshot.ts';

/** An answer of plain HTTP with this body. */
export function answer(body: string | Uint8Array, changes: Partial<Snapshot> = {}): Snapshot {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    url: 'https://site.test/page',
    statusCode: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: bytes,
    engine: 'http',
    redirects: [],
    warnings: [],
    requests: 1,
    bytes: bytes.length,
    ...changes,
  };
}
