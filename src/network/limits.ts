/** How much a server may make us read: the defaults of every limit. */
import type { Limits } from '../model/request.ts';

/** Used where neither the client nor the call says otherwise. */
export const defaultLimits: Limits = {
  bodyBytes: 50 * 1024 * 1024,
  redirects: 10,
  headerBytes: 64 * 1024,
  links: 100_000,
  nodes: 1_000_000,
  depth: 512,
};
