/** What an engine made of a page while it was open, as the document has it. */
import type { ActionResults } from '../actions/index.ts';
import { hookFailed } from '../errors.ts';
import type { AssetKeeper } from '../model/assets.ts';
import type { Branding } from '../model/branding.ts';
import type { Picture } from '../model/captures.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Fields of the document. */
export interface CapturedFields {
  readonly screenshot?: string;
  readonly branding?: Branding;
  readonly actions?: ActionResults;
}

/**
 * Hands pictures and PDFs to `keep`, or makes `data:` URIs of them. Rejects with `HOOK_FAILED` when
 * `keep` throws or gives no string.
 */
export async function capturedFields(
  { captures, url }: Snapshot,
  scrapeId: string,
  keep: AssetKeeper | undefined,
): Promise<CapturedFields> {
  if (captures === undefined) return {};
  const { screenshot, branding, actions } = captures;
  const place = (kind: 'screenshot' | 'pdf') => (picture: Picture) =>
    placeOf(picture, kind, url, scrapeId, keep);
  return {
    ...(screenshot === undefined ? {} : { screenshot: await place('screenshot')(screenshot) }),
    ...(branding === undefined ? {} : { branding }),
    ...(actions === undefined
      ? {}
      : {
          actions: {
            screenshots: await Promise.all(actions.screenshots.map(place('screenshot'))),
            scrapes: [...actions.scrapes],
            javascriptReturns: [...actions.javascriptReturns],
            pdfs: await Promise.all(actions.pdfs.map(place('pdf'))),
            returns: [...actions.returns],
          },
        }),
  };
}

/** What stands in the document for a file. */
async function placeOf(
  picture: Picture,
  kind: 'screenshot' | 'pdf',
  url: string,
  scrapeId: string,
  keep: AssetKeeper | undefined,
): Promise<string> {
  const { bytes, mediaType } = picture;
  if (keep === undefined) {
    const { buffer, byteOffset, byteLength } = bytes;
    return `data:${mediaType};base64,${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
  }
  try {
    const place: unknown = await keep({ bytes, mediaType, kind, url, scrapeId });
    if (typeof place === 'string') return place;
    throw new TypeError('it has to give a string, which stands in the document');
  } catch (error) {
    throw hookFailed('assets', url, error);
  }
}
