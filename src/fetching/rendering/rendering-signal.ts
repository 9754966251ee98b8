/** Whether a page that came over plain HTTP needs a browser, and what tells so. */
import type { Snapshot } from '../../model/snapshot.ts';
import { challengeOf } from '../challenge-page.ts';
import { outlineOf } from './page-scanner.ts';
import { enoughContent, signalOf } from './signals.ts';
import { sourceOf } from './source-of.ts';

/** Bytes of a page that is looked at: in 25 ms, and larger ones are full of text or data anyway. */
const mostBytes = 5_000_000;

/**
 * The signal that this page gets its content by script, in words for `metadata.engineReason`;
 * undefined when it is complete as it is, when there is nothing to render (an error, a redirect, a
 * file), and when the answer itself is no evidence: cut, or the page of a bot protection.
 *
 * One pass over the bytes, in linear time whatever they are: 0.2 ms for 46 KB.
 */
export function renderingSignal(snapshot: Snapshot): string | undefined {
  const { statusCode, body, isCut = false } = snapshot;
  if (statusCode < 200 || statusCode > 299 || isCut) return undefined;
  if (body.length === 0 || body.length > mostBytes) return undefined;
  if (!/html|^\s*$/i.test(snapshot.headers['content-type'] ?? '')) return undefined;
  const source = sourceOf(body);
  if (!/^[\s\ufeff\xef\xbb\xbf]{0,1000}</.test(source)) return undefined;
  const signal = signalOf(outlineOf(source, { enough: enoughContent }));
  return signal === undefined || challengeOf(snapshot) !== undefined ? undefined : signal;
}
