/** Which of a page's lists is the one that a schema asks for. */
import type { Records } from './find-records.ts';
import { factsAmong } from './main-entity.ts';
import type { Outcome } from './outcome.ts';
import type { Scope } from './scope.ts';

/** Candidates are judged by their first items. */
const sampleSize = 5;

/** The list that gives most of what an item has; at least half, unless it is named for it. */
export function bestRecords(
  candidates: readonly Records[],
  fillSample: (scopes: readonly Scope[]) => Outcome,
): Records | undefined {
  let best: { readonly records: Records; readonly score: number } | undefined;
  for (const records of candidates) {
    const { found, notFound, sources } = fillSample(records.scopes.slice(0, sampleSize));
    if (found === 0 || (records.isGuess === true && factsAmong(sources.map(([path]) => path)) < 2))
      continue;
    const coverage = found / (found + notFound.length);
    if (!records.isNamed && coverage < 0.5) continue;
    const score = coverage + (records.isNamed ? 1 : 0);
    if (best === undefined || score > best.score) best = { records, score };
  }
  return best?.records;
}
