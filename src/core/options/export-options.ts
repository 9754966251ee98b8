/** Options of the functions of `pagewright/export`: types, defaults and checks. */
import { z } from 'zod';
import type { PageAsset } from '../../content/formats/assets/index.ts';
import { check } from '../checks/check.ts';
import { type Input, option, schemaOf } from '../checks/option.ts';

/** The bytes of an entry of `document.assets`, such as `client.readAsset` gives them; undefined if there are none. */
export type ReadAsset = (asset: PageAsset) => Promise<Uint8Array | undefined>;

const readAsset = z.custom<ReadAsset>(
  (value) => typeof value === 'function',
  'expected a function',
);

const writeJsonlRows = {
  /** Adds to the end of the file instead of replacing it. @default false */
  append: option(z.boolean().default(false)),
};

/** Options of `writeJsonl()`. */
export interface WriteJsonlOptions extends Input<typeof writeJsonlRows> {}

const writeCsvRows = {
  /**
   * Put a `'` before texts that a spreadsheet would take for formulas: those that begin with `=`, `+`, `-`, `@`, a
   * tab or a return, and are no numbers. False for programs, which read the texts as they are. @default true
   */
  escapeFormulas: option(z.boolean().default(true)),
};

/** Options of `writeCsv()`. */
export interface WriteCsvOptions extends Input<typeof writeCsvRows> {}

const readJsonlRows = {
  /** Skip lines without a valid document, such as one that a crash cut off. @default false */
  skipDamaged: option(z.boolean().default(false)),
};

/** Options of `readJsonl()`. */
export interface ReadJsonlOptions extends Input<typeof readJsonlRows> {}

const writeMarkdownFolderRows = {
  /** Put the pages of each host in a folder of their own. @default false */
  byHost: option(z.boolean().default(false)),
  /** Make links between pages of the folder relative. @default false */
  relativeLinks: option(z.boolean().default(false)),
  /** Write `contents.md`, a list of all pages. @default false */
  contents: option(z.boolean().default(false)),
  /**
   * Gives the bytes of the images and files in `document.assets`: they are written to `assets/`, and links to them in
   * the markdown become relative. @default links stay as they are
   * @example readAsset: (asset) => client.readAsset(asset)
   */
  readAsset: option(readAsset),
};

/** Options of `writeMarkdownFolder()`. */
export interface MarkdownFolderOptions extends Input<typeof writeMarkdownFolderRows> {}

const writeWarcRows = {
  /** Gives the bytes of the images and files in `document.assets`: each URL gets a `resource` record. @default none */
  readAsset: option(readAsset),
};

/** Options of `writeWarc()`. */
export interface WriteWarcOptions extends Input<typeof writeWarcRows> {}

const readWarcRows = {
  /** The most bytes of a body, before and after decompression. @default 100_000_000 */
  maxBodyBytes: option(z.int().min(1).max(1_000_000_000).default(100_000_000)),
};

/** Options of `readWarc()`. */
export interface ReadWarcOptions extends Input<typeof readWarcRows> {}

const writeLlmsTxtRows = {
  /** The heading. @default the name of the site, else its host */
  title: option(z.string()),
  /** The quote below it. @default the description of the first page */
  description: option(z.string()),
  /** Write `llms-full.txt` too, with the markdown of all pages. @default false */
  full: option(z.boolean().default(false)),
};

/** Options of `writeLlmsTxt()`. */
export interface LlmsTxtOptions extends Input<typeof writeLlmsTxtRows> {}

const writeReportRows = {
  /** The heading. @default the host of the start URL, or of the first page */
  title: option(z.string()),
  /** The most URLs to list of each kind: pages, failed and skipped ones. All are counted. @default 50_000 */
  limit: option(z.int().min(0).max(1_000_000).default(50_000)),
  /**
   * Show screenshots of documents as pictures of 320 px, 10 MB of them at most; `skip` leaves them out.
   *
   * @default 'thumbnails'
   */
  screenshots: option(z.enum(['thumbnails', 'skip']).default('thumbnails')),
};

/** Options of `writeReport()`. */
export interface ReportOptions extends Input<typeof writeReportRows> {}

const readLlmsTxtRows = {
  /** The URL of the text; the base of relative links. */
  url: option(z.url()),
};

/** Options of `readLlmsTxt()` and `parseLlmsTxt()`. */
export interface ReadLlmsTxtOptions extends Input<typeof readLlmsTxtRows> {}

const schemas = {
  writeCsv: schemaOf(writeCsvRows),
  writeJsonl: schemaOf(writeJsonlRows),
  readJsonl: schemaOf(readJsonlRows),
  writeMarkdownFolder: schemaOf(writeMarkdownFolderRows),
  writeWarc: schemaOf(writeWarcRows),
  readWarc: schemaOf(readWarcRows),
  writeLlmsTxt: schemaOf(writeLlmsTxtRows),
  writeReport: schemaOf(writeReportRows),
  readLlmsTxt: schemaOf(readLlmsTxtRows),
};

/** Options of a function of `pagewright/export`, checked and with defaults. */
export type ExportSettings<Name extends keyof typeof schemas> = z.output<(typeof schemas)[Name]>;

/** Checks the options of the function; throws `BAD_REQUEST` with every issue. */
export function parseExportOptions<Name extends keyof typeof schemas>(
  name: Name,
  options: unknown,
): ExportSettings<Name> {
  return check(`${name}()`, schemas[name], options);
}
