/** How many requests at a time: the check, and what a job is told whose client allows fewer. */
import { z } from 'zod';
import type { ClientConcurrency } from '../fetching/host-health.ts';

/** The options `maxConcurrency` and `maxConcurrencyPerHost`, of a client and of its jobs. */
export const concurrencySchema: z.ZodInt = z.int().min(1).max(1000);

/** Four jobs with their default of 8 pages fill one host, and four such hosts the client. */
export const defaultConcurrency: ClientConcurrency = {
  maxConcurrency: 128,
  maxConcurrencyPerHost: 32,
};

/** A sentence on each number of a job that its client does not allow. */
export function concurrencyWarnings(
  given: { readonly [Name in keyof ClientConcurrency]?: number | undefined },
  client: ClientConcurrency = defaultConcurrency,
): string[] {
  const names = ['maxConcurrency', 'maxConcurrencyPerHost'] as const;
  return names.flatMap((name) => {
    const wanted = given[name] ?? 0;
    if (wanted <= client[name]) return [];
    return `${name}: ${wanted} is more than the ${client[name]} of the client, which hold for all its calls together. Raise them: createClient({ ${name} }).`;
  });
}
