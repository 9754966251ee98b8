/** The error for a request that a recording has no answer to, with the nearest one that it has. */
import { type ErrorCode, PagewrightError } from '../errors.ts';
import { nearest } from '../text/unknown-name.ts';
import { canonical, matchedHeaders, type RecordedRequest } from './recorded-request.ts';

/** As for a page that may only come from a cache: it is not there, and nothing is fetched. */
const code: ErrorCode = 'CACHE_MISS';

/** URLs that are compared letter by letter. */
const mostCompared = 2000;

/** What was asked, and what there is. */
export interface MissingExchange {
  /** Path of the recording. */
  readonly recording: string;
  readonly asked: RecordedRequest;
  readonly recorded: readonly RecordedRequest[];
  /** Headers that count. */
  readonly matchHeaders: readonly string[];
}

/** The request was not recorded. */
export function missingExchange(missing: MissingExchange): PagewrightError {
  const { recording, asked } = missing;
  const what = `The recording ${recording} has no answer to ${describe(asked)}`;
  return new PagewrightError(
    code,
    `${what}: ${hint(missing)}. Record it again, or ask as before.`,
    {
      url: asked.url,
    },
  );
}

/** It was recorded, and asked for more often than that. */
export function exhaustedExchange(
  recording: string,
  asked: RecordedRequest,
  times: number,
): PagewrightError {
  const often = times === 1 ? 'once' : `${times} times`;
  return new PagewrightError(
    code,
    `The recording ${recording} has ${describe(asked)} ${often}, and all of that was replayed. Record it again, or repeat the last answer with openReplay(path, { onExhausted: 'repeat' }).`,
    { url: asked.url },
  );
}

function describe({ url, engine }: RecordedRequest): string {
  return `GET ${url} (engine ${engine})`;
}

function hint({ asked, recorded, matchHeaders }: MissingExchange): string {
  const same = recorded.filter(({ url }) => url === asked.url);
  if (same.length > 0) {
    const differences = same.map((one) => differencesOf(asked, one, matchHeaders));
    const [fewest = []] = differences.sort((one, other) => one.length - other.length);
    return `the same URL was recorded with ${fewest.join(' and ')}`;
  }
  const urls = nearbyUrls(asked.url, recorded);
  const similar = nearest(asked.url, urls) ?? urls[0];
  return similar === undefined ? 'it holds none' : `the nearest that was recorded is ${similar}`;
}

function differencesOf(
  asked: RecordedRequest,
  recorded: RecordedRequest,
  matchHeaders: readonly string[],
): string[] {
  const differences: string[] = [];
  const compare = (what: string, ours: unknown, theirs: unknown): void => {
    const [now, before] = [canonical(ours), canonical(theirs)];
    if (now !== before) differences.push(`${what} ${before} in place of ${now}`);
  };
  compare('engine', asked.engine, recorded.engine);
  compare('rendering', asked.rendering, recorded.rendering);
  compare('headers', matchedHeaders(asked, matchHeaders), matchedHeaders(recorded, matchHeaders));
  return differences;
}

/** Those with the longest common start: the letters of a whole site are too many to compare. */
function nearbyUrls(url: string, recorded: readonly RecordedRequest[]): string[] {
  return [...new Set(recorded.map((one) => one.url))]
    .map((candidate) => ({ candidate, common: commonStart(url, candidate) }))
    .sort((one, other) => other.common - one.common)
    .slice(0, mostCompared)
    .map(({ candidate }) => candidate);
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
