/** A monitor in a process that is killed in the middle of a round: another process ends that round. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, fileStore, type MonitorDigest } from '../../src/index.ts';
import { serve, type SitePage } from '../../src/entries/testing/index.ts';
import { receiver } from '../core/jobs/webhooks/receiver.ts';

const built = new URL('../../dist/index.js', import.meta.url);

test('kill -9 in a round: it is ended once, its pages are not fetched again, its digest is sent once', async () => {
  if (!existsSync(built)) throw new Error('Build it first: npm run build');
  const names = Array.from({ length: 24 }, (_, index) => `/docs/p${index}`);
  const pageOf = (name: string, text: string): SitePage => ({
    body: `<title>${name}</title><h1>${name}</h1><p>${text}</p>`,
    headers: { 'content-type': 'text/html' },
    delay: 60,
  });
  const links = names.map((name) => `<a href="${name}">${name}</a>`).join(' ');
  const pages: Record<string, SitePage> = { '/docs/': `<h1>Docs</h1>${links}` };
  const rewrite = (text: string): void => {
    for (const name of names) pages[name] = pageOf(name, `${text} of ${name}.`);
  };
  rewrite('First text');
  const site = await serve(pages);
  await using hook = await receiver();
  const folder = await mkdtemp(join(tmpdir(), 'killed-monitor-'));
  onTestFinished(async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  });
  const options = {
    id: 'docs',
    targets: [{ crawl: site.url('/docs/'), limit: 50, maxConcurrency: 2 }],
    webhook: hook.server.url('/hook'),
  };
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createClient, fileStore } from ${JSON.stringify(built.href)};
      const client = createClient({ storage: fileStore(${JSON.stringify(folder)}), network: { allow: ['127.0.0.1'] } });
      const monitor = client.monitor(${JSON.stringify(options)});
      console.log((await monitor.check()).recorded);
      await monitor.settled();
      process.stdin.once('data', () => monitor.check());`,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const [recorded] = (await once(child.stdout, 'data')) as [Buffer];
  expect(recorded.toString()).toBe('25\n');
  rewrite('Second text');
  site.clearLog();
  const visited = (): string[] =>
    site.log.map(({ url }) => url).filter((url) => url.startsWith('/docs/p'));
  child.stdin.write('go\n');
  while (visited().length < 10) await sleep(5);
  child.kill('SIGKILL');
  await once(child, 'close');
  const before = visited().length;
  expect(before).toBeLessThan(24);

  await using client = createClient({
    storage: fileStore(folder),
    network: { allow: ['127.0.0.1'] },
  });
  const digests: MonitorDigest[] = [];
  const monitor = client.monitors.get('docs');
  for await (const digest of monitor) {
    digests.push(digest);
    break;
  }
  await monitor.settled();
  expect(digests.map(({ round, pages: { length } }) => [round, length])).toEqual([[2, 24]]);
  expect(digests[0]?.pages[0]?.summary).toBe('First → Second text of /docs/p0.');
  // Two pages were on their way.
  expect(visited().length).toBeLessThanOrEqual(26);
  expect(new Set(visited()).size).toBe(24);
  expect(hook.bodies().map(({ data }) => (data as MonitorDigest[])[0]?.round)).toEqual([2]);
  expect(await monitor.check()).toMatchObject({ round: 3, unchanged: 25, pages: [] });
}, 120_000);
