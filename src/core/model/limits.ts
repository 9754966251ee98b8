/** Defaults of every limit on data read from a server. */
import type { Limits } from './request-options.ts';

/** Used if neither the client nor the call sets a limit. */
export const defaultLimits: Limits = {
  bodyBytes: 50 * 1024 * 1024,
  compressionRatio: 1000,
  redirects: 10,
  headerBytes: 64 * 1024,
  text: 20_000_000,
  links: 100_000,
  nodes: 1_000_000,
  depth: 512,
  attributes: 1_000_000,
};

/** The warning for a page with more links than the limit. */
export function linksLeftOut(limit: number): string {
  return `The page has more than ${limit} links; the others were left out. Raise limits.links to take them.`;
}
