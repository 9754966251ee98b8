/** The formats that an engine captures while the page is open: screenshot and branding. */
import { z } from 'zod';
import type { Branding } from '../../core/model/branding.ts';
import { check } from '../../core/checks/check.ts';
import { readsNothing, type Format } from './format.ts';

/** Options of the screenshot format. */
export interface ScreenshotOptions {
  /** Captures the whole page instead of the visible part. @default false */
  readonly fullPage?: boolean | undefined;
  /** Gives a JPEG of this quality, 1 to 100. @default a PNG */
  readonly quality?: number | undefined;
  /** The viewport for this screenshot, in CSS pixels, at most 7680 × 4320. @default the option `viewport` */
  readonly viewport?: { readonly width: number; readonly height: number } | undefined;
  /** A CSS selector: captures only the first match. @default the page */
  readonly selector?: string | undefined;
}

const optionsSchema = z.strictObject({
  fullPage: z.boolean().optional(),
  quality: z.int().min(1).max(100).optional(),
  viewport: z
    .strictObject({ width: z.int().min(1).max(7680), height: z.int().min(1).max(4320) })
    .optional(),
  selector: z.string().min(1).optional(),
} satisfies Record<keyof ScreenshotOptions, z.ZodType>);

/**
 * A `data:` URI, or the text that the client's `assets` returned. Shows the page after the
 * actions, with fonts and pictures loaded. Needs an engine that renders.
 */
export const screenshot: Format<
  'screenshot',
  string,
  ScreenshotOptions | undefined,
  null,
  undefined
> = {
  ...readsNothing,
  name: 'screenshot',
  parseOptions: (options) => check('screenshot', optionsSchema, options),
  uses: (options = {}) => ({
    captures: { screenshot: { ...options, fullPage: options.fullPage ?? false } },
  }),
  // An engine with the capability makes it.
  finish: (_, __, { captured }) => captured.screenshot as string,
};

// branding: the design of the site, read by the engine that rendered the page.

export type { Branding };

/** Colours, fonts, spacing, buttons and the logo of the rendered page. Needs an engine that renders. */
export const branding: Format<'branding', Branding, undefined, null, undefined> = {
  ...readsNothing,
  name: 'branding',
  uses: () => ({ captures: { branding: true } }),
  finish: (_, __, { captured }) => captured.branding as Branding,
};
