import { expect, test } from 'vitest';
import type { Page } from '../../../src/core/model/page.ts';
import { defaultPdfReading } from '../../../src/core/model/request.ts';
import type { Limits } from '../../../src/core/model/request-options.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { parseSnapshot } from '../../../src/core/page/parsers.ts';

async function parse(contentType: string, body: string, limits: Partial<Limits>): Promise<Page> {
  const snapshot = {
    url: 'http://site.test/',
    statusCode: 200,
    headers: { 'content-type': contentType },
    body: new TextEncoder().encode(body),
    engine: 'http',
    redirects: [],
    warnings: [],
    requests: 1,
    bytes: body.length,
  };
  return parseSnapshot(snapshot, [], {
    limits: { ...defaultLimits, ...limits },
    pdf: defaultPdfReading,
  });
}

const warning =
  'The page has more than 20 characters; the rest was cut off. Raise limits.text to read it.';

test.each([
  ['text/html', '<p>abcdefghijklmnopq', '<p>abcdefghijklmnopqr'],
  ['text/plain', 'a'.repeat(20), 'a'.repeat(21)],
  ['application/json', '{"a":"0123456789ab"}', '{"a":"0123456789abc"}'],
  ['application/xml', '<a>0123456789abc</a>', '<a>0123456789abcd</a>'],
])('%s: limits.text characters are read, the next one is cut off', async (type, fits, longer) => {
  const whole = await parse(type, fits, { text: 20 });
  expect(whole.source).toBe(fits);
  expect(whole.warnings).toEqual([]);
  const cut = await parse(type, longer, { text: 20 });
  expect(cut.source).toBe(longer.slice(0, 20));
  expect(cut.warnings).toEqual([warning]);
});

test('no half of a character is left', async () => {
  const cut = await parse('text/plain', `${'a'.repeat(19)}😀b`, { text: 20 });
  expect(cut.source).toBe('a'.repeat(19));
});

test('what was flattened and left out is told on the page', async () => {
  const page = await parse('text/html', `${'<div>'.repeat(30)}<p a=1 b=2>x`, {
    depth: 10,
    attributes: 1,
  });
  expect(page.warnings).toEqual([
    expect.stringContaining('limits.depth'),
    expect.stringContaining('limits.attributes'),
  ]);
});

test.each([
  ['JSON nested 100,000 deep', 'application/json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['JSON that never ends', 'application/json', '{"a":'.repeat(100_000)],
  ['XML nested 100,000 deep', 'application/xml', '<a>'.repeat(100_000)],
  ['an entity bomb', 'text/xml', `<!DOCTYPE a [<!ENTITY b "${'&b;'.repeat(1000)}">]><a>&b;</a>`],
])('%s is text', async (_, type, body) => {
  const page = await parse(type, body, {});
  expect(page).toMatchObject({ kind: 'text', source: body, warnings: [] });
});
