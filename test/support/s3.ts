/** An S3 server for tests, in this process and in memory: it checks signatures and conditions as AWS does. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Options of the server. */
export interface S3ServerOptions {
  /**
   * What becomes of If-Match and If-None-Match of PUT: the server ignores one or both, or answers
   * 501. @default 'kept'
   */
  readonly conditions?: 'kept' | 'ignored' | 'if-match ignored' | 'not implemented';
  /** Compares If-Match with ETags in quotes, or as Ceph 16 without. @default true */
  readonly quotedEtags?: boolean;
  /** Asks for this token in requests. @default none */
  readonly sessionToken?: string;
  /** Looks at each request first. @default every request is executed and answered */
  readonly disturb?: (request: S3ServerRequest) => Disturbance | undefined;
}

/** A request whose signature is right. */
export interface S3ServerRequest {
  readonly method: string;
  readonly bucket: string;
  /** The name of the object; empty for the bucket. */
  readonly name: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Closes the connection before the request is executed or after it, never answers, sends half of
 * the answer, or sends another answer in its place. A function runs between the request and the loss of its answer.
 */
export type Disturbance =
  | 'drop'
  | 'lose the answer'
  | 'hang'
  | 'cut the answer'
  | (() => Promise<unknown>)
  | {
      readonly status: number;
      readonly code?: string;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** A running server with the bucket `crawls`. */
export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  /** For `s3Store`. */
  readonly access: {
    readonly endpoint: string;
    readonly bucket: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  /** The bytes of the objects of the bucket by name. */
  readonly objects: Map<string, Buffer>;
  /** Executed requests. */
  readonly log: S3ServerRequest[];
  disturb: S3ServerOptions['disturb'];
}

const region = 'eu-central-1';
const accessKeyId = 'AKIATESTTESTTEST';
const secretAccessKey = 'correct/horse+battery/staple';
const bucketName = 'crawls';

/** Starts one on a free loopback port. */
export async function startS3(options: S3ServerOptions = {}): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const log: S3ServerRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', headers, url = '' } = incoming;
      const body = Buffer.concat(chunks);
      const refusal = refusalOf({ method, url, headers, body, sessionToken: options.sessionToken });
      if (refusal !== undefined) {
        answer(response, refusal);
        return;
      }
      const { pathname, searchParams: query } = new URL(url, 'http://host');
      const virtual = /^(.+)\.localhost:/.exec(headers.host ?? '')?.[1];
      const path = decodeURIComponent(pathname.slice(1));
      const [bucket = '', ...parts] = virtual === undefined ? path.split('/') : [virtual, path];
      const request = { method, bucket, name: parts.join('/'), query, headers, body };
      const disturbance = running.disturb?.(request);
      if (disturbance === 'hang') return;
      if (disturbance === 'drop') {
        response.destroy();
        return;
      }
      if (typeof disturbance === 'object') {
        const { code = '', ...rest } = disturbance;
        answer(response, { body: errorXml(code), ...rest });
        return;
      }
      log.push(request);
      const result = execute(objects, request, options);
      if (disturbance === 'lose the answer') response.destroy();
      else if (typeof disturbance === 'function') void disturbance().then(() => response.destroy());
      else if (disturbance === 'cut the answer') cut(response, result);
      else answer(response, result);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running: S3Server = {
    endpoint,
    access: { endpoint, bucket: bucketName, region, accessKeyId, secretAccessKey },
    objects,
    log,
    disturb: options.disturb,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
}

function answer(response: ServerResponse, { status, headers = {}, body = '' }: S3Answer): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, ...(status !== 204 && { 'content-length': length }) });
  response.end(status === 204 ? undefined : body);
}

/** Announces all of the body and sends half of it. */
function cut(response: ServerResponse, { status, headers, body = '' }: S3Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}

function execute(
  objects: Map<string, Buffer>,
  { method, bucket, name, query, headers, body }: S3ServerRequest,
  { conditions = 'kept', quotedEtags = true }: S3ServerOptions,
): S3Answer {
  if (bucket !== bucketName) return failure(404, 'NoSuchBucket');
  if (name === '' && method === 'GET' && query.get('list-type') === '2')
    return list(objects, query);
  if (name === '' && method === 'POST' && query.has('delete'))
    return deleteAll(objects, headers, body);
  if (name === '' || Buffer.byteLength(name) > 1024) return failure(400, 'InvalidRequest');
  const found = objects.get(name);
  if (method === 'DELETE') {
    objects.delete(name);
    return { status: 204 };
  }
  if (method === 'GET') {
    if (found === undefined) return failure(404, 'NoSuchKey');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const etag = { etag: etagOf(found) };
    if (first === undefined) return { status: 200, headers: etag, body: found };
    return { status: 206, headers: etag, body: found.subarray(Number(first), Number(last) + 1) };
  }
  if (method !== 'PUT') return failure(405, 'MethodNotAllowed');
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (conditions === 'not implemented' && (match ?? noneMatch))
    return failure(501, 'NotImplemented');
  if (conditions === 'kept' && match !== undefined) {
    if (found === undefined) return failure(404, 'NoSuchKey');
    const etag = etagOf(found);
    if (match !== (quotedEtags ? etag : etag.replaceAll('"', '')))
      return failure(412, 'PreconditionFailed');
  }
  if (conditions !== 'ignored' && noneMatch !== undefined && found !== undefined) {
    return failure(412, 'PreconditionFailed');
  }
  objects.set(name, body);
  return { status: 200, headers: { etag: etagOf(body) } };
}

function list(objects: Map<string, Buffer>, query: URLSearchParams): S3Answer {
  const token = query.get('continuation-token');
  const after = token === null ? '' : Buffer.from(token, 'base64').toString();
  const names = [...objects.keys()]
    .filter((name) => name.startsWith(query.get('prefix') ?? '') && name > after)
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const page = names.slice(0, Math.min(1000, Number(query.get('max-keys') ?? 1000)));
  const contents = page.map(
    (name) =>
      `<Contents><Key>${name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</Key><Size>${objects.get(name)?.length}</Size></Contents>`,
  );
  const isCut = page.length < names.length;
  const next = Buffer.from(page.at(-1) ?? '').toString('base64');
  const more = isCut ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
  return {
    status: 200,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isCut}</IsTruncated>${contents.join('')}${more}</ListBucketResult>`,
  };
}

function deleteAll(
  objects: Map<string, Buffer>,
  headers: IncomingHttpHeaders,
  body: Buffer,
): S3Answer {
  if (headers['content-md5'] !== createHash('md5').update(body).digest('base64')) {
    return failure(400, 'BadDigest');
  }
  const names = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name);
  if (names.length === 0 || names.length > 1000) return failure(400, 'MalformedXML');
  for (const name of names) objects.delete(name);
  return { status: 200, body: '<DeleteResult></DeleteResult>' };
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function failure(status: number, code: string, more = ''): S3Answer {
  return { status, body: errorXml(code, more) };
}

function errorXml(code: string, more = ''): string {
  return code === ''
    ? ''
    : `<Error><Code>${code}</Code><Message>It did not work.</Message>${more}</Error>`;
}

// Signature Version 4, as its documentation describes it for S3.

function refusalOf(request: {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly sessionToken: string | undefined;
}): S3Answer | undefined {
  const { method, url, headers, body, sessionToken } = request;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (parts === null) return failure(403, 'AccessDenied');
  const [, keyId = '', day = '', scope = '', signedHeaders = '', signature = ''] = parts;
  if (scope !== region) {
    return failure(400, 'AuthorizationHeaderMalformed', `<Region>${region}</Region>`);
  }
  if (keyId !== accessKeyId) return failure(403, 'InvalidAccessKeyId');
  if (headers['x-amz-security-token'] !== sessionToken) return failure(403, 'InvalidToken');
  const time = String(headers['x-amz-date']);
  const iso = time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5');
  if (!(Math.abs(Date.now() - Date.parse(iso)) < 900_000))
    return failure(403, 'RequestTimeTooSkewed');
  const hash = headers['x-amz-content-sha256'];
  if (hash !== sha256(body)) return failure(400, 'XAmzContentSHA256Mismatch');
  const signed = signedHeaders.split(';');
  const required = Object.keys(headers).filter((name) => /^(?:host|x-amz-.*|if-.*)$/.test(name));
  if (!required.every((name) => signed.includes(name))) return failure(403, 'AccessDenied');
  const { pathname, searchParams } = new URL(url, 'http://host');
  const canonical = [
    method,
    encoded(decodeURIComponent(pathname)).replaceAll('%2F', '/'),
    [...searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    hash,
  ].join('\n');
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (before, part) => createHmac('sha256', before).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const right = createHmac('sha256', key).update(text).digest();
  if (timingSafeEqual(right, Buffer.from(signature, 'hex'))) return undefined;
  return failure(403, 'SignatureDoesNotMatch', `<StringToSign>${text}</StringToSign>`);
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
