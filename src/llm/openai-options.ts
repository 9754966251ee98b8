/** What a caller says about an OpenAI-compatible endpoint: type and check. */
import { isRecord } from './json-value.ts';
import type { ModelPrice } from './model.ts';
import {
  contextTokensCheck,
  priceCheck,
  readOptions,
  structuredCheck,
  textCheck,
} from './read-options.ts';
import type { StructuredMode } from './structured-mode.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** Options of `openAiModel()`. */
export interface OpenAiModelOptions {
  /** What comes before `/chat/completions`: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  readonly baseUrl: string | URL;
  /** The name that the endpoint knows the model by. */
  readonly model: string;
  /** Sent as `Authorization: Bearer`. Local servers need none. */
  readonly apiKey?: string | undefined;
  /** Further headers. Their values are in no message. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * How it is made to answer in JSON: `json_schema`, a `tool`, `json_object` or `none`. `auto` begins
   * with `json_schema` and goes on to the next when the server refuses it; that is remembered.
   * @default 'auto'
   */
  readonly structured?: StructuredMode | 'auto' | undefined;
  /** Tokens that a request and its answer may have together. @default 100000 */
  readonly contextTokens?: number | undefined;
  /** What a million tokens cost; without it `usage` has no cost. */
  readonly price?: ModelPrice | undefined;
  /** The model for `/embeddings`; without it there are none. */
  readonly embeddingModel?: string | undefined;
}

/** Checks the options; throws `ValidationError`, which repeats neither the key nor headers. */
export function checkOpenAiOptions(options: OpenAiModelOptions): void {
  readOptions('openAiModel', options, {
    baseUrl: {
      fits: (value) => endpoint(value) !== undefined,
      expected: 'a URL with http: or https:, without user, password, query and fragment',
      // It may have a password.
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

/** The URL below which the endpoint is, without a slash at its end; undefined for what is none. */
export function endpoint(value: unknown): string | undefined {
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== 'string' || !canParseUrl(text)) return undefined;
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  if (!isHttp || username + password + search + hash !== '') return undefined;
  return origin + pathname.replace(/\/+$/, '');
}
