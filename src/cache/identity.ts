/** Who asks for a page: what is stored of pages is kept apart by it. */
import { createHmac } from 'node:crypto';
import type { ScrapeRequest } from '../model/request.ts';
import { isPlainHeader } from '../network/credentials.ts';

/** The part of a request that says who asks, and from where. */
export type IdentityRequest = Pick<ScrapeRequest<unknown>, 'headers' | 'country' | 'rendering'>;

/**
 * A hash of everything by which a site may show one visitor another page than the next: headers, profile,
 * actions, country and languages, mobile. Undefined for a visitor without any of them.
 */
export type Identify = (request: IdentityRequest) => string | undefined;

/** `key` makes the hashes useless to those who guess secrets; `certificate` is what the client shows servers. */
export function identifier(key: string | undefined, certificate: unknown): Identify {
  const hash = (value: unknown): string =>
    createHmac('sha256', key ?? '')
      .update(JSON.stringify(value))
      .digest('hex')
      .slice(0, 32);
  const shown = certificate === undefined ? undefined : hash(certificate);
  return ({ headers, country, rendering }) => {
    const own = Object.entries(headers).filter(
      ([name]) => name === 'accept-language' || !isPlainHeader(name),
    );
    const { profile, actions, location, mobile } = rendering;
    const traits = [
      country,
      profile?.name,
      actions?.map(({ type, key: one = type }) => one),
      location,
      mobile,
    ];
    if (own.length === 0 && [...traits, shown].every((trait) => trait === undefined)) {
      return undefined;
    }
    return hash([own.sort(([one], [other]) => (one < other ? -1 : 1)), traits, shown]);
  };
}
