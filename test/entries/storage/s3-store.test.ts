/** The store in a bucket, over an S3 server in this process that checks signatures and conditions. */
import dns from 'node:dns';
import { createClient } from 'pagewright';
import { storeConformance } from 'pagewright/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { s3Store, type S3StoreOptions } from '../../../src/entries/storage/s3-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { linkedSite } from '../../../src/entries/testing/linked-site.ts';
import { serve } from '../../../src/entries/testing/serve.ts';
import {
  type Disturbance,
  type S3Server,
  type S3ServerRequest,
  startS3,
} from '../../support/s3.ts';

let server: S3Server;

beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.objects.clear();
  server.log.length = 0;
  server.disturb = undefined;
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const open = (
  options: Partial<S3StoreOptions> = {},
): Store & Required<Pick<Store, 'replace' | 'deleteAll'>> =>
  s3Store({ ...server.access, ...options }) as ReturnType<typeof open>;

async function listed(store: Store, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

/** `PUT pagewright/a-`, for each request that was executed. */
const requests = (): string[] =>
  server.log.map(({ method, name, query }) => `${method} ${name || [...query.keys()].join()}`);

/** Disturbs the first requests that match, one after the other. */
function disturb(
  matches: (request: S3ServerRequest) => boolean,
  ...disturbances: readonly Disturbance[]
): void {
  const left = [...disturbances];
  server.disturb = (request) => (matches(request) ? left.shift() : undefined);
}

/** Puts of values, not of the object that tries conditions. */
const isPut = ({ method, name }: S3ServerRequest): boolean =>
  method === 'PUT' && !name.includes('~check');
const isGet = ({ method, name }: S3ServerRequest): boolean => method === 'GET' && name !== '';
const isList = ({ method, name }: S3ServerRequest): boolean => method === 'GET' && name === '';

async function failureOf(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  const error = await promise.then(
    () => new Error('It did not fail.'),
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code: 'STORAGE' });
  expect(JSON.stringify([error.message, error.stack])).not.toContain(server.access.secretAccessKey);
  return error;
}

describe('s3Store conforms', () => {
  const fresh = (): Store => {
    server.objects.clear();
    return open();
  };
  for (const { name, run } of storeConformance(fresh, { openAgain: open })) test(name, run);
});

describe('objects', () => {
  test('have the prefix and readable names, in the order of their keys', async () => {
    const store = open({ prefix: 'one/' });
    const keys = ['', '/a', '//', 'jobs/7f/documents/000001', 'A_b-é', 'x'.repeat(250)];
    for (const key of keys) await store.set(key, bytes(key));
    expect([...server.objects.keys()].sort()).toEqual([
      'one/-',
      'one/-2f/-',
      'one/-2fa-',
      'one/_41_5fb-2d~00e9-',
      'one/jobs/7f/documents/000001-',
      `one/${'x'.repeat(200)}/${'x'.repeat(50)}-`,
    ]);
    expect(await listed(store)).toEqual([...keys].sort());
    await open({ prefix: 'other/' }).set('a', bytes('1'));
    await store.deleteAll('');
    expect([...server.objects.keys()]).toEqual(['other/a-']);
  });

  test('of others are neither listed nor removed', async () => {
    const store = open({ prefix: '' });
    await store.set('a', bytes('1'));
    const others = ['readme.txt', 'b', 'b/', 'é&<', '~check-1', 'a--', 'a-2d'];
    for (const name of others) server.objects.set(name, Buffer.from('theirs'));
    expect(await listed(store)).toEqual(['a']);
    await store.deleteAll('');
    expect([...server.objects.keys()]).toEqual(others);
  });

  test('are listed and removed a thousand at a time', async () => {
    const store = open();
    const keys = Array.from({ length: 2500 }, (_, at) => `key/${String(at).padStart(5, '0')}`);
    await store.set(keys[0]!, bytes('1'));
    const [object] = [...server.objects.values()];
    for (const key of keys) server.objects.set(`pagewright/${key}-`, object!);
    server.log.length = 0;
    expect(await listed(store, 'key/')).toEqual(keys);
    expect(requests()).toHaveLength(3);
    server.log.length = 0;
    await store.deleteAll('key/');
    expect(requests().filter((one) => one === 'POST delete')).toHaveLength(3);
    expect(server.objects.size).toBe(0);
  });

  test('are looked at by a list only if they may expire', async () => {
    const store = open();
    for (let at = 0; at < 20; at += 1) await store.set(`a/${at}`, new Uint8Array(at));
    await store.set('a/soon', bytes('1'), { expiresAt: Date.now() + 60_000 });
    await store.set('a/past', bytes('12'), { expiresAt: Date.now() - 1 });
    server.log.length = 0;
    expect(await listed(store, 'a/')).toHaveLength(21);
    expect(requests().sort()).toEqual([
      'GET list-type,prefix',
      'GET pagewright/a/past-',
      'GET pagewright/a/soon-',
    ]);
  });

  test('whose name would be too long are refused', async () => {
    const error = await failureOf(open().set('é'.repeat(300), bytes('1')));
    expect(error.message).toMatch(/1[0-9]{3} bytes, and S3 allows 1024\. Use shorter keys/);
  });

  test.each([
    ['is something else', Buffer.from('<html>')],
    ['is empty', Buffer.alloc(0)],
  ])('that %s are damaged values', async (_, object) => {
    const store = open();
    server.objects.set('pagewright/a-', object);
    const error = await failureOf(store.get('a'));
    expect(error.message).toMatch(/object of "a" in the bucket crawls.* is damaged/);
  });
});

describe('options', () => {
  const { secretAccessKey } = { secretAccessKey: 'a secret with spaces' };
  test.each([
    [{}, 'bucket: expected string'],
    [{ bucket: 'No Bucket' }, 'bucket: expected the name of a bucket'],
    [{ bucket: 'crawls', region: 'EU!' }, 'region: expected a region'],
    [{ bucket: 'crawls', endpoint: 'localhost:9000' }, 'endpoint: expected a URL'],
    [{ bucket: 'crawls', endpoint: 'http://key:hidden@127.0.0.1/' }, 'without credentials'],
    [{ bucket: 'crawls', prefix: '../a' }, 'prefix: expected folders'],
    [{ bucket: 'crawls', accessKeyId: 'a' }, 'pass accessKeyId with secretAccessKey'],
    [{ bucket: 'crawls', sessionToken: 'a' }, 'pass accessKeyId with secretAccessKey'],
    [
      { bucket: 'crawls', accessKeyId: 'a', secretAccessKey },
      'secretAccessKey: expected printable',
    ],
    [{ bucket: 'crawls', credentials: { accessKeyId: 'a' } }, 'credentials: expected a function'],
    [
      { bucket: 'crawls', accessKeyId: 'a', secretAccessKey: 'b', credentials: () => ({}) },
      'or credentials',
    ],
    [{ bucket: 'crawls', forcePathStyle: 'yes' }, 'forcePathStyle: expected boolean'],
    [{ bucket: 'crawls', requestTimeout: 1 }, 'requestTimeout: expected number to be >=100'],
    [{ bucket: 'crawls', secretKey: 'hidden' }, 'unknown option "secretKey"'],
    [{ bucket: 'crawls' }, 'there are no credentials'],
  ])('%j is BAD_REQUEST', (options, message) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    const make = (): Store => s3Store(options as never);
    expect(make).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    expect(make).toThrow(message);
    expect(make).not.toThrow(/hidden|with spaces/);
  });

  test('credentials and region are those of the environment', async () => {
    await using asking = await startS3({ sessionToken: 'token-1' });
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = asking.access;
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
    vi.stubEnv('AWS_SESSION_TOKEN', 'token-1');
    vi.stubEnv('AWS_DEFAULT_REGION', region);
    await s3Store({ endpoint, bucket }).set('a', bytes('1'));
    vi.stubEnv('AWS_REGION', 'us-west-2');
    await failureOf(s3Store({ endpoint, bucket }).get('a'));
    expect(await s3Store({ endpoint, bucket, region }).get('a')).toEqual(bytes('1'));
    // A token belongs to its keys.
    const own = s3Store({ endpoint, bucket, region, accessKeyId, secretAccessKey });
    expect((await failureOf(own.get('a'))).message).toContain('InvalidToken');
    const whole = { endpoint, bucket, region, accessKeyId, secretAccessKey };
    expect(await s3Store({ ...whole, sessionToken: 'token-1' }).get('a')).toEqual(bytes('1'));
  });

  test('credentials that are renewed are asked for before each call', async () => {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = server.access;
    let asked = 0;
    const credentials = (): Promise<{ accessKeyId: string; secretAccessKey: string }> => {
      asked += 1;
      return Promise.resolve({ accessKeyId, secretAccessKey: asked > 2 ? 'old' : secretAccessKey });
    };
    const store = s3Store({ endpoint, bucket, region, credentials });
    await store.set('a', bytes('1'));
    expect(await store.get('a')).toEqual(bytes('1'));
    expect((await failureOf(store.get('a'))).message).toContain('SignatureDoesNotMatch');
    const token = { accessKeyId, secretAccessKey, sessionToken: 'bad\ntoken' };
    const bad = s3Store({ endpoint, bucket, region, credentials: () => Promise.resolve(token) });
    await expect(bad.get('a')).rejects.toThrow(/^s3Store: credentials\(\): sessionToken: expected/);
  });

  test('the bucket is in the host with forcePathStyle: false', async () => {
    const { lookup } = dns;
    vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) =>
      Reflect.apply(lookup, dns, [
        host === 'crawls.localhost' ? '127.0.0.1' : host,
        ...rest,
      ])) as never);
    const endpoint = server.endpoint.replace('127.0.0.1', 'localhost');
    await open({ endpoint, forcePathStyle: false }).set('a', bytes('1'));
    expect(server.log[0]?.headers.host).toMatch(/^crawls\.localhost:/);
    expect([...server.objects.keys()]).toEqual(['pagewright/a-']);
  });

  test('without an endpoint it is that of AWS for the region', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
    const urlOf = async (options: Partial<S3StoreOptions>): Promise<string> => {
      vi.mocked(fetch).mockClear();
      const store = open({ endpoint: undefined, requestTimeout: 100, ...options });
      await failureOf(store.get('a'));
      return (vi.mocked(fetch).mock.calls[0]?.[0] as URL).href;
    };
    expect(await urlOf({})).toBe('https://crawls.s3.eu-central-1.amazonaws.com/pagewright/a-');
    expect(await urlOf({ bucket: 'a.b' })).toBe(
      'https://s3.eu-central-1.amazonaws.com/a.b/pagewright/a-',
    );
    expect(await urlOf({ endpoint: 'https://host.test/s3/' })).toBe(
      'https://host.test/s3/crawls/pagewright/a-',
    );
  });
});

describe('replace', () => {
  test('of fifty calls of two stores one is told true, again and again', async () => {
    const stores = [open(), open()];
    let value: Uint8Array | undefined;
    for (let round = 0; round < 20; round += 1) {
      const claims = Array.from({ length: 50 }, (_, at) => bytes(`round ${round}, claim ${at}`));
      const told = await Promise.all(
        claims.map((claim, at) => stores[at % 2]!.replace('lease', value, claim)),
      );
      expect(told.filter(Boolean)).toHaveLength(1);
      value = claims[told.indexOf(true)];
      expect(await stores[0]!.get('lease')).toEqual(value);
    }
  });

  test('tries the service once, and leaves nothing of it', async () => {
    const store = open();
    await Promise.all([1, 2, 3].map((at) => store.replace(`a/${at}`, undefined, bytes('1'))));
    expect(requests().filter((one) => one.includes('~check'))).toHaveLength(5);
    expect(server.objects.size).toBe(3);
    server.log.length = 0;
    await store.replace('a/1', bytes('1'), bytes('2'));
    expect(requests()).toEqual(['GET pagewright/a/1-', 'PUT pagewright/a/1-']);
    server.log.length = 0;
    await store.replace('b', undefined, bytes('1'));
    expect(requests()).toEqual(['PUT pagewright/b-']);
  });

  test.each(['ignored', 'if-match ignored', 'not implemented'] as const)(
    'throws where conditions are %s',
    async (conditions) => {
      await using old = await startS3({ conditions });
      const store = s3Store(old.access) as ReturnType<typeof open>;
      for (let time = 0; time < 2; time += 1) {
        const error = await failureOf(store.replace('a', undefined, bytes('1')));
        expect(error.message).toMatch(/has no conditional writes .* such as AWS S3/);
      }
      expect(old.objects.size).toBe(0);
      await store.set('a', bytes('1'));
      expect(await store.get('a')).toEqual(bytes('1'));
    },
  );

  test('is tried again after a service that could not be reached', async () => {
    const store = open();
    server.disturb = () => ({ status: 403, code: 'AccessDenied' });
    await failureOf(store.replace('a', undefined, bytes('1')));
    server.disturb = undefined;
    expect(await store.replace('a', undefined, bytes('1'))).toBe(true);
  });

  test('takes ETags without quotes where the service wants them so', async () => {
    await using ceph = await startS3({ quotedEtags: false });
    const [one, other] = [s3Store(ceph.access), s3Store(ceph.access)];
    expect(await one.replace?.('a', undefined, bytes('1'))).toBe(true);
    expect(await other.replace?.('a', bytes('1'), bytes('2'))).toBe(true);
    expect(await one.replace?.('a', bytes('1'), bytes('3'))).toBe(false);
  });

  test.each<[string, readonly Disturbance[]]>([
    ['before it was executed', ['drop']],
    ['after it was executed', ['lose the answer']],
    ['twice', ['drop', 'lose the answer']],
    ['for an error that may have come after it', [{ status: 500, code: 'InternalError' }]],
    ['for a conflict', [{ status: 409, code: 'ConditionalRequestConflict' }]],
    ['for a rate', [{ status: 503, code: 'SlowDown' }, { status: 429 }]],
  ])('has its answer although one was lost %s', async (_, disturbances) => {
    const store = open();
    disturb(isPut, ...disturbances);
    expect(await store.replace('a', undefined, bytes('1'))).toBe(true);
    disturb(isPut, ...disturbances);
    expect(await store.replace('a', bytes('1'), bytes('1'))).toBe(true);
    disturb(isPut, ...disturbances);
    expect(await store.replace('a', bytes('1'), bytes('2'))).toBe(true);
    expect(await open().get('a')).toEqual(bytes('2'));
  });

  test('throws when it cannot tell what came of it', async () => {
    const [store, other] = [open(), open()];
    await store.replace('a', undefined, bytes('1'));
    server.disturb = (request) => {
      if (!isPut(request)) return undefined;
      server.disturb = undefined;
      // The other process comes between the lost answer and the repetition.
      return () => other.replace('a', bytes('2'), bytes('1'));
    };
    const error = await failureOf(store.replace('a', bytes('1'), bytes('2')));
    expect(error.message).toMatch(/cannot tell if it replaced "a" .* Read it before/);
  });

  test('begins again when the same value was written meanwhile', async () => {
    const store = open();
    await store.replace('a', undefined, bytes('1'));
    server.disturb = (request) => {
      if (!isGet(request)) return undefined;
      server.disturb = (next) => {
        if (!isPut(next)) return undefined;
        server.disturb = undefined;
        // The id of the write alone is another one.
        const object = Buffer.from(server.objects.get('pagewright/a-')!);
        object.writeUInt8(object.readUInt8(1) ^ 1, 1);
        server.objects.set('pagewright/a-', object);
        return undefined;
      };
      return undefined;
    };
    expect(await store.replace('a', bytes('1'), bytes('2'))).toBe(true);
  });

  test('throws when the service refuses a right ETag', async () => {
    const store = open();
    await store.replace('a', undefined, bytes('1'));
    server.disturb = (request) =>
      isPut(request) ? { status: 412, code: 'PreconditionFailed' } : undefined;
    const error = await failureOf(store.replace('a', bytes('1'), bytes('2')));
    expect(error.message).toContain('refuses the condition though the value is the same');
  });
});

describe('failures', () => {
  test.each<[Disturbance, RegExp]>([
    [{ status: 403, code: 'AccessDenied' }, /HTTP 403 AccessDenied\. Allow s3:GetObject/],
    [{ status: 403, code: 'RequestTimeTooSkewed' }, /Set the clock/],
    [{ status: 400, code: 'ExpiredToken' }, /Check the credentials/],
    [{ status: 404, code: 'NoSuchBucket' }, /Create the bucket/],
    [
      { status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'us-west-2' } },
      /pass region: 'us-west-2'/,
    ],
    [{ status: 307, headers: { location: 'http://127.0.0.1:1/' } }, /Check the region/],
    [{ status: 404, body: '<html>No such page</html>' }, /HTTP 404\. Check that the endpoint/],
    [{ status: 200, body: '<html>Welcome</html>' }, /is damaged or was not written/],
    [{ status: 507, code: 'XMinioStorageFull' }, /HTTP 507 XMinioStorageFull\. Check the status/],
    [{ status: 400, code: 'x'.repeat(100) }, /HTTP 400\. Check/],
  ])('%j says what to do', async (disturbance, message) => {
    server.disturb = () => disturbance;
    const error = await failureOf(open().get('a'));
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(
      /^The (?:S3 store could not read|object of) "a" in the bucket crawls at 127/,
    );
  });

  test('of the signature, the region and the bucket are told by the server', async () => {
    const wrong = open({ secretAccessKey: 'not-the-secret' });
    const error = await failureOf(wrong.get('a'));
    expect(error.message).toMatch(/SignatureDoesNotMatch\. Check the credentials/);
    expect(error.message).not.toContain('not-the-secret');
    const region = await failureOf(open({ region: 'us-east-1' }).get('a'));
    expect(region.message).toContain("pass region: 'eu-central-1'");
    const bucket = await failureOf(open({ bucket: 'other' }).set('a', bytes('1')));
    expect(bucket.message).toContain('NoSuchBucket');
  });

  test('that pass are not noticed', async () => {
    const store = open();
    let count = 0;
    const turns: readonly Disturbance[] = [
      'drop',
      { status: 503, code: 'SlowDown' },
      { status: 500 },
    ];
    server.disturb = () => turns[count++ % 4];
    await store.set('a', bytes('1'));
    expect(await store.get('a')).toEqual(bytes('1'));
    expect(await listed(store)).toEqual(['a']);
    await store.deleteAll('');
    await store.delete('a');
    expect(await listed(store)).toEqual([]);
  });

  test('that last end after six attempts, within seconds', async () => {
    const started = Date.now();
    let attempts = 0;
    server.disturb = () => {
      attempts += 1;
      return { status: 503, code: 'SlowDown' };
    };
    const error = await failureOf(open().get('a'));
    expect(error.message).toMatch(/HTTP 503 SlowDown\. The service limits requests/);
    expect(attempts).toBe(6);
    expect(Date.now() - started).toBeLessThan(10_000);
    const closed = await startS3();
    await closed[Symbol.asyncDispose]();
    const gone = await failureOf(open({ endpoint: closed.endpoint }).get('a'));
    expect(gone.message).toMatch(/ECONNREFUSED.*Check the endpoint/);
  }, 30_000);

  test('a service that never answers ends a call after twice its time', async () => {
    server.disturb = () => 'hang';
    const started = Date.now();
    const error = await failureOf(open({ requestTimeout: 300 }).get('a'));
    expect(error.message).toMatch(/no answer within 0\.3 s\. Check the endpoint/);
    expect(Date.now() - started).toBeLessThan(3000);
  });

  test('a value that is cut is asked for again, and never given', async () => {
    const store = open();
    await store.set('a', bytes('a value of some length'));
    disturb(isGet, 'cut the answer');
    expect(await store.get('a')).toEqual(bytes('a value of some length'));
    server.disturb = () => 'cut the answer';
    await failureOf(store.get('a'));
  });

  const list = (inner: string): Disturbance => ({
    status: 200,
    body: `<ListBucketResult>${inner}</ListBucketResult>`,
  });
  const token = (of: number): string =>
    `<IsTruncated>true</IsTruncated><NextContinuationToken>t${of}</NextContinuationToken>`;
  const object = (name: string): string =>
    `<Contents><Key>pagewright/${name}</Key><Size>100</Size></Contents>`;
  test.each<[string, Disturbance, RegExp]>([
    ['a page of HTML', { status: 200, body: '<html></html>' }, /not a listing of S3/],
    ['nothing', { status: 200 }, /not a listing of S3/],
    ['a part of a listing', { status: 200, body: '<ListBucketResult><Cont' }, /not a listing/],
    ['a listing without its end', list('<IsTruncated>true</IsTruncated>'), /where it goes on/],
    ['names out of order', list(object('b-') + object('a-')), /not in the order/],
    [
      'the same page again and again',
      list(
        `<IsTruncated>true</IsTruncated>${object('b-')}<NextContinuationToken>t</NextContinuationToken>`,
      ),
      /not in the order/,
    ],
    [
      'objects of others again and again',
      list(
        '<IsTruncated>true</IsTruncated><Contents><Key>pagewright/theirs</Key><Size>1</Size></Contents><NextContinuationToken>t</NextContinuationToken>',
      ),
      /repeats itself/,
    ],
    [
      'nothing, with one token again and again',
      list('<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>'),
      /repeats itself/,
    ],
    ['too much', list('x'.repeat(16_000_001)), /larger than 16000000 bytes/],
  ])('a list that is %s', async (_, disturbance, message) => {
    server.disturb = (request) => (isList(request) ? disturbance : undefined);
    expect((await failureOf(listed(open()))).message).toMatch(message);
    expect((await failureOf(open().deleteAll(''))).message).toMatch(message);
  });

  test.each<[string, (page: number) => string, RegExp]>([
    ['two tokens in turn', (page) => token(page % 2), /repeats itself/],
    ['ever new tokens', (page) => token(page), /without any object/],
    [
      'ever new tokens for the same objects',
      (page) => `${token(page)}<Contents><Key>pagewright/theirs</Key><Size>1</Size></Contents>`,
      /repeats itself/,
    ],
  ])('a list that goes on with %s', async (_, inner, message) => {
    let pages = 0;
    server.disturb = (request) => (isList(request) ? list(inner((pages += 1))) : undefined);
    expect((await failureOf(listed(open()))).message).toMatch(message);
    expect((await failureOf(open().deleteAll(''))).message).toMatch(message);
    expect(pages).toBeLessThan(250);
  });

  test('objects that are left are removed once more, then told', async () => {
    const store = open();
    await store.set('a', bytes('1'));
    const isDelete = ({ method }: S3ServerRequest): boolean => method === 'POST';
    const left = {
      status: 200,
      body: '<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>',
    };
    disturb(isDelete, left, left);
    await store.deleteAll('');
    expect(server.objects.size).toBe(0);
    await store.set('a', bytes('1'));
    server.disturb = (request) => (isDelete(request) ? left : undefined);
    const error = await failureOf(store.deleteAll(''));
    expect(error.message).toMatch(/some objects are left: AccessDenied\. Allow s3:GetObject/);
    server.disturb = (request) => (isDelete(request) ? { status: 200, body: 'ok' } : undefined);
    expect((await failureOf(store.deleteAll(''))).message).toContain('not one of S3');
  });
});

test('a crawl whose client was closed goes on with what is in the bucket', async () => {
  const pages = 40;
  await using site = await serve(linkedSite({ pages, links: 3, seed: 4 }).site);
  const options = { network: { allow: ['127.0.0.1'] }, cache: false } as const;
  await using alone = createClient(options);
  const whole = await alone.crawl(site.url('/'), { limit: pages });
  site.clearLog();
  const client = createClient({ ...options, storage: open() });
  const job = client.crawl(site.url('/'), { limit: pages });
  let read = 0;
  for await (const _ of job) if ((read += 1) === 15) break;
  await client.close();
  await using later = createClient({ ...options, storage: open() });
  const { data, failed } = await later.jobs.resume(job.id);
  expect(failed).toBe(0);
  expect(data.map(({ markdown }) => markdown)).toEqual(whole.data.map(({ markdown }) => markdown));
  // A visit and a document: no page needs more than two requests.
  const visits = server.log.filter(({ name }) => /\/(?:visits|documents)\//.test(name));
  const written = visits.filter(isPut);
  expect(written.length).toBeLessThanOrEqual(2 * pages + 16);
});
