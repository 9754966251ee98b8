/** One exchange of an engine as plain data: a line of a recording. */
import { messageOf, PagewrightError } from '../errors.ts';
import type { Captures, Picture } from '../model/captures.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { unpackError } from '../reading/sent-error.ts';
import { withoutCredentials } from '../url/safe-url.ts';
import { packBytes, type RecordedBytes } from './recorded-bytes.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** A request, and what came of it. */
export interface RecordedExchange {
  readonly request: RecordedRequest;
  /** The response is a page as a browser rendered it. */
  readonly rendered?: true | undefined;
  readonly response?: RecordedResponse | undefined;
  readonly failure?: RecordedFailure | undefined;
  /** Its number among the requests of the run. */
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

/** What an engine threw. */
export interface RecordedFailure {
  /** The error's class. */
  readonly name: string;
  readonly message: string;
  /** `code`, `url` and what else the class has; of a foreign error nothing. */
  readonly own?: Readonly<Record<string, unknown>> | undefined;
  /** The run itself ended the request, because its time was over. */
  readonly wasAborted?: true | undefined;
}

interface RecordedPicture {
  readonly mediaType: Picture['mediaType'];
  readonly base64: string;
}

type Actions = NonNullable<Captures['actions']>;

interface RecordedCaptures {
  readonly screenshot?: RecordedPicture | undefined;
  readonly branding?: Captures['branding'];
  readonly actions?:
    | (Omit<Actions, 'screenshots' | 'pdfs'> & {
        readonly screenshots: readonly RecordedPicture[];
        readonly pdfs: readonly RecordedPicture[];
      })
    | undefined;
}

/** Takes down a response. */
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

/** The snapshot as it came. */
export function snapshotOf({ captures, ...rest }: RecordedHead, body: Uint8Array): Snapshot {
  const unpacked = captures === undefined ? {} : { captures: unpackCaptures(captures) };
  return { ...rest, ...unpacked, body };
}

/** Takes down what was thrown; `signal` is that of the request. */
export function recordedFailure(error: unknown, signal: AbortSignal): RecordedFailure {
  const aborted = signal.aborted && error === signal.reason ? { wasAborted: true as const } : {};
  if (!(error instanceof PagewrightError)) {
    return { name: 'Error', message: messageOf(error), ...aborted };
  }
  const { name, message } = error;
  return { name, message, own: { ...error }, ...aborted };
}

/** The error as it was thrown, but for its stack and cause. */
export function errorOf({ name, message, own }: RecordedFailure): unknown {
  if (own === undefined) return new Error(message);
  return unpackError({ name, message, own, stack: undefined, cause: undefined });
}

function packCaptures({ screenshot, branding, actions }: Captures): RecordedCaptures {
  return {
    ...(screenshot === undefined ? {} : { screenshot: packPicture(screenshot) }),
    ...(branding === undefined ? {} : { branding }),
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

function unpackCaptures({ screenshot, branding, actions }: RecordedCaptures): Captures {
  return {
    ...(screenshot === undefined ? {} : { screenshot: unpackPicture(screenshot) }),
    ...(branding === undefined ? {} : { branding }),
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
