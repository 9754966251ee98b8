/** Options of the functions of `pagewright/export`: types, defaults and checks. */
import { z } from 'zod';
import type { PageAsset } from '../../content/formats/assets/index.ts';
import { check } from '../checks/check.ts';

/** Options of `writeJsonl()`. */
export interface WriteJsonlOptions {
  /** Adds to the end of the file instead of replacing it. @default false */
  readonly append?: boolean | undefined;
}

/** Options of `readJsonl()`. */
export interface ReadJsonlOptions {
  /** Skip lines without a valid document, such as one that a crash cut off. @default false */
  readonly skipDamaged?: boolean | undefined;
}

/** Options of `writeMarkdownFolder()`. */
export interface MarkdownFolderOptions {
  /** Put the pages of each host in a folder of their own. @default false */
  readonly byHost?: boolean | undefined;
  /** Make links between pages of the folder relative. @default false */
  readonly relativeLinks?: boolean | undefined;
  /** Write `contents.md`, a list of all pages. @default false */
  readonly contents?: boolean | undefined;
  /**
   * Gives the bytes of the images and files in `document.assets`: they are written to `assets/`, and links to them in
   * the markdown become relative. @default links stay as they are
   * @example readAsset: (asset) => client.readAsset(asset)
   */
  readonly readAsset?: ReadAsset | undefined;
}

/** The bytes of an entry of `document.assets`, such as `client.readAsset` gives them; undefined if there are none. */
export type ReadAsset = (asset: PageAsset) => Promise<Uint8Array | undefined>;

/** Options of `writeWarc()`. */
export interface WriteWarcOptions {
  /** Gives the bytes of the images and files in `document.assets`: each URL gets a `resource` record. @default none */
  readonly readAsset?: ReadAsset | undefined;
}

/** Options of `readWarc()`. */
export interface ReadWarcOptions {
  /** The most bytes of a body, before and after decompression. @default 100_000_000 */
  readonly maxBodyBytes?: number | undefined;
}

/** Options of `writeLlmsTxt()`. */
export interface LlmsTxtOptions {
  /** The heading. @default the name of the site, else its host */
  readonly title?: string | undefined;
  /** The quote below it. @default the description of the first page */
  readonly description?: string | undefined;
  /** Write `llms-full.txt` too, with the markdown of all pages. @default false */
  readonly full?: boolean | undefined;
}

/** Options of `writeReport()`. */
export interface ReportOptions {
  /** The heading. @default the host of the start URL, or of the first page */
  readonly title?: string | undefined;
  /** The most URLs to list of each kind: pages, failed and skipped ones. All are counted. @default 50_000 */
  readonly limit?: number | undefined;
  /**
   * Show screenshots of documents as pictures of 320 px, 10 MB of them at most; `skip` leaves them out.
   *
   * @default 'thumbnails'
   */
  readonly screenshots?: 'thumbnails' | 'skip' | undefined;
}

/** Options of `readLlmsTxt()` and `parseLlmsTxt()`. */
export interface ReadLlmsTxtOptions {
  /** The URL of the text; the base of relative links. */
  readonly url?: string | undefined;
}

type CheckedOptions<Options> = {
  readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined>;
};

/** Checked options by function name. */
interface ExportSettingsByName {
  readonly writeJsonl: CheckedOptions<WriteJsonlOptions>;
  readonly readJsonl: CheckedOptions<ReadJsonlOptions>;
  readonly writeMarkdownFolder: CheckedOptions<Omit<MarkdownFolderOptions, 'readAsset'>> &
    Pick<MarkdownFolderOptions, 'readAsset'>;
  readonly writeWarc: WriteWarcOptions;
  readonly readWarc: CheckedOptions<ReadWarcOptions>;
  readonly writeLlmsTxt: LlmsTxtOptions & CheckedOptions<Pick<LlmsTxtOptions, 'full'>>;
  readonly readLlmsTxt: ReadLlmsTxtOptions;
  readonly writeReport: Pick<ReportOptions, 'title'> &
    CheckedOptions<Pick<ReportOptions, 'limit' | 'screenshots'>>;
}

/** Options of a function of `pagewright/export`, checked and with defaults. */
export type ExportSettings<Name extends keyof ExportSettingsByName> = ExportSettingsByName[Name];

const flagSchema = z.boolean().default(false);

const readAssetSchema = z
  .custom<ReadAsset>((value) => typeof value === 'function', 'expected a function')
  .optional();

const schemas: {
  readonly [Name in keyof ExportSettingsByName]: z.ZodType<ExportSettings<Name>>;
} = {
  writeJsonl: z.strictObject({ append: flagSchema }),
  readJsonl: z.strictObject({ skipDamaged: flagSchema }),
  writeMarkdownFolder: z.strictObject({
    byHost: flagSchema,
    relativeLinks: flagSchema,
    contents: flagSchema,
    readAsset: readAssetSchema,
  }),
  writeWarc: z.strictObject({ readAsset: readAssetSchema }),
  readWarc: z.strictObject({
    maxBodyBytes: z.int().min(1).max(1_000_000_000).default(100_000_000),
  }),
  writeLlmsTxt: z.strictObject({
    title: z.string().optional(),
    description: z.string().optional(),
    full: flagSchema,
  }),
  readLlmsTxt: z.strictObject({ url: z.url().optional() }),
  writeReport: z.strictObject({
    title: z.string().optional(),
    limit: z.int().min(0).max(1_000_000).default(50_000),
    screenshots: z.enum(['thumbnails', 'skip']).default('thumbnails'),
  }),
};

/** Checks the options of the function; throws `BAD_REQUEST` with every issue. */
export function parseExportOptions<Name extends keyof ExportSettingsByName>(
  name: Name,
  options: unknown,
): ExportSettings<Name> {
  return check(`${name}()`, schemas[name], options);
}
