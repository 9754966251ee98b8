/** A request as a recording has it: what was asked, without what only one process can know. */
import type { Capability, PageRequest, Rendering } from '../model/request.ts';
import { isCredentialName } from '../network/credentials.ts';
import { withoutCredentials } from '../url/safe-url.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** What stands in the place of a secret. */
const redacted = '[redacted]';

/** One request. */
export interface RecordedRequest {
  /** The engine that was asked. */
  readonly engine: string;
  /** Without credentials and fragment. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** What was asked of a browser; of each action its type. */
  readonly rendering: RecordedRendering;
}

/** Plain data: what an action does beside its type is the caller's code. */
export type RecordedRendering = Omit<Rendering, 'actions'> & {
  readonly actions?: readonly string[] | undefined;
};

/** Takes down a request. What an engine cannot do does not count. */
export function recordedRequest(
  { name, can }: { readonly name: string; readonly can: Iterable<Capability> },
  { url, headers, rendering }: Pick<PageRequest, 'url' | 'headers' | 'rendering'>,
): RecordedRequest {
  const renders = [...can].some((capability) => capability !== 'stealth');
  const { actions, stealth, ...rest } = rendering;
  const asked = {
    ...(stealth === undefined ? {} : { stealth }),
    ...(renders ? rest : {}),
    ...(renders && actions !== undefined ? { actions: actions.map(({ type }) => type) } : {}),
  };
  return { engine: name, url: recordedUrl(url), headers, rendering: asked };
}

/** A URL as recordings have it. */
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
 * Requests with the same key are answered by the same recorded exchanges. Of secret headers it counts
 * whether they are there.
 */
export function requestKey(request: RecordedRequest, matchHeaders: readonly string[]): string {
  const { engine, url, rendering } = request;
  return canonical([engine, url, rendering, matchedHeaders(request, matchHeaders)]);
}

/** The headers that count. */
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

/** JSON in which the order of properties says nothing. */
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
