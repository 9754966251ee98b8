/** The webhook of a crawl that is done: its last events are waited for, and what was lost is said. */
import type { CrawlJob } from '../index.ts';
import { notice } from './notice.ts';

/** Waits until every event was taken or given up. */
export async function endWebhook(
  job: Pick<CrawlJob<unknown>, 'delivered' | 'undelivered'>,
  { quiet, json }: { readonly quiet?: true; readonly json?: true },
): Promise<void> {
  await job.delivered();
  const undelivered = job.undelivered();
  const [first] = undelivered;
  if (first === undefined || quiet === true) return;
  if (json === true) notice(JSON.stringify({ undelivered }));
  else notice(`${undelivered.length} webhook events were not delivered: ${first.error}`);
}
