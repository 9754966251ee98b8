/** `keepFailures` in a browser: the HTML and the picture of a page whose action failed, and of an error page. */
import { createClient } from 'pagewright';
import { expect, test } from 'vitest';
import { serve } from '../../../src/entries/testing/serve.ts';

// A browser starts.
test(
  'in a browser a failed action and an error page have their picture',
  { timeout: 90_000 },
  async () => {
    await using server = await serve(({ url }) => ({
      status: url === '/404-a' ? 404 : 200,
      headers: { 'content-type': 'text/html' },
      body: `<title>A page</title><p>The page ${url}.</p>`,
    }));
    await using client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
    const options = { keepFailures: true, engine: 'browser', retries: 0 } as const;
    const jobs = [
      client.batchScrape([server.url('/ok')], {
        ...options,
        actions: [{ type: 'executeJavascript', script: "throw new Error('no')" }],
      }),
      client.batchScrape([server.url('/404-a')], options),
    ];
    await Promise.all(jobs);
    const errors = jobs.flatMap((job) => job.errors());
    expect(errors.map(({ code }) => code)).toEqual(['ACTION_FAILED', 'HTTP_STATUS']);
    for (const { kept } of errors) {
      const [html = [], picture = []] = await Promise.all([
        client.readAsset(kept?.html ?? {}),
        client.readAsset(kept?.screenshot ?? {}),
      ]);
      expect(Buffer.from(html).toString()).toContain('The page /');
      expect([...picture.slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    }
  },
);
