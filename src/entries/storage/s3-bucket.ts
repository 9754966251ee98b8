/** Signed requests to one bucket of an S3-compatible service: retries, time limits, errors with advice. */
import { createHash } from 'node:crypto';
import { messageOf, MissingDependencyError, PagewrightError } from '../../core/runtime/errors.ts';
import { withDescriptors } from '../../core/runtime/file-descriptors.ts';
import { loadPackage } from '../../core/runtime/optional-packages.ts';
import { type AttemptFailure, mayPass, retry, retryPolicies } from '../../core/runtime/retry.ts';
import { LastingFailure } from '../../core/storage/storage-failures.ts';
import { isRedirect } from '../../content/text/http-headers.ts';

const bounds = {
  xmlBytes: 16_000_000, // of a listing of 1000 names, or of an error
  emptyPages: 100, // in a row: objects that were just removed may leave some
};

/** Signs the requests. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** The bucket, and the settings of its requests. */
export interface S3BucketSettings {
  /** The URL of the bucket, without a `/` at its end. */
  readonly url: string;
  readonly region: string;
  readonly credentials: () => Promise<S3Credentials>;
  /** Milliseconds for one request; all attempts together take twice as long at most. */
  readonly requestTimeout: number;
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The name of an object; without it the request is about the bucket. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Error codes that are results and not thrown. */
  readonly expects?: readonly string[];
}

interface S3Reply {
  readonly headers: Headers;
  readonly body: Buffer;
  /** The error code, if it is an expected one. */
  readonly code?: string;
  /** An earlier attempt got no clear answer: it may have been executed too. */
  readonly isUncertain: boolean;
}

/** An object in a listing. */
export interface S3Object {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** The requests that the store needs. */
export interface S3Bucket {
  /**
   * Retries, up to five times with growing pauses, after 429, 5xx and errors of the
   * network. Throws an `S3Error`, or the error of the network.
   */
  send(request: S3Request): Promise<S3Reply>;
  /** The objects whose names start with `prefix`, in pages. */
  pages(prefix: string): AsyncIterable<readonly S3Object[]>;
  /** Removes up to 1000 objects in one request. */
  deleteObjects(names: readonly string[]): Promise<void>;
}

/** An answer that the store cannot use. */
export class S3Error extends LastingFailure {
  /** The error code of S3: `AccessDenied`. */
  readonly code: string | undefined;
  readonly status: number;
  /** The region of the bucket, when it is another one. */
  readonly region: string | undefined;

  constructor(
    message: string,
    details: {
      readonly code?: string | undefined;
      readonly status?: number;
      readonly region?: string | undefined;
    } = {},
  ) {
    super(message);
    this.code = details.code;
    this.status = details.status ?? 0;
    this.region = details.region;
  }
}

/** Opens nothing: the first request connects. */
export function openS3Bucket(settings: S3BucketSettings): S3Bucket {
  const { url, region, requestTimeout } = settings;
  // The keys that are derived from the credentials, a day each.
  const cache = new Map<string, ArrayBuffer>();

  const attempt = async (
    { method, name, query, headers = {}, body }: S3Request,
    { sessionToken, ...keys }: S3Credentials,
    deadline: AbortSignal,
  ): Promise<{ readonly response: Response; readonly bytes: Buffer }> => {
    const { AwsV4Signer } = await loadPackage('s3Store()', 'aws4fetch', () => import('aws4fetch'));
    const path = name === undefined ? '' : `/${name}`;
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const signer = new AwsV4Signer({
      method,
      url: url + path + search,
      headers: { ...headers, 'x-amz-content-sha256': digest('sha256', 'hex', body) },
      ...keys,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      cache,
    });
    const signed = await signer.sign();
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(requestTimeout)]);
    const response = await withDescriptors(
      () =>
        fetch(signed.url, {
          method,
          headers: signed.headers,
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal,
        }),
      signal,
    );
    const isValue = response.ok && method === 'GET' && name !== undefined;
    return { response, bytes: await readBody(response, isValue ? Infinity : bounds.xmlBytes) };
  };

  const send = async (request: S3Request): Promise<S3Reply> => {
    const credentials = await settings.credentials();
    const deadline = AbortSignal.timeout(2 * requestTimeout);
    const policy = { ...retryPolicies.s3, time: 2 * requestTimeout };
    let isUncertain = false;
    const work = async (): Promise<S3Reply> => {
      const { response, bytes } = await attempt(request, credentials, deadline);
      const reply = { headers: response.headers, body: bytes, isUncertain };
      if (response.ok) return reply;
      const error = errorIn(response, bytes);
      const { code = '' } = error;
      if (request.expects?.includes(code) === true) return { ...reply, code };
      throw error;
    };
    const failureOf = (error: unknown): AttemptFailure => {
      if (error instanceof MissingDependencyError) return { error, mayRetry: false };
      const { status: statusCode, code } = error instanceof S3Error ? error : {};
      isUncertain ||= statusCode === undefined || statusCode >= 500;
      if (statusCode !== undefined)
        return { error, mayRetry: mayPass(policy, { statusCode, code }) };
      return { error: networkError(error, requestTimeout), mayRetry: mayPass(policy, {}) };
    };
    return retry(policy, work, { failureOf });
  };

  return {
    send,
    async *pages(prefix) {
      const circle = listingCircle();
      let token: string | undefined;
      do {
        const query = {
          'list-type': '2',
          prefix,
          ...(token !== undefined && { 'continuation-token': token }),
        };
        const { body } = await send({ method: 'GET', query });
        const page = readListing(body.toString());
        yield page.objects;
        circle.refuse(page);
        token = page.token;
      } while (token !== undefined);
    },
    async deleteObjects(names) {
      const objects = names.map((name) => `<Object><Key>${name}</Key></Object>`).join('');
      const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects}</Delete>`);
      // AWS requires it beside the signed SHA-256.
      const headers = { 'content-md5': digest('md5', 'base64', body) };
      let left: S3Error | undefined;
      const work = async (): Promise<void> => {
        const reply = await send({ method: 'POST', query: { delete: '' }, headers, body });
        const xml = reply.body.toString();
        if (!xml.includes('<DeleteResult')) throw new S3Error('the response is not one of S3');
        if (!xml.includes('<Error>')) return;
        const code = nameIn(textOf(xml, 'Code'));
        throw (left = new S3Error(`some objects are left: ${code ?? 'no reason'}`, { code }));
      };
      await retry({ ...retryPolicies.s3, attempts: 3 }, work, {
        failureOf: (error) => ({ error, mayRetry: error === left }),
      });
    },
  };
}

function digest(
  algorithm: 'sha256' | 'md5',
  encoding: 'hex' | 'base64',
  body: Uint8Array = new Uint8Array(),
): string {
  return createHash(algorithm).update(body).digest(encoding);
}

async function readBody(response: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > most) throw new S3Error(`the answer is larger than ${most} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** The error of an answer. Its text is not used: the server may repeat the request in it. */
function errorIn({ status, headers }: Response, bytes: Buffer): S3Error {
  const xml = bytes.toString();
  const named = xml.includes('<Error>') ? nameIn(textOf(xml, 'Code')) : undefined;
  const code = named ?? (status === 412 ? 'PreconditionFailed' : undefined);
  const region = nameIn(headers.get('x-amz-bucket-region') ?? textOf(xml, 'Region'));
  return new S3Error(`HTTP ${status}${code === undefined ? '' : ` ${code}`}`, {
    code,
    status,
    region,
  });
}

function textOf(xml: string, element: string): string | undefined {
  const [, rest] = xml.split(`<${element}>`, 2);
  return rest?.split('<', 1)[0];
}

/** A code or a region, for messages; nothing else that a server may have sent. */
function nameIn(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w-]{1,60}$/.test(text) ? text : undefined;
}

/** The cause is more specific than "fetch failed". */
function networkError(error: unknown, requestTimeout: number): Error {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new Error(`no answer within ${requestTimeout / 1000} s`, { cause: error });
  }
  if (error instanceof PagewrightError) return new Error(error.message, { cause: error });
  const { cause = error } = error as { readonly cause?: unknown };
  const { code } = cause as { readonly code?: unknown };
  return new Error(messageOf(cause) || String(code), { cause: error });
}

/** A page of a listing. */
interface ListingPage {
  readonly objects: readonly S3Object[];
  /** Of the next page. */
  readonly token: string | undefined;
}

/** Ends a listing that a server would continue for ever: each page has to bring something new. */
function listingCircle(): { refuse(page: ListingPage): void } {
  const seen = new Set<string>();
  let empty = 0;
  return {
    refuse({ objects: [first], token }) {
      empty = first === undefined ? empty + 1 : 0;
      const marks = [first && `object ${first.name}`, token && `token ${token}`].filter(Boolean);
      const isRepeated = marks.some((mark) => seen.has(String(mark)));
      for (const mark of marks) seen.add(String(mark));
      if (isRepeated) throw new S3Error('the listing repeats itself');
      if (empty > bounds.emptyPages) throw new S3Error('the listing goes on without any object');
    },
  };
}

function readListing(xml: string): ListingPage {
  const isWhole = xml.includes('<ListBucketResult') && xml.includes('</ListBucketResult>');
  if (!isWhole) throw new S3Error('the answer is not a listing of S3');
  const objects = xml
    .split('<Contents>')
    .slice(1)
    .map((part) => ({ name: textOf(part, 'Key') ?? '', size: Number(textOf(part, 'Size')) }));
  const token = textOf(xml, 'NextContinuationToken')?.replaceAll('&amp;', '&');
  const isCut = textOf(xml, 'IsTruncated') === 'true';
  if (isCut && !token) throw new S3Error('the listing has more, and does not say where it goes on');
  return { objects, token: isCut ? token : undefined };
}

/** Advice for a failed request. */
export function adviceForS3(error: unknown): string {
  if (!(error instanceof S3Error)) {
    return 'Check the endpoint and that it can be reached, then call again.';
  }
  const { code = '', status, region } = error;
  if (/^(?:PermanentRedirect|AuthorizationHeaderMalformed)$/.test(code) || isRedirect(status)) {
    return region === undefined
      ? 'Check the region and the endpoint of the bucket.'
      : `The bucket is elsewhere: pass region: '${region}'.`;
  }
  if (code === 'NoSuchBucket') return 'Create the bucket, or check its name and the endpoint.';
  if (code === 'RequestTimeTooSkewed') return 'Set the clock of this machine.';
  if (/^(?:SignatureDoesNotMatch|InvalidAccessKeyId|InvalidToken|ExpiredToken)/.test(code)) {
    return 'Check the credentials; for temporary ones pass credentials, a function.';
  }
  if (status === 401 || status === 403 || code === 'AccessDenied') {
    return 'Allow s3:GetObject, s3:PutObject and s3:DeleteObject on its objects and s3:ListBucket on the bucket.';
  }
  if (status === 429 || status === 503) {
    return 'The service limits requests: lower maxConcurrency, or call again later.';
  }
  if (status >= 500) return 'Check the status of the service, then call again.';
  return 'Check that the endpoint is one of an S3-compatible service, and check its log.';
}
