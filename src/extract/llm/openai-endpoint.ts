/** An OpenAI-compatible endpoint: its options, its requests and the failures of these. */
import { lowerCaseNames } from '../../content/text/http-headers.ts';
import { PagewrightError } from '../../core/runtime/errors.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import {
  contextTokensCheck,
  priceCheck,
  readOptions,
  structuredCheck,
  textCheck,
} from './adapter-options.ts';
import { parseJson, memberOf, isRecord } from '../../core/runtime/json.ts';
import { modelFailed, RefusedAttempt } from './model-failure.ts';
import type { ModelNetwork, ModelPrice, ModelReply } from './model.ts';
import { errorIn } from './openai-chat.ts';
import type { StructuredMode } from './structured-output.ts';

const answerBytes = 16 * 1024 * 1024; // bytes of an answer: no model writes as much

/** One request. */
export interface EndpointRequest {
  /** The path below the base URL: `/chat/completions`. */
  readonly path: string;
  readonly body: object;
  readonly signal: AbortSignal;
  /** Receives a stream of events, if the server answers with one; otherwise `post` returns the body. */
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined;
}

/** One endpoint, over the network of a client. */
export class OpenAiEndpoint {
  readonly #network: ModelNetwork;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secrets: readonly string[];
  /** The model's name, for messages. */
  readonly name: string;

  constructor(
    network: ModelNetwork,
    base: string,
    { model, apiKey, headers = {} }: OpenAiModelOptions,
  ) {
    this.#network = network;
    this.#base = base;
    this.#headers = {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...lowerCaseNames(headers),
    };
    const secrets = [apiKey ?? '', ...Object.values(headers)];
    // Short values may be words of any message.
    this.#secrets = secrets.filter((secret) => secret.length >= 6);
    this.name = `${model} at ${new URL(base).host}`;
  }

  get clock(): ModelNetwork['clock'] {
    return this.#network.clock;
  }

  /** The body as JSON; undefined if it went to `onChunk`. Throws errors that `callModel` handles. */
  async post({ path, body, signal, onChunk }: EndpointRequest): Promise<unknown> {
    const taken = { isStream: false };
    const reply = await this.#network
      .send({
        url: new URL(this.#base + path),
        headers: this.#headers,
        signal,
        body: Buffer.from(JSON.stringify(body)),
        bodyBytes: answerBytes,
        takeBody: ({ headers }) => {
          const type = String(headers['content-type'] ?? '');
          taken.isStream = onChunk !== undefined && /^\s*text\/event-stream\b/i.test(type);
          return taken.isStream ? onChunk : undefined;
        },
      })
      .catch((error: unknown) => {
        throw this.#asModelFailure(error);
      });
    if (reply.statusCode < 200 || reply.statusCode >= 300) throw this.#refused(reply);
    if (taken.isStream) return undefined;
    const value = parseJson(Buffer.from(reply.body).toString('utf8'));
    if (value === undefined) {
      throw modelFailed(
        `The model ${this.name} returned something that is not JSON. Check that baseUrl is the URL of an OpenAI-compatible API; it often ends in /v1.`,
      );
    }
    this.refuseError(value);
    return value;
  }

  /** Throws for a body that contains an error instead of an answer, whatever its status was. */
  refuseError(body: unknown): void {
    const error = errorIn(body);
    if (error !== undefined) throw this.#failure(error.statusCode ?? 500, error.message);
  }

  /** The server's message, without values of the request's headers that it may repeat. */
  #withoutSecrets(text: string): string {
    return this.#secrets.reduce((words, secret) => words.replaceAll(secret, '[hidden]'), text);
  }

  #refused({ statusCode, headers, body }: ModelReply): RefusedAttempt {
    const text = Buffer.from(body).toString('utf8');
    const value = parseJson(text);
    const plain = memberOf(value, 'message');
    const words = typeof plain === 'string' ? plain : /^\s*[<{[]/.test(text) ? '' : text;
    const message = errorIn(value)?.message ?? words;
    return this.#failure(statusCode, message, [headers['retry-after']].flat()[0]);
  }

  #failure(statusCode: number, message: string, retryAfter?: string): RefusedAttempt {
    return new RefusedAttempt({
      name: this.name,
      statusCode,
      message: this.#withoutSecrets(message),
      retryAfter,
    });
  }

  /** Turns errors of the body into `MODEL_FAILED`; errors about addresses stay. */
  #asModelFailure(error: unknown): unknown {
    if (!(error instanceof PagewrightError)) return error;
    const isAnswer = error.code === 'BODY_TOO_LARGE' || error.code === 'PROTOCOL_ERROR';
    return isAnswer ? modelFailed(`The model ${this.name} failed: ${error.message}`, error) : error;
  }
}

// Options for an OpenAI-compatible endpoint: type and check.

/** Options of `openAiModel()`. */
export interface OpenAiModelOptions {
  /**
   * The URL before `/chat/completions`: `https://api.openai.com/v1`, `http://localhost:11434/v1`.
   */
  readonly baseUrl: string | URL;
  /** The model's name at the endpoint. */
  readonly model: string;
  /** Sent as `Authorization: Bearer`. Local servers need none. */
  readonly apiKey?: string | undefined;
  /** Further headers. Messages never contain their values. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The way to request JSON: `json_schema`, a `tool`, `json_object` or `none`. `auto` begins with
   * `json_schema` and goes on to the next when the server refuses it; the result is remembered.
   * @default 'auto'
   */
  readonly structured?: StructuredMode | 'auto' | undefined;
  /** Tokens that a request and its answer may have together. @default 100000 */
  readonly contextTokens?: number | undefined;
  /** The price of a million tokens; without it `usage` has no cost. */
  readonly price?: ModelPrice | undefined;
  /** The model for `/embeddings`; without it there are no embeddings. */
  readonly embeddingModel?: string | undefined;
}

/** Checks the options; throws `ValidationError`, which contains neither the key nor headers. */
export function checkOpenAiOptions(options: OpenAiModelOptions): void {
  readOptions('openAiModel', options, {
    baseUrl: {
      fits: (value) => endpointOf(value) !== undefined,
      expected: 'a URL with http: or https:, without user, password, query and fragment',
      // The URL may contain a password.
      isSecret: true,
      isRequired: true,
    },
    model: { ...textCheck, isRequired: true },
    apiKey: {
      fits: (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
      expected: 'printable ASCII without spaces',
      isSecret: true,
    },
    headers: {
      fits: (value) =>
        isRecord(value) &&
        Object.entries(value).every(
          ([name, text]) =>
            /^[!#$%&'*+.^_`|~\w-]+$/.test(name) &&
            typeof text === 'string' &&
            /^[\t\x20-\x7e\x80-\xff]*$/.test(text),
        ),
      expected: 'an object of header names and values',
      isSecret: true,
    },
    structured: structuredCheck,
    contextTokens: contextTokensCheck,
    price: priceCheck,
    embeddingModel: textCheck,
  });
}

/** The base URL without a trailing slash; undefined for an invalid one. */
export function endpointOf(value: unknown): string | undefined {
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== 'string' || !canParseUrl(text)) return undefined;
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  if (!isHttp || username + password + search + hash !== '') return undefined;
  return origin + pathname.replace(/\/+$/, '');
}
