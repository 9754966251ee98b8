/** What an engine was asked to make of a page, and could not: a file has no look, and no buttons. */
import { messageOf } from '../errors.ts';
import type { Rendering } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';

const makings = ['actions', 'screenshot', 'branding'] as const;

/** A warning for a page that is what came without a browser though, by that signal, it needs one. */
export function notRenderedWarnings(signal: string | undefined, error: unknown): readonly string[] {
  if (signal === undefined) return [];
  const why = error === undefined ? '' : `: ${messageOf(error)}`;
  return [`The page seems to need a browser (${signal}), and was not rendered${why}.`];
}

/** A warning that names what is missing; none where everything is there. */
export function notMadeWarnings(
  { captures = {}, headers, url, body }: Snapshot,
  asked: Rendering,
): readonly string[] {
  const missing = makings.filter(
    (name) => asked[name] !== undefined && captures[name] === undefined,
  );
  if (missing.length === 0) return [];
  const type = headers['content-type'] ?? 'no type';
  const what = body.length === 0 ? 'is empty' : `was not shown by a browser (${type})`;
  return [`${url} ${what}: there is nothing for ${missing.join(', ')}.`];
}
