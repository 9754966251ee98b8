/** Options of scrape and crawl: what a document holds. */
import { type Command, Option } from 'commander';
import type { FormatInput, ScrapeOptions } from '../index.ts';
import {
  type AttributeSelector,
  attributeSelector,
  jsonObject,
  list,
  number,
  repeated,
} from './option-values.ts';
import { screenshotFormat, type ScreenshotValues } from './screenshot-options.ts';

/** What commander makes of them. */
export interface ContentValues extends ScreenshotValues {
  readonly formats?: string[];
  readonly schema?: Record<string, unknown>;
  readonly attribute?: AttributeSelector[];
  readonly highlights?: string;
  readonly chunkTokens?: number;
  readonly chunkOverlap?: number;
  readonly onlyMainContent: boolean;
  readonly mainContent?: 'pagewright' | 'readability' | 'defuddle';
  readonly includeTags?: string[];
  readonly excludeTags?: string[];
  readonly removeBase64Images: boolean;
  readonly blockAds: boolean;
  readonly parsers: boolean;
  readonly archives?: boolean;
  readonly exportShareLinks?: boolean;
}

/** Adds them to a command. */
export function addContentOptions(command: Command): Command {
  return command
    .optionsGroup('Content:')
    .option(
      '--formats <name,…>',
      'markdown, html, rawHtml, links, images, tables, chunks, summary, structuredData, product, screenshot, branding (default: markdown)',
      list,
    )
    .option(
      '--schema <file>',
      'adds the format json: data that fits the JSON Schema in the file',
      jsonObject,
    )
    .option(
      '--attribute <selector@name>',
      'adds the format attributes: their values; repeatable',
      attributeSelector,
    )
    .option('--highlights <query>', 'adds the format highlights: passages that answer the query')
    .option('--chunk-tokens <count>', 'adds the format chunks: their largest size', number)
    .option(
      '--chunk-overlap <count>',
      'adds the format chunks: tokens repeated where a section was cut',
      number,
    )
    .option('--no-only-main-content', 'the whole page, with navigation and footer')
    .addOption(
      new Option(
        '--main-content <name>',
        'what finds the main content; the others are packages to install (default: pagewright)',
      ).choices(['pagewright', 'readability', 'defuddle']),
    )
    .option(
      '--include-tags <selectors>',
      'keep only what these CSS selectors match; repeatable',
      repeated,
    )
    .option(
      '--exclude-tags <selectors>',
      'remove what these CSS selectors match; repeatable',
      repeated,
    )
    .option('--no-remove-base64-images', 'keep images that are part of the page as data: URLs')
    .option('--no-block-ads', 'keep what ad networks and consent managers leave in a page')
    .option('--no-parsers', 'a PDF as base64 instead of its text')
    .option('--archives', 'read the documents in ZIP, TAR and gzip files')
    .option(
      '--export-share-links',
      'fetch the file behind a share link: Google Docs, Drive, Dropbox, OneDrive, GitHub',
    );
}

/**
 * Asked for with `--formats` and with options of one format; `whenNone` when there are none of them. A
 * picture that goes to a file comes beside them.
 */
export function requestedFormats(
  values: ContentValues,
  whenNone: 'markdown' | 'rawHtml' = 'markdown',
): FormatInput[] {
  const { formats = [], schema, attribute, highlights, chunkTokens, chunkOverlap } = values;
  const configured: Exclude<FormatInput, string>[] = [];
  if (schema !== undefined) configured.push({ type: 'json', schema });
  if (attribute !== undefined) configured.push({ type: 'attributes', selectors: attribute });
  if (highlights !== undefined) configured.push({ type: 'highlights', query: highlights });
  if (chunkTokens !== undefined || chunkOverlap !== undefined) {
    configured.push({ type: 'chunks', maxTokens: chunkTokens, overlap: chunkOverlap });
  }
  const names = formats.filter(
    (name) => !configured.some((format) => 'type' in format && format.type === name),
  );
  // Names are checked by the library, whose list of formats this is.
  const inputs = [...(names as FormatInput[]), ...configured];
  const picture = screenshotFormat(values);
  if (inputs.length === 0) inputs.push(whenNone);
  return picture === undefined
    ? inputs
    : [...inputs.filter((one) => one !== 'screenshot'), picture];
}

/** As the library takes them. */
export function contentOptions(
  values: ContentValues,
  whenNone: 'markdown' | 'rawHtml' = 'markdown',
): Omit<ScrapeOptions, 'signal'> {
  return {
    formats: requestedFormats(values, whenNone),
    onlyMainContent: values.onlyMainContent,
    mainContent: values.mainContent,
    includeTags: values.includeTags,
    excludeTags: values.excludeTags,
    removeBase64Images: values.removeBase64Images,
    blockAds: values.blockAds,
    parsers: [
      ...(values.parsers ? (['pdf'] as const) : []),
      ...(values.archives === true ? (['archive'] as const) : []),
    ],
    exportShareLinks: values.exportShareLinks,
  };
}
