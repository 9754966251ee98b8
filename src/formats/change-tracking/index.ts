/** The changeTracking format: compares a page with its previous scrape. */
import type { HtmlPage, Page } from '../../model/page.ts';
import { compileLinear } from '../../text/linear-pattern.ts';
import type { FormatRequest, TwoStepFormat } from '../format.ts';
import { screenshot, type ScreenshotOptions } from '../captured-formats.ts';
import { markdown } from '../markdown/index.ts';
import type { MarkdownDiff } from './diff-markdown.ts';
import {
  type ChangeTrackingMode,
  parseTrackingOptions,
  type TrackingSettings,
} from './tracking-options.ts';
import type { VisualChange } from './compare-pictures.ts';

/** The state of a page compared with its previous scrape. */
export type ChangeStatus = 'new' | 'same' | 'changed' | 'removed';

/** A value of the schema that changed; null where there is none. */
export interface ValueChange {
  readonly previous: unknown;
  readonly current: unknown;
}

/** The fields that each mode adds. */
interface ModeResults {
  readonly 'git-diff': {
    /** Present when the page changed. */
    readonly diff?: MarkdownDiff;
  };
  readonly json: {
    /** By path: `offers[0].price`. Empty when no value changed; absent when there is nothing to compare with. */
    readonly json?: Readonly<Record<string, ValueChange>>;
  };
  readonly visual: {
    /** Absent when no earlier picture exists. */
    readonly visual?: VisualChange;
  };
}

type Joined<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The document's field, with the results of its modes. */
export type ChangeTracking<Mode extends ChangeTrackingMode = ChangeTrackingMode> = {
  /** ISO 8601; null for the first scrape of this URL and tag. */
  readonly previousScrapeAt: string | null;
  /** Compares the markdown with white space folded. `removed`: 404 or 410 after an earlier scrape. */
  readonly changeStatus: ChangeStatus;
  /** `hidden`: known from before, but no link and no sitemap of this crawl leads to the page. */
  readonly visibility: 'visible' | 'hidden';
} & ([Mode] extends [never] ? unknown : Joined<ModeResults[Mode]>);

/** The options of the first step. */
type ComparedTextOptions = Pick<TrackingSettings, 'selectors' | 'patterns'>;

/**
 * Compares the page with the last scrape of the same URL that asked for change tracking with the same
 * tag, and stores it in the client's storage for the next comparison. Needs markdown among the formats.
 * The mode `json` compares the values of the format json: the client's model reads them, where it has
 * one; not again while text, schema and prompt stay the same.
 *
 * Undefined, with a warning, where nothing is compared or stored: with `zeroDataRetention`, when the
 * storage fails, and for a response that says nothing about the page, such as 503.
 */
export const changeTracking: TwoStepFormat<
  'changeTracking',
  ChangeTracking | undefined,
  TrackingSettings,
  string | undefined,
  ComparedTextOptions
> = {
  name: 'changeTracking',
  needs: 'content',
  everyVisit: true,
  parseOptions: parseTrackingOptions,
  run: () => undefined,
  reading: { name: 'changeTracking', needs: 'content', run: comparedText },
  plainOptions: ({ selectors, patterns }) => ({ selectors, patterns }),
  wantsModelText: ({ asksModel }) => asksModel,
  missing,
  // The text to compare; the pipeline, which has the storage, replaces it with the comparison.
  finish: (found) => found as unknown as undefined,
};

/** The options of change tracking; undefined when it is not among the formats. */
export function trackingOf(formats: readonly FormatRequest[]): TrackingSettings | undefined {
  const request = formats.find(({ format }) => format === changeTracking);
  return request?.options as TrackingSettings | undefined;
}

/** Change tracking needs the markdown; the mode `visual` needs screenshots as PNGs. */
function missing(
  { modes }: TrackingSettings,
  formats: readonly FormatRequest[],
): string | undefined {
  if (!formats.some(({ format }) => format.name === markdown.name)) {
    return 'changeTracking needs markdown';
  }
  if (!modes.has('visual')) return undefined;
  const picture = formats.find(({ format }) => format === screenshot);
  const { quality } = (picture?.options ?? {}) as ScreenshotOptions;
  return picture !== undefined && quality === undefined
    ? undefined
    : 'the mode visual of changeTracking needs screenshot, without quality,';
}

/** Undefined when the document's markdown is compared as it is. */
async function comparedText(
  page: Page,
  { selectors, patterns }: ComparedTextOptions,
  context: Parameters<typeof markdown.run>[2],
): Promise<string | undefined> {
  if (selectors.length === 0 && patterns.length === 0) return undefined;
  const shown = page.kind === 'html' ? without(page, selectors) : page;
  let text = await markdown.run(shown, undefined, context);
  for (const { source, flags } of patterns) {
    text = compileLinear(source, flags)?.matcher(text).replaceAll('') ?? text;
  }
  return text;
}

/** Removes the elements from a copy: other formats read the page, too. */
function without(page: HtmlPage, selectors: readonly string[]): HtmlPage {
  if (selectors.length === 0) return page;
  const root = page.root.cloneNode(true) as HtmlPage['root'];
  for (const element of root.querySelectorAll(selectors.join(', '))) element.remove();
  return { ...page, root };
}
