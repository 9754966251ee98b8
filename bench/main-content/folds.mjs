/** Folds by site: what is learnt of a site must not help with its other pages. */
import { getDomain } from 'tldts';

/** The fold of a host, from 0 up to, not including, `folds`; all hosts of a site are in one. */
export function foldOf(host, folds) {
  let hash = 7;
  for (const letter of getDomain(host) ?? host) {
    hash = (hash * 31 + letter.codePointAt(0)) % 1_000_003;
  }
  return hash % folds;
}
