/** Sends requests to APIs under the network policy: webhooks, language models, search engines. */
import { PagewrightError } from '../runtime/errors.ts';
import type { ModelNetwork, ModelPost, ModelReply } from '../../extract/llm/model.ts';
import { isRedirect } from '../../content/text/http-headers.ts';
import { Lazy, loadModule } from '../runtime/load-module.ts';
import type { Clock } from '../runtime/clock.ts';
import { defaultLimits } from '../model/limits.ts';
import type { NetworkPolicy } from './network/policy.ts';
import { networkFailure } from './failure.ts';
import type { TlsConfig } from './tls-config.ts';
import type { BodyTaker, ResponseFlow, ResponseHead, Transport } from './transport.ts';

/** Options of a poster. */
interface PosterOptions {
  /** Called for every connection. */
  readonly policy: NetworkPolicy;
  /** The User-Agent header for requests without one. */
  readonly userAgent: string;
  /** Certificate authorities and a client certificate. */
  readonly tls?: TlsConfig | undefined;
  /** Limit for the head of a response, in bytes. @default defaultLimits.headerBytes */
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

/** The response; its body is not read. */
export interface PostAnswer {
  readonly statusCode: number;
  /** The Retry-After header. */
  readonly retryAfter: string | undefined;
}

/** Sends POST requests over its own connections. */
export interface PostClient {
  /**
   * Sends one request and reads the head of its response: redirects are not followed, no body is
   * read. Certificates have to verify. Rejects with `BLOCKED_ADDRESS`, with the error of the
   * connection, and with the signal's reason at once when it aborts. Messages name only the origin:
   * the rest of the URL may be secret.
   */
  post(request: PostRequest): Promise<PostAnswer>;
  /** Closes its connections; requests in flight fail. */
  close(): Promise<void>;
}

/** A transport that is loaded with the first request. */
function lazyTransport({ policy, tls }: PosterOptions): Lazy<Transport> {
  return new Lazy(async () => {
    const { undiciTransport } = await loadModule(
      () => import('./transports/undici/undici-transport.ts'),
    );
    return undiciTransport(policy, { ...tls, http2: false });
  });
}

/** Makes a poster. Nothing is opened or loaded before the first request. */
export function openPoster(options: PosterOptions): PostClient {
  const { policy, userAgent, headerBytes = defaultLimits.headerBytes } = options;
  const transport = lazyTransport(options);
  return {
    async post({ url, headers, body, signal }) {
      signal.throwIfAborted();
      policy.check(url);
      try {
        const { head } = await (
          await transport.get()
        ).send({
          url,
          method: 'POST',
          body,
          signal,
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
      await (await transport.made())?.close();
    },
  };
}

/** The error of a failed connection; the message names only the origin. */
function postFailure(error: unknown, { origin, host, href }: URL): PagewrightError {
  const failure = networkFailure(error, new URL(origin));
  if (failure.message.includes(href)) {
    const message = failure.message.replaceAll(href, `${origin}/`);
    return new PagewrightError(failure.code, message, { url: origin });
  }
  if (failure.code !== 'TLS') return failure;
  const detail = (error as Error).message.trim();
  return new PagewrightError(
    'TLS',
    `The TLS connection to ${host} failed: ${detail}. Its certificate must verify; createClient({ tls: { ca } }) trusts an authority of your own.`,
    { url: origin, cause: error },
  );
}

// Requests to the server of a language model or a search engine, under the network policy of the client.

/** One request: a POST, or without `body` a GET. */
type ApiRequest = Omit<ModelPost, 'body'> & { readonly body?: Uint8Array | undefined };

/** A network that its client closes. */
export interface OpenModelNetwork extends ModelNetwork {
  send(request: ApiRequest): Promise<ModelReply>;
  /** Closes its connections; requests in flight fail. */
  dispose(): Promise<void>;
}

/** Makes a network. Nothing is opened or loaded before the first request. */
export function openModelNetwork(options: PosterOptions, clock: Clock): OpenModelNetwork {
  const { policy, userAgent, headerBytes = defaultLimits.headerBytes } = options;
  const transport = lazyTransport(options);
  return {
    clock,
    async send(request) {
      const { url, body, headers, signal } = request;
      signal.throwIfAborted();
      policy.check(url);
      const exchange = new ModelExchange(request);
      try {
        const { cut } = await (
          await transport.get()
        ).send({
          url,
          method: body === undefined ? 'GET' : 'POST',
          body,
          signal,
          headerBytes,
          headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers },
          skipTlsVerification: false,
          onHead: (head, flow) => exchange.begin(head, flow),
        });
        return exchange.end(cut);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const reply = exchange.replyInSpiteOf(error);
        if (reply !== undefined) return reply;
        throw exchange.isFailedBy(error) ? error : postFailure(error, url);
      }
    },
    async dispose() {
      await (await transport.made())?.close();
    },
  };
}

const failureBytes = 64 * 1024; // bytes read of an error response

/** One response in progress. */
class ModelExchange {
  readonly #request: ApiRequest;
  readonly #chunks: Uint8Array[] = [];
  #head: Omit<ModelReply, 'body'> = { statusCode: 0, headers: {} };
  #length = 0;
  /** The reason that this class ended the exchange. */
  #failure: unknown;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  begin({ statusCode, headers }: ResponseHead, flow: ResponseFlow): BodyTaker | undefined {
    this.#head = { statusCode, headers };
    if (isRedirect(statusCode)) return undefined;
    const isGood = statusCode < 300;
    const take = isGood ? this.#taker(headers) : undefined;
    const most = isGood ? this.#request.bodyBytes : failureBytes;
    return {
      write: (chunk) => {
        this.#length += chunk.length;
        try {
          if (this.#length > most) throw this.#tooLarge();
          if (take === undefined) this.#chunks.push(chunk);
          else take(chunk);
        } catch (error) {
          this.#failure = error;
          flow.fail(error as Error);
        }
        return true;
      },
    };
  }

  /** A body that stopped early is an error. */
  end(cut: Error | undefined): ModelReply {
    if (cut !== undefined && this.#head.statusCode < 300) {
      const { origin, host } = this.#request.url;
      const { code, message } = networkFailure(cut, new URL(origin));
      if (code === 'PROTOCOL_ERROR') throw new PagewrightError(code, message, { url: origin });
      throw new PagewrightError(
        'TRUNCATED_BODY',
        `The connection to ${host} ended before the answer did. Try again later.`,
        { url: origin, cause: cut },
      );
    }
    return this.#reply();
  }

  /** The start of an error response is enough. */
  replyInSpiteOf(error: unknown): ModelReply | undefined {
    const isEnough = this.isFailedBy(error) && this.#head.statusCode >= 400;
    return isEnough ? this.#reply() : undefined;
  }

  isFailedBy(error: unknown): boolean {
    return this.#failure !== undefined && this.#failure === error;
  }

  #reply(): ModelReply {
    return { ...this.#head, body: Buffer.concat(this.#chunks) };
  }

  #taker(headers: ModelReply['headers']): ((chunk: Uint8Array) => void) | undefined {
    const coding = [headers['content-encoding']].flat().join(',').trim().toLowerCase();
    if (coding === '' || coding === 'identity') return this.#request.takeBody?.(this.#head);
    const { host, origin } = this.#request.url;
    const message = `${host} answered in the encoding "${coding.slice(0, 40)}", which was not requested.`;
    throw new PagewrightError('PROTOCOL_ERROR', message, { url: origin });
  }

  #tooLarge(): PagewrightError {
    const { url, bodyBytes } = this.#request;
    const message = `The answer of ${url.host} is larger than ${bodyBytes} bytes.`;
    return new PagewrightError('BODY_TOO_LARGE', message, { url: url.origin });
  }
}
