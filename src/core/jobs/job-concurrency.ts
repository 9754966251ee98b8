/** The number of pages that a job has in flight at a time: its own, or as many as its workers can use. */
import type { PageVisitor } from '../model/page-visitor.ts';
import type { JobControl } from './job-status.ts';

/** The options of a job that decide it. */
export interface ConcurrencySettings {
  readonly maxConcurrency: number;
  /** True if the caller set no `maxConcurrency`: workers of a fleet decide, if they visit the pages. */
  readonly followsWorkers: boolean;
}

/** The parts of a client that decide it. */
interface ConcurrencyParts {
  readonly visitor: PageVisitor | undefined;
  readonly concurrency: Pick<ConcurrencySettings, 'maxConcurrency'>;
  readonly logger: { warn(message: string): void };
}

/** Dispose it once no more pages are visited. */
export interface JobConcurrency extends Disposable {
  readonly pages: number;
}

/** Announces the job to the workers, if there are any. Never rejects. */
export async function openConcurrency(
  { visitor, concurrency, logger }: ConcurrencyParts,
  { maxConcurrency, followsWorkers }: ConcurrencySettings,
  job: Pick<JobControl<unknown>, 'id' | 'warn'>,
): Promise<JobConcurrency> {
  if (visitor === undefined) return { pages: maxConcurrency, [Symbol.dispose]: () => undefined };
  const share = await visitor.join({
    id: job.id,
    warn: (sentence) => {
      job.warn(sentence);
      // A loop over the job does not see the warnings of its result.
      logger.warn(sentence);
    },
  });
  return {
    get pages() {
      return followsWorkers ? Math.min(share.pages, concurrency.maxConcurrency) : maxConcurrency;
    },
    [Symbol.dispose]: () => share[Symbol.dispose](),
  };
}
