/**
 * Request queues of Crawlee 4, where the npm registry has it: our queue in its storage backend, and its queue over
 * ours. It needs Node 22, so it runs in a project of its own.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { requireBuild } from '../entries/cli/run-pagewright.ts';
import { rareTest } from '../support/deep.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const program = `
  import { MemoryStorageBackend, RequestQueue } from '@crawlee/core';
  import { createClient } from 'pagewright';
  import { fromCrawlee, memoryRequestQueue, toCrawlee } from 'pagewright/crawlee';
  import { linkedSite, requestQueueConformance, serve } from 'pagewright/testing';

  const failed = [];
  let made = 0;
  const suite = requestQueueConformance(() => fromCrawlee(new MemoryStorageBackend())('q' + made++));
  for (const { name, run } of suite) await run().catch((error) => failed.push(name + ': ' + error));

  await using server = await serve(linkedSite({ pages: 40, links: 3, seed: 'crawlee' }).site);
  const crawl = async (requestQueue) => {
    const client = createClient({ network: { allow: ['127.0.0.1'] }, requestQueue });
    const { data } = await client.crawl(server.url + '/', { limit: 30 });
    await client.close();
    return data.map(({ metadata }) => metadata.url);
  };
  const urls = await crawl(fromCrawlee(new MemoryStorageBackend()));
  const usual = await crawl(undefined);

  const others = new MemoryStorageBackend();
  const backend = await toCrawlee(() => memoryRequestQueue(), { others }).createRequestQueueBackend({ name: 'jobs' });
  const queue = new RequestQueue({ metadata: await backend.getMetadata(), backend });
  await queue.addRequests([1, 2, 3].map((n) => ({ url: 'http://site.test/' + n })));
  const order = [];
  for (;;) {
    const next = await queue.fetchNextRequest();
    if (next === null) break;
    if (next.url.endsWith('1') && next.retryCount === 0) {
      next.retryCount = 1;
      await queue.reclaimRequest(next);
      continue;
    }
    order.push(next.url);
    await queue.markRequestAsHandled(next);
  }
  console.log(JSON.stringify({ failed, isSame: String(urls) === String(usual), pages: urls.length, order }));
`;

rareTest('request queues of Crawlee 4', { timeout: 400_000 }, async (context) => {
  requireBuild();
  const versions = await run('npm', ['view', '@crawlee/core', 'versions', '--json']);
  const [version] = (JSON.parse(versions.stdout) as string[])
    .filter((one) => one.startsWith('4.'))
    .slice(-1);
  if (version === undefined) context.skip('the npm registry has no Crawlee 4');
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-crawlee-4-'));
  try {
    const pack = ['pack', root, '--ignore-scripts', '--silent'];
    const { stdout: tarball } = await run('npm', pack, { cwd: folder });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    writeFileSync(join(folder, 'program.js'), program);
    const packages = [`./${tarball.trim()}`, `@crawlee/core@${version}`];
    await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
    const node = await run(process.execPath, ['.ci/runtimes.mjs', 'node24'], { cwd: root });
    const { stdout } = await run(node.stdout.trim(), ['program.js'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      failed: [],
      isSame: true,
      pages: 30,
      order: ['http://site.test/2', 'http://site.test/3', 'http://site.test/1'],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
