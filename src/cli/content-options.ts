/** Options of scrape and crawl: what a document holds. */
import type { Command } from 'commander';
import type { FormatInput, ScrapeOptions } from '../index.ts';
import {
  type AttributeSelector,
  attributeSelector,
  jsonObject,
  list,
  repeated,
} from './option-values.ts';

/** What commander makes of them. */
export interface ContentValues {
  readonly formats?: string[];
  readonly schema?: Record<string, unknown>;
  readonly attribute?: AttributeSelector[];
  readonly onlyMainContent: boolean;
  readonly includeTags?: string[];
  readonly excludeTags?: string[];
  readonly removeBase64Images: boolean;
  readonly blockAds: boolean;
  readonly parsers: boolean;
}

/** Adds them to a command. */
export function addContentOptions(command: Command): Command {
  return command
    .optionsGroup('Content:')
    .option(
      '--formats <name,…>',
      'markdown, html, rawHtml, links, images, tables, chunks, summary, structuredData (default: markdown)',
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
    .option('--no-only-main-content', 'the whole page, with navigation and footer')
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
    .option('--no-parsers', 'a PDF as base64 instead of its text');
}

/** Asked for with `--formats`, `--schema` and `--attribute`; markdown when none of them is given. */
export function requestedFormats({ formats, schema, attribute }: ContentValues): FormatInput[] {
  const names = (formats ?? []).filter(
    (name) =>
      !(name === 'json' && schema !== undefined) &&
      !(name === 'attributes' && attribute !== undefined),
  );
  // Names are checked by the library, whose list of formats this is.
  const inputs = [...names] as FormatInput[];
  if (schema !== undefined) inputs.push({ type: 'json', schema });
  if (attribute !== undefined) inputs.push({ type: 'attributes', selectors: attribute });
  return inputs.length === 0 ? ['markdown'] : inputs;
}

/** As the library takes them. */
export function contentOptions(values: ContentValues): Omit<ScrapeOptions, 'signal'> {
  return {
    formats: requestedFormats(values),
    onlyMainContent: values.onlyMainContent,
    includeTags: values.includeTags,
    excludeTags: values.excludeTags,
    removeBase64Images: values.removeBase64Images,
    blockAds: values.blockAds,
    parsers: values.parsers ? ['pdf'] : [],
  };
}
