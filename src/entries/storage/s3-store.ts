/** A store in a bucket of an S3-compatible service: for jobs and caches that several hosts share. */
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { PagewrightError } from '../../core/runtime/errors.ts';
import { requirePackages } from '../../core/runtime/optional-packages.ts';
import { check } from '../../core/checks/check.ts';
import { redacted } from '../../core/checks/option.ts';
import { packEntry, unpackEntry, unpackHeader } from '../../core/storage/entry-encoding.ts';
import { adviceForS3, openS3Bucket, type S3Credentials, S3Error } from './s3-bucket.ts';
import { quoted, storageError } from '../../core/storage/storage-failures.ts';
import { sameBytes, type Store } from '../../core/storage/store.ts';
import { type Duration, durationSchema } from '../../core/checks/duration.ts';

const limits = {
  lookupsAtOnce: 16, // values read together when a list has to check whether they have expired
  rounds: 8, // times that `replace` begins again after other writers came first
  nameBytes: 1024, // of S3
  partBytes: 200, // some services store names as files, with 255 bytes a part
};

/** The bucket, and who may use it. */
export interface S3StoreOptions {
  /** The name of a bucket that exists. */
  readonly bucket: string;
  /** @default AWS_REGION, else AWS_DEFAULT_REGION, else 'us-east-1' */
  readonly region?: string | undefined;
  /**
   * The URL of a service other than AWS: `http://127.0.0.1:9000`.
   * @default `https://s3.<region>.amazonaws.com`
   */
  readonly endpoint?: string | undefined;
  /**
   * The prefix of every object in the bucket, up to 200 characters of A-Z, a-z, 0-9, `/`, `.`, `_`
   * and `-`. @default 'pagewright/'
   */
  readonly prefix?: string | undefined;
  /** Together with `secretAccessKey`. @default AWS_ACCESS_KEY_ID */
  readonly accessKeyId?: string | undefined;
  /** @default AWS_SECRET_ACCESS_KEY */
  readonly secretAccessKey?: string | undefined;
  /** Of temporary credentials. @default AWS_SESSION_TOKEN, if the keys are from there too */
  readonly sessionToken?: string | undefined;
  /**
   * Called for each request, in place of the keys: for credentials that are renewed, such as
   * `fromNodeProviderChain()` of `@aws-sdk/credential-providers`, which keeps them as long as they
   * are valid.
   */
  readonly credentials?: (() => Promise<S3Credentials>) | undefined;
  /**
   * Name the bucket in the path of the URL, not in its host.
   * @default true with `endpoint` or a dot in the name of the bucket
   */
  readonly forcePathStyle?: boolean | undefined;
  /**
   * Milliseconds for one request, 100 to 600000; with its retries a call takes twice as long at
   * most. @default 15000
   */
  readonly requestTimeout?: Duration | undefined;
}

/** The start of an object that has its key and its expiry. */
const headerRange = 'bytes=0-8191';

/**
 * Keeps each value in an object of its own. Several hosts may use it concurrently where the service
 * supports conditional writes (`If-None-Match` and `If-Match` of PUT), as AWS S3, MinIO and R2 do;
 * the first `replace` tries it, and throws `STORAGE` if not. The clocks of the hosts have to agree
 * within seconds. Reads the named environment variables once, when it is called, and no
 * configuration files. A request is sent up to six times after 429, 5xx and network errors.
 * Throws `BAD_REQUEST`, and `MISSING_DEPENDENCY` without the package `aws4fetch`; its calls throw
 * `STORAGE`.
 *
 * @example s3Store({ bucket: 'crawls', region: 'eu-central-1' })
 * @example s3Store({ bucket: 'crawls', endpoint: 'http://127.0.0.1:9000', accessKeyId, secretAccessKey })
 */
export function s3Store(options: S3StoreOptions): Store {
  const { prefix, where, ...settings } = parseS3Options(options);
  requirePackages('s3Store()', 'aws4fetch');
  const bucket = openS3Bucket(settings);
  let trying: Promise<(etag: string) => string> | undefined;

  const call = async <T>(verb: string, key: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const action = { store: 'S3 store', verb, target: `${key} in ${where}` };
      throw storageError(action, error, adviceForS3(error));
    }
  };
  const read = async (key: string): Promise<S3Entry | undefined> => {
    const { code, body, headers } = await bucket.send({
      method: 'GET',
      name: nameOf(prefix, key),
      expects: ['NoSuchKey'],
    });
    if (code !== undefined) return undefined;
    const source = `The object of ${quoted(key)} in ${where}`;
    const { expiresAt, value } = unpackEntry(withoutId(body), source);
    return {
      value: expiresAt > Date.now() ? value : undefined,
      id: idOf(body),
      etag: headers.get('etag'),
    };
  };
  const isCurrent = async ({ key, mayExpire }: ListedKey): Promise<boolean> => {
    if (!mayExpire) return true;
    const { code, body } = await bucket.send({
      method: 'GET',
      name: nameOf(prefix, key),
      headers: { range: headerRange },
      expects: ['NoSuchKey'],
    });
    if (code !== undefined) return false;
    const source = `The object of ${quoted(key)} in ${where}`;
    return unpackHeader(withoutId(body), source).expiresAt > Date.now();
  };
  /** The keys below a prefix in pages, expired ones too; other objects are left out. */
  async function* pages(prefixOfKeys: string): AsyncGenerator<readonly ListedKey[]> {
    let last = '';
    for await (const objects of bucket.pages(prefix + encodeKey(prefixOfKeys))) {
      const page: ListedKey[] = [];
      for (const { name, size } of objects) {
        const key = name.startsWith(prefix) ? decodeName(name.slice(prefix.length)) : undefined;
        if (key?.startsWith(prefixOfKeys) !== true) continue;
        if (name <= last) throw new S3Error('the listing is not in the order of the names');
        last = name;
        page.push({ key, name, mayExpire: size % 2 === 1 });
      }
      yield page;
    }
  }
  /**
   * Tests whether the service respects conditions: else two writers would both win. Returns the form
   * in which it takes an ETag: Ceph up to version 16 refuses quotes.
   */
  const tryConditions = async (): Promise<(etag: string) => string> => {
    const name = `${prefix}~check-${randomUUID()}`;
    const put = (headers: Readonly<Record<string, string>>): ReturnType<typeof bucket.send> =>
      bucket.send({
        method: 'PUT',
        name,
        headers,
        body: Buffer.from('To try conditional writes.'),
        expects: ['PreconditionFailed', 'NotImplemented'],
      });
    const refuses = async (headers: Readonly<Record<string, string>>): Promise<boolean> =>
      (await put(headers)).code === 'PreconditionFailed';
    const etag = (await put({})).headers.get('etag') ?? '';
    const other = `"${'0'.repeat(32)}"`;
    try {
      if (await refuses({ 'if-none-match': '*' })) {
        for (const form of [(tag: string) => tag, (tag: string) => tag.replaceAll('"', '')]) {
          if (!(await refuses({ 'if-match': form(other) }))) break;
          if ((await put({ 'if-match': form(etag) })).code === undefined) return form;
        }
      }
    } finally {
      await bucket.send({ method: 'DELETE', name }).catch(() => undefined);
    }
    const message = `The S3 store cannot replace values in ${where}: the service has no conditional writes (If-None-Match and If-Match of PUT), without which two processes would both succeed. Use one that has them, such as AWS S3, MinIO or R2.`;
    throw new PagewrightError('STORAGE', message);
  };
  /** Tries once. */
  const etagForm = (): ReturnType<typeof tryConditions> => {
    trying ??= tryConditions().catch((error: unknown) => {
      trying = undefined;
      throw error;
    });
    return trying;
  };
  const lostAnswer = (key: string): string =>
    `The S3 store cannot tell if it replaced ${quoted(key)} in ${where}: the answer was lost, and another process has written the value since. Read it before you call again.`;
  /** Compares and swaps: the value read is replaced only while its ETag is the same. */
  const swap = async (
    key: string,
    expected: Uint8Array | undefined,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<boolean> => {
    const form = await etagForm();
    let refused: string | null | undefined;
    for (let round = 0; round < limits.rounds; round += 1) {
      // A value that is not expected is read only after the condition was refused.
      const isBlind = expected === undefined && round === 0;
      const found = isBlind ? undefined : await read(key);
      if (!sameBytes(found?.value, expected)) return false;
      if (found?.etag === null) throw new S3Error('the answer has no ETag');
      if (found !== undefined && found.etag === refused) break;
      const { code, isUncertain } = await bucket.send({
        method: 'PUT',
        name: nameOf(prefix, key),
        headers: found === undefined ? { 'if-none-match': '*' } : { 'if-match': form(found.etag) },
        body,
        expects: ['PreconditionFailed', 'NoSuchKey'],
      });
      if (code === undefined) return true;
      if (isUncertain) {
        // The refused request may be the repetition of one that was executed.
        const now = await read(key);
        if (now?.id === idOf(body)) return true;
        if (now?.etag !== found?.etag) {
          throw new PagewrightError('STORAGE', lostAnswer(key));
        }
      }
      refused = found?.etag;
    }
    throw new S3Error('the service refuses the condition though the value is the same');
  };

  return {
    get: async (key) => (await call('read', quoted(key), () => read(key)))?.value,
    set: async (key, value, { expiresAt } = {}) => {
      const body = packObject(key, value, expiresAt);
      await call('write', quoted(key), () =>
        bucket.send({ method: 'PUT', name: nameOf(prefix, key), body }),
      );
    },
    delete: async (key) => {
      await call('remove', quoted(key), () =>
        bucket.send({ method: 'DELETE', name: nameOf(prefix, key), expects: ['NoSuchKey'] }),
      );
    },
    async *list(prefixOfKeys) {
      const target = `${quoted(prefixOfKeys)}…`;
      const listing = pages(prefixOfKeys);
      for (;;) {
        const next = await call('list', target, () => listing.next());
        if (next.done === true) return;
        const page = next.value;
        for (let at = 0; at < page.length; at += limits.lookupsAtOnce) {
          const some = page.slice(at, at + limits.lookupsAtOnce);
          const current = await call('list', target, () => Promise.all(some.map(isCurrent)));
          for (const [index, { key }] of some.entries()) if (current[index] === true) yield key;
        }
      }
    },
    replace: (key, expected, value, { expiresAt } = {}) => {
      const body = packObject(key, value, expiresAt);
      const wanted = expected && new Uint8Array(expected);
      return call('replace', quoted(key), () => swap(key, wanted, body));
    },
    deleteAll: (prefixOfKeys) =>
      call('remove', `${quoted(prefixOfKeys)}…`, async () => {
        for await (const page of pages(prefixOfKeys)) {
          if (page.length > 0) await bucket.deleteObjects(page.map(({ name }) => name));
        }
      }),
  };
}

interface S3Entry {
  /** Undefined when it has expired. */
  readonly value: Uint8Array | undefined;
  /** Of the write. */
  readonly id: string;
  readonly etag: string | null;
}

interface ListedKey {
  readonly key: string;
  /** The name of its object. */
  readonly name: string;
  readonly mayExpire: boolean;
}

// Options, with the environment of the process.

/** Other characters cannot be sent in a header, and an error of `fetch` would repeat them. */
const credentialSchema = z.string().regex(/^[\x21-\x7e]+$/, 'expected printable ASCII');

const secretSchema = credentialSchema.clone().register(redacted);

const credentialsShape = {
  accessKeyId: credentialSchema,
  secretAccessKey: secretSchema,
  sessionToken: secretSchema.optional(),
};

const optionsSchema = z
  .strictObject({
    bucket: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'expected the name of a bucket: crawls'),
    region: z
      .string()
      .regex(/^[a-z0-9-]+$/, 'expected a region: eu-central-1')
      .optional(),
    endpoint: z
      .string()
      .refine(isPlainUrl, 'expected a URL without credentials: http://127.0.0.1:9000')
      .optional(),
    prefix: z
      .string()
      .max(200)
      .regex(/^(?:[\w-][\w.-]*\/)*(?:[\w-][\w.-]*)?$/, 'expected folders and a name: crawls/2026/')
      .optional(),
    accessKeyId: credentialSchema.optional(),
    secretAccessKey: secretSchema.optional(),
    sessionToken: secretSchema.optional(),
    credentials: z
      .custom<() => Promise<S3Credentials>>((value) => typeof value === 'function', {
        message: 'credentials: expected a function',
      })
      .optional(),
    forcePathStyle: z.boolean().optional(),
    requestTimeout: durationSchema(100, 600_000).optional(),
  } satisfies Record<keyof S3StoreOptions, z.ZodType>)
  .refine(
    ({ accessKeyId, secretAccessKey, sessionToken, credentials }) => {
      if (credentials !== undefined) return !(accessKeyId || secretAccessKey || sessionToken);
      if (accessKeyId === undefined) return secretAccessKey === undefined && !sessionToken;
      return secretAccessKey !== undefined;
    },
    { message: 'pass accessKeyId with secretAccessKey, or credentials, or none of them' },
  );

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username + url.password + url.search + url.hash === '';
}

function parseS3Options(options: unknown): Parameters<typeof openS3Bucket>[0] & {
  readonly prefix: string;
  /** For messages. */
  readonly where: string;
} {
  const { env } = process;
  const given = check('s3Store', optionsSchema, options);
  const { bucket, prefix = 'pagewright/', requestTimeout = 15_000 } = given;
  const { region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1' } = given;
  const { endpoint = `https://s3.${region}.amazonaws.com` } = given;
  const { forcePathStyle = given.endpoint !== undefined || bucket.includes('.') } = given;
  const url = new URL(endpoint);
  const folder = url.pathname.replace(/\/*$/, '');
  return {
    url: forcePathStyle
      ? `${url.origin}${folder}/${bucket}`
      : `${url.protocol}//${bucket}.${url.host}${folder}`,
    region,
    prefix,
    requestTimeout,
    where: `the bucket ${bucket} at ${url.host}`,
    credentials: credentialsOf(given),
  };
}

function credentialsOf(given: z.output<typeof optionsSchema>): () => Promise<S3Credentials> {
  const { credentials, accessKeyId, secretAccessKey, sessionToken } = given;
  if (credentials !== undefined) {
    const schema = z.object(credentialsShape);
    return async () => check('s3Store: credentials()', schema, await credentials());
  }
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return () => Promise.resolve({ accessKeyId, secretAccessKey, sessionToken });
  }
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    const message =
      's3Store: there are no credentials: pass accessKeyId and secretAccessKey, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const found = check('s3Store: AWS_*', z.object(credentialsShape), {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN || undefined,
  });
  return () => Promise.resolve(found);
}

// The content of an object: the length of an id, the id of the write, and the entry.

/**
 * The id makes each write differ, and so its ETag: a value that was changed and changed back is not
 * the one that was read. Its length makes the number of bytes odd exactly if the value may expire,
 * because a listing has only the name and the size of a value.
 */
function packObject(key: string, value: Uint8Array, expiresAt = Infinity): Uint8Array<ArrayBuffer> {
  const entry = packEntry({ key, expiresAt }, value);
  const mayExpire = expiresAt !== Infinity;
  const length = (entry.length % 2 === 1) === mayExpire ? 15 : 16;
  return Buffer.concat([Buffer.from([length]), randomBytes(length), entry]);
}

function idOf(body: Uint8Array): string {
  return Buffer.from(body.subarray(1, 1 + (body[0] ?? 0))).toString('hex');
}

function withoutId(body: Buffer): Buffer {
  return body.subarray(1 + (body[0] ?? 0));
}

// Names of objects: 0-9, a-z, `/`, `-`, `_` and `~`, in the same order as the keys.

/** The end of a name: it sorts before anything that a longer key has there, so that `a` precedes `a/b`. */
const nameEnd = '-';

function nameOf(prefix: string, key: string): string {
  const name = prefix + encodeKey(key) + nameEnd;
  if (name.length <= limits.nameBytes) return name;
  throw new PagewrightError(
    'STORAGE',
    `The S3 store cannot store the key ${quoted(key)}: with the prefix its name would have ${name.length} bytes, and S3 allows ${limits.nameBytes}. Use shorter keys.`,
  );
}

/**
 * Other code units are escaped with a character that sorts where they do: `-2d` below `/`, `_41`
 * between digits and letters, `~00e9` above. A part is never empty (`/` is `-2f` there) and never
 * long: a `/` after 200 bytes is not one of the key.
 */
function encodeKey(key: string): string {
  let name = '';
  let partAt = 0;
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    const hex = unit.toString(16);
    if (name.length - partAt >= limits.partBytes) partAt = (name += '/').length;
    if (unit === 0x2f && name.length > partAt) partAt = (name += '/').length;
    else if (unit < 0x30) name += `-${hex.padStart(2, '0')}`;
    else if (unit < 0x3a || (unit > 0x60 && unit < 0x7b)) name += key.charAt(at);
    else name += unit < 0x7b ? `_${hex}` : `~${hex.padStart(4, '0')}`;
  }
  return name;
}

/** The key, or undefined for a name that is not of a key. */
function decodeName(name: string): string | undefined {
  let partAt = 0;
  const key = name.slice(0, -nameEnd.length).replace(/\/|[-_]..|~..../g, (code, at: number) => {
    if (code !== '/') return String.fromCharCode(parseInt(code.slice(1), 16));
    const isBreak = at - partAt >= limits.partBytes;
    partAt = at + 1;
    return isBreak ? '' : '/';
  });
  return encodeKey(key) + nameEnd === name ? key : undefined;
}
