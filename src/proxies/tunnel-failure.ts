/** Why a proxy did not open a tunnel, before it is known for which request. */
import { PagewrightError } from '../errors.ts';
import type { ProxyOutcome } from './proxy.ts';

/** Thrown inside this room; `openTunnel` makes it a `PROXY_FAILED`. */
export class TunnelFailure extends Error {
  /** What the caller can change. */
  readonly remedy: string;
  /** True when another address of the same host may be reachable. */
  readonly isAboutAddress: boolean;

  constructor(
    reason: string,
    remedy: string,
    details: { cause?: unknown; address?: boolean } = {},
  ) {
    super(reason, details.cause === undefined ? undefined : { cause: details.cause });
    this.remedy = remedy;
    this.isAboutAddress = details.address === true;
  }
}

/** What an adapter is told of the error of a request; undefined when it says nothing about the proxy. */
export function proxyOutcome(error: unknown): ProxyOutcome | undefined {
  if (!(error instanceof PagewrightError) || error.code !== 'PROXY_FAILED') return undefined;
  const { cause } = error;
  return cause instanceof TunnelFailure && cause.isAboutAddress ? 'unreachable' : 'failed';
}

export const checkAddress = 'Check the host, port and scheme of the proxy, and that it runs.';
export const checkCredentials = 'Check the user name and password in the URL of the proxy.';
export const checkReach = 'Check that the proxy may and can reach this host, or use another one.';
