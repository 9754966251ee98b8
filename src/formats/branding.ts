/** branding: how the site looks, read by the engine that rendered the page. */
import type { Branding } from '../model/branding.ts';
import { captured } from './captured.ts';
import type { Format } from './format.ts';

export type { Branding };

/** Colours, fonts, spacing, buttons and the logo of the rendered page. Needs an engine that renders. */
export const branding: Format<'branding', Branding> = {
  name: 'branding',
  needs: 'capture',
  run: captured,
};
