/** What is known of a leaf before one of its places is chosen. */
import type { Candidates } from './candidates.ts';

/** Places where it may stand, or what it is without one. */
export interface Sighting {
  /** At least one of them is a place. */
  readonly candidates?: Candidates;
  readonly otherwise: 'supported' | 'unverified' | 'notFound';
}
