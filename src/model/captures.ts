/** What an engine brings back of a page beside its HTML: only a browser can make it. */
import type { Branding } from './branding.ts';

/** What was asked for, while the page was open. */
export interface Captures {
  readonly screenshot?: Picture | undefined;
  readonly branding?: Branding | undefined;
  readonly actions?: ActionOutcome | undefined;
}

/** A file that was made of a page. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'application/pdf';
  /** Where the elements are that were to be measured. */
  readonly boxes?: readonly PictureBox[] | undefined;
}

/** A part of a picture, in its pixels, from its upper left corner. */
export interface PictureBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What the steps brought, each list in their order. */
export interface ActionOutcome {
  readonly screenshots: Picture[];
  readonly scrapes: { readonly url: string; readonly html: string }[];
  /** `type` is that of `typeof`, but `null` and `array` for these. */
  readonly javascriptReturns: { readonly type: string; readonly value: unknown }[];
  readonly pdfs: Picture[];
  /** What a step could not do in full though it went on; sentences. */
  readonly warnings: string[];
  /** What actions of the caller's own returned. */
  readonly returns: { readonly type: string; readonly value: unknown }[];
}
