/** Publishes a job, from its start to its end. */
import type { JobUsage } from '../model/job.ts';
import type { JobMessage } from '../telemetry/channels.ts';
import { displayUrl } from '../telemetry/display-url.ts';
import type { JobSetting } from './job-status.ts';

/** The numbers of a job at its end. */
interface JobEnd {
  readonly status: NonNullable<JobMessage['status']> | 'scraping' | 'processing';
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly creditsUsed: number;
  readonly usage: JobUsage;
  readonly warning?: string | undefined;
}

/** Runs a job; `end` gives its numbers once it has ended. */
export function traceJob<T>(
  setting: Pick<JobSetting, 'id' | 'telemetry' | 'traced' | 'input'>,
  run: () => Promise<T>,
  end: () => JobEnd,
): Promise<T> {
  const { id, telemetry } = setting;
  const { verb, url } = setting.traced ?? {};
  const message: JobMessage = { id, verb, url: url && displayUrl(url) };
  return telemetry.job(message, async () => {
    try {
      return await run();
    } finally {
      const { usage, status, completed, failed, skipped, creditsUsed, warning } = end();
      const { requests, bytes } = usage;
      const counts = { completed, failed, skipped, requests, bytes, creditsUsed };
      // The verb of a resumed job is in its store.
      Object.assign(message, { verb: verb ?? setting.input?.verb, status, ...counts, warning });
    }
  });
}
