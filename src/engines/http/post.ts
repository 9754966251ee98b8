/** POST under the network policy: for what the library tells, not for what it reads. */
import { PagewrightError } from '../../errors.ts';
import { defaultLimits } from '../../network/limits.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import { networkFailure } from './failure.ts';
import type { TlsConfig } from './tls-config.ts';
import type { Transport } from './transport.ts';

/** What a poster works with. */
export interface PosterOptions {
  /** Asked for every connection. */
  readonly policy: NetworkPolicy;
  /** The User-Agent header where the request has none. */
  readonly userAgent: string;
  /** Authorities and a client certificate. */
  readonly tls?: TlsConfig | undefined;
  /** Bytes of an answer's head. @default defaultLimits.headerBytes */
  readonly headerBytes?: number | undefined;
}

/** One POST. */
export interface PostRequest {
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** What came back; the body is not read. */
export interface PostAnswer {
  readonly statusCode: number;
  /** The Retry-After header. */
  readonly retryAfter: string | undefined;
}

/** Posts, with connections of its own. */
export interface Poster {
  /**
   * Sends one request and takes the head of its answer: redirects are not followed, no body is read.
   * Certificates have to verify. Rejects with `BLOCKED_ADDRESS`, with what a connection fails with,
   * and with the signal's reason at once when it aborts. Messages name the origin only: the rest of
   * the URL may be secret.
   */
  post(request: PostRequest): Promise<PostAnswer>;
  /** Closes its connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Makes a poster. Nothing is opened or loaded before the first request. */
export function openPoster(options: PosterOptions): Poster {
  const { policy, userAgent, tls, headerBytes = defaultLimits.headerBytes } = options;
  let transport: Promise<Transport> | undefined;
  const connect = async (): Promise<Transport> => {
    const { undiciTransport } = await import('./undici/undici-transport.ts');
    return undiciTransport(policy, { ...tls, http2: false });
  };
  return {
    async post({ url, headers, body, signal }) {
      signal.throwIfAborted();
      policy.check(url);
      try {
        const { head } = await (
          await (transport ??= connect())
        ).send({
          ...{ url, body, signal },
          headers: { 'user-agent': userAgent, ...headers },
          skipTlsVerification: false,
          headerBytes,
          onHead: () => undefined,
        });
        const { statusCode } = head;
        return { statusCode, retryAfter: [head.headers['retry-after']].flat()[0] };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw postFailure(error, url);
      }
    },
    async close() {
      await (await transport)?.close();
    },
  };
}

/** What a connection failed with; the message names the origin only. */
export function postFailure(error: unknown, { origin, host, href }: URL): PagewrightError {
  const failure = networkFailure(error, new URL(origin));
  if (failure.message.includes(href)) {
    const message = failure.message.replaceAll(href, `${origin}/`);
    return new PagewrightError(failure.code, message, { url: origin });
  }
  if (failure.code !== 'TLS') return failure;
  const detail = (error as Error).message.trim();
  return new PagewrightError(
    'TLS',
    `The TLS connection to ${host} failed: ${detail}. Its certificate has to verify; createClient({ tls: { ca } }) trusts an authority of your own.`,
    { url: origin, cause: error },
  );
}
