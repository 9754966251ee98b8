/** A network policy that is shut between two visits: what the first still sends reaches nobody. */
import { PagewrightError } from '../../errors.ts';
import type { NetworkPolicy } from '../../network/policy.ts';

/** That of one tab. */
export interface ClosablePolicy extends NetworkPolicy {
  /** True while nothing is let through. */
  isShut: boolean;
}

/** What `policy` says, while it is open; `onKnock` is told that somebody asked while it was shut. */
export function closablePolicy(policy: NetworkPolicy, onKnock: () => void): ClosablePolicy {
  return {
    isShut: false,
    check(url) {
      if (this.isShut) {
        onKnock();
        throw new PagewrightError('CANCELLED', 'The visit is over.');
      }
      policy.check(url);
    },
    lookup: policy.lookup,
  };
}
