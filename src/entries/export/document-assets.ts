/** The files in `document.assets`: checked, because documents come from anywhere, and read. */
import type { PageAsset } from '../../content/formats/assets/index.ts';
import type { PlainDocument } from '../../core/model/document.ts';
import type { ReadAsset } from '../../core/options/export-options.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { sha256Of } from '../../core/runtime/identifiers.ts';

/** A file with the URLs that stand for it in the document. */
export interface DocumentAsset {
  readonly url: string;
  readonly urls: readonly string[];
  readonly contentType: string;
  /** The hash of the bytes, in hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** The files of a document whose bytes `read` gives, one after the other. */
export async function* assetsOf(
  document: PlainDocument,
  read: ReadAsset | undefined,
): AsyncGenerator<DocumentAsset, void, undefined> {
  const listed = document['assets'];
  if (read === undefined || !Array.isArray(listed)) return;
  for (const asset of listed) {
    if (!isAsset(asset)) continue;
    const bytes = await read(asset);
    if (bytes === undefined) continue;
    const { url, src } = asset;
    const urls = [url, ...(typeof src === 'string' ? [src] : [])];
    const sha256 = sha256Of(bytes);
    const contentType = asset.contentType ?? 'application/octet-stream';
    yield { url, urls, contentType, sha256, bytes };
  }
}

function isAsset(value: unknown): value is PageAsset {
  if (typeof value !== 'object' || value === null) return false;
  const { url, key, contentType } = value as Partial<Record<keyof PageAsset, unknown>>;
  const isTyped = typeof contentType === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(contentType);
  return typeof key === 'string' && isTyped && typeof url === 'string' && canParseUrl(url);
}
