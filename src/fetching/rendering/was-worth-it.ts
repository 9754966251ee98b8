/** Whether a browser brought more of a page than plain HTTP had: how a false alarm is known. */
import { isUtf8 } from 'node:buffer';
import type { Snapshot } from '../../model/snapshot.ts';
import { wordsOf } from '../../text/words.ts';
import { outlineOf } from './page-scanner.ts';
import { sourceOf } from './source-of.ts';

/** Characters of text that are compared; what a script adds to a page shows before. */
const compared = 200_000;
/**
 * The part of the static words that has to come on top. An ad, a count of likes and a clock are less;
 * pages with a signal have few words, so content is more.
 */
const leastShare = 0.25;
/** Words at least: a page may gain one by what is no content. */
const leastWords = 2;

/**
 * True when the rendered page says what the static one did not: words that are new, a quarter of
 * those that were there and two at least, or another URL. Navigation, footers, notices, and what is
 * hidden do not count; text of other encodings than UTF-8 is compared by its length.
 */
export function wasWorthIt(staticSnapshot: Snapshot, renderedSnapshot: Snapshot): boolean {
  if (pageOf(staticSnapshot.url) !== pageOf(renderedSnapshot.url)) return true;
  const [before, after] = [staticSnapshot, renderedSnapshot].map(({ body }) => {
    return outlineOf(sourceOf(body), { kept: compared, keepsLinks: true });
  });
  if (before === undefined || after === undefined) return false;
  if (!isUtf8(staticSnapshot.body) || !isUtf8(renderedSnapshot.body)) {
    return after.readable > before.readable * (1 + leastShare) + leastWords * letters;
  }
  const known = new Set(wordsOf(before.text));
  let fresh = 0;
  for (const word of new Set(wordsOf(after.text))) if (!known.has(word)) fresh += 1;
  return fresh >= Math.max(leastWords, known.size * leastShare);
}

/** Letters of a word. */
const letters = 5;

/** The part of a URL that a server sees: routers of applications change the fragment. */
function pageOf(url: string): string {
  return url.replace(/#.*$/s, '');
}
