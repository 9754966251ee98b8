/** Cleaning: the ordered list of steps between parsing and formats. */
import type { HtmlPage } from '../model/page.ts';
import type { CleanOptions } from '../model/request.ts';
import { absoluteUrls } from './absolute-urls.ts';
import { blockAds } from './block-ads.ts';
import { flattenShadowRoots } from './flatten-shadow-roots.ts';
import { mainContent } from './main-content/index.ts';
import { removeBase64Images } from './remove-base64-images.ts';
import { removeHidden } from './remove-hidden.ts';
import { removeNoise } from './remove-noise.ts';
import { resolveMedia } from './resolve-media.ts';
import { selectTags } from './select-tags.ts';
import type { Transformer } from './transformer.ts';

/** The steps in their order. */
export const transformers: readonly Transformer[] = [
  flattenShadowRoots, // first, so that selectors reach into shadow roots
  selectTags, // before anything is rewritten: selectors match the page as it came
  resolveMedia, // reads <noscript>, which the next step removes
  removeNoise, // nothing below sees code or comments
  blockAds, // by vendor marks, whatever part of the page is wanted
  removeHidden, // before text is measured
  mainContent, // the one step that guesses
  absoluteUrls, // on what is left: less to rewrite
  removeBase64Images, // last: placeholders were resolved above
];

/** Changes `page.root` and `page.warnings` in place. */
export function cleanPage(page: HtmlPage, options: CleanOptions): void {
  for (const transformer of transformers) transformer.apply(page, options);
}
