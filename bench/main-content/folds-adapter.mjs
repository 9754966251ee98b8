/**
 * The quality bench's adapter for sites that the model has not seen: each page by the model that was
 * trained without its fold. FOLD_MODELS names the file that `train.mjs --folds 4 --models file` wrote.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { foldOf } from './folds.mjs';

const workers = JSON.parse(readFileSync(process.env.FOLD_MODELS ?? '', 'utf8')).map(
  (model) => new Worker(new URL('fold-worker.mjs', import.meta.url), { workerData: model }),
);

export async function extract({ html, url }) {
  const worker = workers[foldOf(new URL(url).hostname, workers.length)];
  worker.postMessage({ html, url });
  const [markdown] = await once(worker, 'message');
  return { markdown };
}
