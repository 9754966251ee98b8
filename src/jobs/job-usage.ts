/** What a job used, added up. */
import type { JobUsage } from '../model/job.ts';

/** Both together; what neither has is absent. */
export function addJobUsage(one: JobUsage, more: JobUsage): JobUsage {
  return {
    requests: one.requests + more.requests,
    bytes: one.bytes + more.bytes,
    ...sum('browserMs', one, more),
    ...sum('tokens', one, more),
    ...sum('cost', one, more),
  };
}

function sum(
  name: 'browserMs' | 'tokens' | 'cost',
  { [name]: one }: JobUsage,
  { [name]: more }: JobUsage,
): Partial<JobUsage> {
  return one === undefined && more === undefined ? {} : { [name]: (one ?? 0) + (more ?? 0) };
}
