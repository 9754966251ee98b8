/** Options of a job on their way into its store and back. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  optionsToResume,
  optionsToSeal,
  optionsToStore,
} from '../../../../src/core/jobs/durable/stored-options.ts';

const roundTrip = (options: object, given: object = {}, free: string[] = []): unknown => {
  const stored: unknown = JSON.parse(JSON.stringify(optionsToStore(options)));
  return optionsToResume(stored as never, given as never, { free: new Set(free) });
};

it('come back as they were, patterns and URLs too, without what is undefined or a signal', () => {
  const options = {
    limit: 5,
    includePaths: ['^/a', /b/giu],
    webhook: { url: new URL('https://hook.test/a'), metadata: { a: '1' } },
    scrapeOptions: { formats: ['markdown', { type: 'json', schema: { type: 'object' } }] },
  };
  const signal = new AbortController().signal;
  expect(roundTrip({ ...options, signal, delay: undefined })).toEqual(options);
});

it.each([
  ['a function', { excludePaths: [() => true] }, 'excludePaths'],
  [
    'a schema of a library',
    { scrapeOptions: { formats: [{ schema: z.object({}) }] } },
    'scrapeOptions',
  ],
  ['a cookie', { scrapeOptions: { headers: { COOKIE: 'a=b' } } }, 'scrapeOptions'],
  ['a secret', { webhook: { url: 'https://hook.test/', secret: 'hidden' } }, 'webhook'],
  [
    'a header of a custom action',
    { scrapeOptions: { actions: [{ type: 'call', headers: { authorization: 'hidden' } }] } },
    'scrapeOptions',
  ],
  ['a cookie of a custom action', { actions: [{ cookies: [{ value: 'hidden' }] }] }, 'actions'],
  [
    'what an inner action types',
    { actions: [{ type: 'try', actions: [{ type: 'write', text: 'hidden' }] }] },
    'actions',
  ],
  ['a header of a custom format', { formats: [{ headers: { 'x-key': 'hidden' } }] }, 'formats'],
  ['a header named scrapeOptions', { headers: { scrapeOptions: 'hidden' } }, 'headers'],
  [
    'a header of a target',
    { targets: [{ url: 'https://a.test/', scrapeOptions: { headers: { cookie: 'hidden' } } }] },
    'targets',
  ],
])('have to be given again where there was %s', (_, options, name) => {
  expect(JSON.stringify(optionsToStore(options))).not.toMatch(/a=b|hidden/);
  expect(() => roundTrip(options)).toThrow(`${name}: the job was started with`);
  expect(roundTrip(options, options)).toEqual(options);
});

it('must not differ, unless they may', () => {
  expect(() => roundTrip({ limit: 5 }, { limit: 6 })).toThrow('limit: differs');
  expect(() => roundTrip({}, { sitemap: 'skip' })).toThrow('sitemap: differs');
  expect(roundTrip({ limit: 5, delay: 1 }, { delay: 2 }, ['delay'])).toEqual({
    limit: 5,
    delay: 2,
  });
});

it('may be nested without end or hold their own marks', () => {
  const endless: Record<string, unknown> = {};
  endless['self'] = endless;
  expect(() => roundTrip({ scrapeOptions: endless })).toThrow('pass it again');
  expect(() => roundTrip({ scrapeOptions: { $: 'url', value: 'x' } })).toThrow('pass it again');
});

it('are sealed as they were when the job was started, whatever the caller changes afterwards', async () => {
  const headers = { Cookie: 'a=b' };
  const sealed = optionsToSeal({ limit: 5, scrapeOptions: { headers } }, () =>
    Promise.resolve((text) => `sealed ${text}`),
  );
  headers.Cookie = 'c=d';
  expect(await sealed).toEqual({
    limit: 5,
    scrapeOptions: { headers: { Cookie: { $: 'sealed', value: 'sealed a=b' } } },
  });
});

it('open no vault where nothing is secret', async () => {
  const openSeal = (): Promise<never> => Promise.reject(new Error('opened'));
  expect(await optionsToSeal({ limit: 5 }, openSeal)).toEqual({ limit: 5 });
});
