/** Files that are made of pages, and who keeps them. */
import type { Picture } from './captures.ts';

/** A picture or a PDF of a page. */
export interface Asset extends Picture {
  /** `screenshot` for the format and for the action of that name. */
  readonly kind: 'screenshot' | 'pdf';
  /** The page that it shows. */
  readonly url: string;
  /** That of the document's metadata. */
  readonly scrapeId: string;
}

/** Keeps an asset; what it gives stands in the document. What it throws fails the page with `HOOK_FAILED`. */
export type AssetKeeper = (asset: Asset) => string | Promise<string>;
