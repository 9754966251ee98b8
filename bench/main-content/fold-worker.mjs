/** Reads pages with another model in the place of the built one. */
import { parentPort, workerData } from 'node:worker_threads';
import { cleanPage } from '../../build/content/clean/index.js';
import { model } from '../../build/content/clean/main-content/model.js';
import { toMarkdown } from '../../build/content/markdown/to-markdown.js';
import { cleanOptions, parseHtml } from './read-examples.mjs';

Object.assign(model, workerData);

parentPort?.on('message', async ({ html, url }) => {
  const page = await parseHtml(html, url);
  if (page !== undefined) cleanPage(page, cleanOptions);
  parentPort?.postMessage(page === undefined ? '' : toMarkdown(page));
});
