/** A request as the pipeline makes it, for tests that ask an engine themselves. */
import type { PageRequest } from '../../../src/core/model/request.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';

/** A plain GET, but for what is given. */
export function plainRequest(url: string, more: Partial<PageRequest> = {}): PageRequest {
  const { signal } = new AbortController();
  const plain = { url, headers: {}, skipTlsVerification: true, limits: defaultLimits };
  return { ...plain, rendering: {}, signal, ...more };
}
