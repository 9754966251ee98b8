/** requests: the requests of a page in a browser, in order, with bodies on demand. */
import { z } from 'zod';
import type {
  BodyType,
  NetworkRequest,
  RequestsSettings,
} from '../../core/model/network-request.ts';
import { check } from '../../core/checks/check.ts';
import { urlFilter, type UrlPart, urlPartSchema } from '../../core/checks/url-filter.ts';
import { readsNothing, type Format } from './format.ts';

/** Options of the requests format. */
export interface RequestsOptions {
  /**
   * Adds what was sent and received by requests whose URL one of these fits: a part of the URL, a glob for
   * the whole URL, or a RegExp. @default none
   */
  readonly bodies?: UrlPart | readonly UrlPart[] | undefined;
  /** The types of bodies to add. @default both */
  readonly types?: readonly BodyType[] | undefined;
  /** The most bytes of one body, 1 to 10000000; all bodies of a page together have 20 MB. @default 1000000 */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Masks tokens, keys, passwords and session ids in URLs and bodies as `REDACTED`, by the names of their
   * fields. @default true
   */
  readonly maskSecrets?: boolean | undefined;
}

const optionsSchema = z.strictObject({
  bodies: z.union([urlPartSchema, z.array(urlPartSchema).min(1).max(100)]).optional(),
  types: z
    .array(z.enum(['json', 'text']))
    .min(1)
    .optional(),
  maxBodyBytes: z.int().min(1).max(10_000_000).optional(),
  maskSecrets: z.boolean().optional(),
} satisfies Record<keyof RequestsOptions, z.ZodType>);

/**
 * The requests of the page until it was read, its actions included, in the order in which they were sent; the
 * first 1,000. Needs an engine that renders.
 */
export const requests: Format<
  'requests',
  readonly NetworkRequest[],
  RequestsOptions | undefined,
  null,
  undefined
> = {
  ...readsNothing,
  name: 'requests',
  parseOptions: (options) => check('requests', optionsSchema, options),
  uses: (options = {}) => ({ captures: { requests: settingsOf(options) } }),
  finish: (_, __, { captured }) => captured.requests ?? [],
};

/** In plain data: part of the cache's key. */
function settingsOf({ bodies = [], types, ...others }: RequestsOptions): RequestsSettings {
  const parts = typeof bodies === 'string' || bodies instanceof RegExp ? [bodies] : bodies;
  const { maxBodyBytes = 1_000_000, maskSecrets = true } = others;
  return {
    bodies: parts.map(urlFilter),
    types: types ?? ['json', 'text'],
    maxBodyBytes,
    maskSecrets,
  };
}
