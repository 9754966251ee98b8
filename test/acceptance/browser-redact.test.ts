/** `redact` in a browser: what actions return, and branding. */
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';
import { describe, expect, test } from 'vitest';

describe('a browser with redact', () => {
  test('gives none of it in what actions return, nor in branding', async () => {
    const shop =
      '<!doctype html><title>Jane of jane@x.org</title><header><img id="logo" alt="jane@x.org" src="/logo.svg?by=jane@x.org" width="80" height="40"></header>' +
      '<main><h1>Shop</h1><p>Ask jane@x.org or +49 30 1234567.</p><a href="mailto:jane@x.org" class="button">jane@x.org</a></main>';
    await using server = await serve({
      '/': shop,
      '/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"/>',
    });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const document = await client.scrape(server.url('/'), {
      redact: ['email', 'phone'],
      engine: 'browser',
      formats: ['markdown', 'branding'],
      actions: [
        { type: 'scrape' },
        {
          type: 'executeJavascript',
          script: '({ text: document.querySelector("p").textContent, list: ["jane@x.org"] })',
        },
      ],
    });
    const { actions, branding, markdown } = document;
    expect(markdown).toContain('Ask [email] or [phone].');
    expect(actions?.scrapes).toHaveLength(1);
    expect(actions?.scrapes[0]?.html).toContain('Ask [email] or [phone].');
    expect(actions?.javascriptReturns).toMatchObject([
      { value: { text: 'Ask [email] or [phone].', list: ['[email]'] } },
    ]);
    expect(branding).toBeDefined();
    expect(JSON.stringify(document)).not.toMatch(/jane|x\.org|1234567/);
  });
});
