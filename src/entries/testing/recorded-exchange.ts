/** One exchange of an engine as plain data, a line of a recording: its request without secrets, its response, its bytes. */
import { isUtf8, kMaxLength } from 'node:buffer';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { builtInAction, isBuiltIn } from '../../browser/actions/action-types.ts';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import type { ActionStep, Capability, PageRequest, Rendering } from '../../core/model/request.ts';
import type { Captures, Picture, Snapshot } from '../../core/model/snapshot.ts';
import { isCredentialName } from '../../core/http/network/credentials.ts';
import { sha256Of } from '../../core/runtime/identifiers.ts';
import { deserializeError } from '../../core/page/serialized-error.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { withoutCredentials } from '../../core/url/links.ts';

/** A request, and its response or failure. */
export interface RecordedExchange {
  readonly request: RecordedRequest;
  /** The response is a page rendered by a browser. */
  readonly rendered?: true | undefined;
  readonly response?: RecordedResponse | undefined;
  readonly failure?: RecordedFailure | undefined;
  /** The request's number in the run. */
  readonly started?: number | undefined;
}

/** A snapshot without its body. */
export interface RecordedHead extends Omit<Snapshot, 'body' | 'captures'> {
  readonly captures?: RecordedCaptures | undefined;
}

/** A snapshot. */
export interface RecordedResponse extends RecordedHead {
  readonly body: RecordedBytes;
}

/** The error of an engine. */
export interface RecordedFailure {
  /** The error's class. */
  readonly name: string;
  readonly message: string;
  /** `code`, `url` and other properties of the class; undefined for an error of another library. */
  readonly own?: Readonly<Record<string, unknown>> | undefined;
  /** The run itself aborted the request, at its time limit. */
  readonly wasAborted?: true | undefined;
}

interface RecordedPicture {
  readonly mediaType: Picture['mediaType'];
  readonly base64: string;
}

type Actions = NonNullable<Captures['actions']>;

interface RecordedCaptures extends Omit<Captures, 'screenshot' | 'actions'> {
  readonly screenshot?: RecordedPicture | undefined;
  readonly actions?:
    | (Omit<Actions, 'screenshots' | 'pdfs'> & {
        readonly screenshots: readonly RecordedPicture[];
        readonly pdfs: readonly RecordedPicture[];
      })
    | undefined;
}

/** Serializes a response. */
export async function recordedResponse(snapshot: Snapshot): Promise<RecordedResponse> {
  const { body, captures, url, redirects, ...rest } = snapshot;
  return {
    ...rest,
    url: withoutCredentials(url),
    redirects: redirects.map(withoutCredentials),
    ...(captures === undefined ? {} : { captures: packCaptures(captures) }),
    body: await packBytes(body),
  };
}

/** Restores the snapshot. */
export function snapshotOf({ captures, ...rest }: RecordedHead, body: Uint8Array): Snapshot {
  const unpacked = captures === undefined ? {} : { captures: unpackCaptures(captures) };
  return { ...rest, ...unpacked, body };
}

/** Serializes an error; `signal` is the request's signal. */
export function recordedFailure(error: unknown, signal: AbortSignal): RecordedFailure {
  const aborted = signal.aborted && error === signal.reason ? { wasAborted: true as const } : {};
  if (!(error instanceof PagewrightError)) {
    return { name: 'Error', message: messageOf(error), ...aborted };
  }
  const { name, message } = error;
  return { name, message, own: { ...error }, ...aborted };
}

/** Restores the error, without its stack and cause. */
export function errorOf({ name, message, own }: RecordedFailure): unknown {
  if (own === undefined) return new Error(message);
  return deserializeError({ name, message, own, stack: undefined, cause: undefined });
}

function packCaptures({ screenshot, actions, ...plain }: Captures): RecordedCaptures {
  return {
    ...plain,
    ...(screenshot === undefined ? {} : { screenshot: packPicture(screenshot) }),
    ...(actions === undefined
      ? {}
      : {
          actions: {
            ...actions,
            screenshots: actions.screenshots.map(packPicture),
            pdfs: actions.pdfs.map(packPicture),
          },
        }),
  };
}

function unpackCaptures({ screenshot, actions, ...plain }: RecordedCaptures): Captures {
  return {
    ...plain,
    ...(screenshot === undefined ? {} : { screenshot: unpackPicture(screenshot) }),
    ...(actions === undefined
      ? {}
      : {
          actions: {
            ...actions,
            screenshots: actions.screenshots.map(unpackPicture),
            pdfs: actions.pdfs.map(unpackPicture),
          },
        }),
  };
}

function packPicture({ bytes, mediaType }: Picture): RecordedPicture {
  return { mediaType, base64: Buffer.from(bytes).toString('base64') };
}

function unpackPicture({ base64, mediaType }: RecordedPicture): Picture {
  return { mediaType, bytes: Buffer.from(base64, 'base64') };
}

// A request in a recording, without values that belong to one process.

/** Replaces a secret. */
const redacted = '[redacted]';

/** One request. */
export interface RecordedRequest extends Pick<PageRequest, 'method' | 'headers'> {
  /** The name of the engine. */
  readonly engine: string;
  /** Without credentials and fragment. */
  readonly url: string;
  /** A hash of the body. */
  readonly body?: string | undefined;
  /** The rendering options for a browser; of each action its type and a hash of its options. */
  readonly rendering: RecordedRendering;
}

/** Plain data: `click 0f3a…` of an action, or its type alone where its options may hold a secret. */
export type RecordedRendering = Omit<Rendering, 'actions'> & {
  readonly actions?: readonly string[] | undefined;
};

/** Serializes a request, without options that the engine does not support. */
export function recordedRequest(
  { name, can }: { readonly name: string; readonly can: Iterable<Capability> },
  request: Pick<PageRequest, 'url' | 'method' | 'body' | 'headers' | 'rendering'>,
): RecordedRequest {
  const { url, method, body, headers, rendering } = request;
  const renders = [...can].some((capability) => capability !== 'stealth');
  const { actions, stealth, ...rest } = rendering;
  const supported = {
    ...(stealth === undefined ? {} : { stealth }),
    ...(renders ? rest : {}),
    ...(renders && actions !== undefined ? { actions: actions.map(recordedAction) } : {}),
  };
  const sent = { method, body: body && recordedBody(body), headers };
  return { engine: name, url: recordedUrl(url), ...sent, rendering: supported };
}

/** Of a body with a field that is named like a credential only its presence counts: the hash of a short one can be guessed. */
function recordedBody(body: Uint8Array): string {
  const text = Buffer.from(body).toString('latin1');
  const names = text.match(/(?<![\w.+-])[\w.+-]{1,100}(?=["']?\s{0,9}[=:])/g) ?? [];
  return names.some(isCredentialName) ? redacted : sha256Of(body);
}

function recordedAction({ type, key }: ActionStep): string {
  const recordsOptions = isBuiltIn(type) && builtInAction(type).recordsOptions;
  return key !== undefined && recordsOptions ? `${type} ${key.slice(0, 16)}` : type;
}

/** A URL in the form of recordings. */
export function recordedUrl(url: string): string {
  const plain = withoutCredentials(url);
  if (!canParseUrl(plain)) return plain;
  const parsed = new URL(plain);
  parsed.hash = '';
  return parsed.href;
}

/** Headers without the values of secret ones. */
export function withoutSecrets(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, comparable(name, value)]),
  );
}

/**
 * Requests with the same key get the same recorded exchanges. For secret headers only their presence
 * counts.
 */
export function requestKey(request: RecordedRequest, matchHeaders: readonly string[]): string {
  const { engine, url, method, body, rendering } = request;
  const matched = matchedHeaders(request, matchHeaders);
  return canonical([engine, url, method, body, rendering, matched]);
}

/** The headers that are part of the key. */
export function matchedHeaders(
  { headers }: RecordedRequest,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, comparable(name, value)]];
    }),
  );
}

/** JSON that does not depend on the order of properties. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

function comparable(name: string, value: string): string {
  return isCredentialName(name) ? redacted : value;
}

// Bytes in a recording: readable text if the bytes are text, else packed.

/** A string is the bytes as UTF-8; otherwise base64, deflated first if there are many bytes. */
export type RecordedBytes = string | { readonly base64: string } | { readonly deflate: string };

const readableSize = 65_536; // bytes; longer bodies are too long for a review, and are deflated

/** Packs bytes without loss. */
export async function packBytes(bytes: Uint8Array): Promise<RecordedBytes> {
  const buffer = asBuffer(bytes);
  if (buffer.length > readableSize) {
    const small = await promisify(deflate)(buffer);
    if (small.length < buffer.length) return { deflate: small.toString('base64') };
  }
  return isUtf8(buffer) ? buffer.toString() : { base64: buffer.toString('base64') };
}

/** Unpacks at most `limit` bytes; undefined if there are more. Rejects for damaged data. */
export async function unpackBytes(
  packed: RecordedBytes,
  limit: number,
): Promise<Uint8Array | undefined> {
  const bytes =
    typeof packed === 'string'
      ? Buffer.from(packed)
      : 'base64' in packed
        ? Buffer.from(packed.base64, 'base64')
        : await inflated(Buffer.from(packed.deflate, 'base64'), limit);
  return bytes === undefined || bytes.length > limit ? undefined : bytes;
}

async function inflated(bytes: Buffer, limit: number): Promise<Buffer | undefined> {
  try {
    return await promisify(inflate)(bytes, {
      maxOutputLength: Math.min(Math.max(1, limit), kMaxLength),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The number of characters that two texts begin with in common. */
export function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
