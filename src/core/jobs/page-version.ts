/** The version of a page that a visit found: a later crawl revalidates it, and compares with it. */
import { createHash } from 'node:crypto';
import { conditionsFor, isSameVersion } from '../fetch/cache/http-caching.ts';
import type { PlainDocument } from '../model/document.ts';
import type { KnownVersion } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { withoutVisitMarks } from '../url/visit-marks.ts';

/** One version of a page. */
export interface PageVersion {
  readonly statusCode: number;
  /** Milliseconds since 1970: before it was requested, or last confirmed. */
  readonly askedAt: number;
  /** The response is complete and unmodified: while it is valid, its document may be reused. */
  readonly mayStay: boolean;
  /** The source URL, as reported by the engine. */
  readonly url: string;
  /** ETag and Last-Modified. */
  readonly validators: Readonly<Record<string, string>>;
  /** Equal for documents with equal content; undefined if there is none to compare. */
  readonly contentHash: string | undefined;
  /** For a recrawl: this is the version of the earlier crawl. */
  readonly isSame?: boolean;
  /** The body ended early: a later crawl compares with the version of the earlier one. */
  readonly isCut?: boolean;
  /** For a page that was cut: the hash of the source that the earlier crawl had. */
  readonly textHash?: string;
  /** For a recrawl: the status that the page had in the earlier crawl. */
  readonly earlierStatus?: number;
}

/** Facts of a response beside its snapshot. */
interface VersionFacts {
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** True when the body was rendered by a browser. */
  readonly isRendered: boolean;
  /** The hash of its source. */
  readonly textHash: string | undefined;
  /** Its document, if it can be compared. */
  readonly document?: () => Promise<PlainDocument>;
  /** The page in the earlier crawl. */
  readonly earlier?:
    { readonly version: PageVersion; readonly textHash: string | undefined } | undefined;
}

/** The version that a response is of; never rejects. */
export async function versionOf(
  snapshot: Snapshot,
  { askedAt, isRendered, textHash, document, earlier }: VersionFacts,
): Promise<PageVersion> {
  const { statusCode, url, headers, isCut = false, warnings } = snapshot;
  const { etag, 'last-modified': modified } = headers;
  const isWhole = (statusCode === 200 || statusCode === 203) && !isCut && warnings.length === 0;
  const before = earlier?.version;
  const contentHash = isCut
    ? before?.contentHash
    : await document?.()
        .then(contentHashOf)
        .catch(() => undefined);
  const textBefore = earlier?.textHash;
  const isSame =
    (textHash !== undefined && textHash === textBefore) ||
    (contentHash !== undefined && contentHash === before?.contentHash);
  return {
    statusCode,
    url,
    askedAt,
    contentHash,
    mayStay: isWhole && !isRendered,
    validators: {
      ...(etag === undefined ? {} : { etag }),
      ...(modified === undefined ? {} : { 'last-modified': modified }),
    },
    ...(isCut ? { isCut, ...(textBefore === undefined ? {} : { textHash: textBefore }) } : {}),
    ...(before === undefined ? {} : { isSame, earlierStatus: before.statusCode }),
  };
}

/** The version of a page that is unchanged since the earlier crawl. */
export function sameVersion(earlier: PageVersion): PageVersion {
  return { ...earlier, isSame: true, earlierStatus: earlier.statusCode };
}

/** The version for a conditional request; undefined without validators. */
export function knownVersion({ url, validators }: PageVersion): KnownVersion | undefined {
  const conditions = conditionsFor(validators);
  if (conditions === undefined) return undefined;
  return {
    conditions,
    isConfirmedBy: (answer) => answer.url === url && isSameVersion(validators, answer.headers),
  };
}

/**
 * The hash of a document's markdown and data, or of its other fields: clocks in the source of a page do not count, and
 * data may change where no text does.
 */
function contentHashOf({ metadata: _, warning: __, ...fields }: PlainDocument): string {
  const { markdown, json } = fields;
  const content =
    typeof markdown === 'string'
      ? `${withoutVisitMarks(markdown)}${json === undefined ? '' : JSON.stringify(json)}`
      : JSON.stringify(fields);
  return createHash('sha256').update(content).digest('base64url');
}
