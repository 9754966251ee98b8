/** Cleaning: the ordered list of steps between parsing and formats. */
import type { ExtractorName, HtmlPage, MainContentExtractor } from '../../core/model/page.ts';
import type { CleanOptions } from '../../core/model/request.ts';
import { absoluteUrls } from './absolute-urls.ts';
import { blockAds } from './block-ads.ts';
import { findConsentDialogs, removeConsentDialogs } from './consent-dialog.ts';
import { removeDecoration } from './decorative-images.ts';
import { flattenShadowRoots } from './flatten-shadow-roots.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { ExtractionContext } from './main-content/adapters/extract-content.ts';
import { mainContent } from './main-content/index.ts';
import { normalize } from './normalize/index.ts';
import { redactRest } from './redact-page.ts';
import { removeBase64Images } from './remove-base64-images.ts';
import { removeButtons, removeNoise, removeUnfilled } from './remove-noise.ts';
import { removeHidden } from './hidden-elements.ts';
import { findRepeated, readFingerprints, removeRepeated } from './site-boilerplate.ts';
import { resolveMedia } from './resolve-media.ts';
import { selectTags } from './select-tags.ts';
import type { Transformer } from './transformer.ts';

/**
 * The main content without the site's boilerplate. Boilerplate is found while the page is as it is on other
 * pages, and removed when the content is chosen, since the surrounding text helps to find the content.
 */
const siteContent: Transformer = {
  name: 'mainContent',
  apply(page, options) {
    const repeated = findRepeated(page, options.repeated);
    mainContent.apply(page, options);
    removeRepeated(page, repeated);
  },
};

/** The steps in their order. */
export const transformers: readonly Transformer[] = [
  flattenShadowRoots, // first, so that selectors reach into shadow roots
  selectTags, // before anything is rewritten: selectors match the original page
  resolveMedia, // reads <noscript>, which removeNoise removes
  findConsentDialogs, // needs buttons, which the next step makes text
  normalize, // reads formulas in scripts and in hidden parts, which the next steps remove; shows the panels of tabs
  removeNoise, // no later step sees code or comments
  blockAds, // by vendor ids and classes, for any part of the page
  removeHidden, // before text is measured
  removeButtons, // the previous step checks what they open
  siteContent, // the one step that uses a heuristic
  removeConsentDialogs, // the site's own dialogs that siteContent left
  removeUnfilled,
  removeDecoration, // portraits and icons help to find the content
  absoluteUrls, // on the remaining elements: less to rewrite
  removeBase64Images, // placeholders were resolved above
  redactRest, // last: removed elements no longer split a value
];

/** Files have no boilerplate, ads or consent dialogs. */
const fileTransformers: readonly Transformer[] = [
  selectTags,
  normalize,
  removeNoise,
  absoluteUrls,
  removeBase64Images,
  redactRest,
];

/** Changes `page.root` and `page.warnings` in place. */
export function cleanPage(page: HtmlPage, options: CleanOptions): void {
  const steps = page.file === undefined ? transformers : fileTransformers;
  for (const transformer of steps) applyWhereNeeded(transformer, page, options);
}

function applyWhereNeeded(transformer: Transformer, page: HtmlPage, options: CleanOptions): void {
  const { elements } = transformer;
  const { localNames } = page.document;
  const isNeeded =
    elements === undefined ||
    localNames === undefined ||
    elements.some((name) => localNames.has(name));
  if (isNeeded) transformer.apply(page, options);
}

/** Like `cleanPage`, with a third-party extractor instead of ours. Throws `HOOK_FAILED` when it throws. */
export async function cleanPageWith(
  extractor: ExtractorName | MainContentExtractor,
  page: HtmlPage,
  options: CleanOptions,
  context: ExtractionContext,
): Promise<void> {
  if (page.file !== undefined) return cleanPage(page, options);
  for (const transformer of transformers) {
    if (transformer !== siteContent) {
      // For any page: the document does not know the elements that an extractor adds.
      transformer.apply(page, options);
      continue;
    }
    removeRepeated(page, findRepeated(page, options.repeated)); // before extractors replace the elements
    absoluteUrls.apply(page, options); // extractors know the page's URL, not its `<base>`
    const { extractContent } = await loadModule(
      () => import('./main-content/adapters/extract-content.ts'),
    );
    await extractContent(extractor, page, options, context);
  }
}

/** Fingerprints of blocks, to find them on other pages of the site. Runs the cleaning steps that this needs. */
export function fingerprintPage(page: HtmlPage, options: CleanOptions): number[] {
  for (const transformer of transformers) {
    if (transformer === siteContent) break;
    applyWhereNeeded(transformer, page, options);
  }
  return readFingerprints(page);
}
