/** assets: the images and linked files of a page, downloaded and stored. Requested by the option `assets`. */
import { z } from 'zod';
import { messageOf, PagewrightError, type ErrorCode } from '../../../core/runtime/errors.ts';
import { startDeadline } from '../../../core/runtime/deadline.ts';
import { check } from '../../../core/checks/check.ts';
import { sha256Of } from '../../../core/runtime/identifiers.ts';
import {
  builtInModule,
  type DownloadedFile,
  type FormatVisit,
  type KeptFile,
  type Format,
} from '../format.ts';
import { findAssets, type FoundAsset, type FoundAssets, type WantedAssets } from './find-assets.ts';
import { type Duration, durationSchema } from '../../../core/checks/duration.ts';

/** The option `assets`: which files of a page are downloaded, and how much. */
export interface AssetOptions {
  /** Download the images of the content: of a `srcset` the largest, lazy ones by their real source. @default false */
  readonly images?: boolean | undefined;
  /**
   * Download the files that the content links to, by the extensions of their URLs: `['pdf', 'docx']`; true for
   * documents, tables, books and ZIP archives. @default []
   */
  readonly files?: boolean | readonly string[] | undefined;
  /** The most files of a page; the others are left out with a warning. @default 100 */
  readonly maxCount?: number | undefined;
  /** Bytes of one file. @default 20_000_000 */
  readonly maxBytesEach?: number | undefined;
  /** Bytes of all files of a page. @default 100_000_000 */
  readonly maxBytes?: number | undefined;
  /** Bytes that a job stores in each process that works on it. @default 1_000_000_000 */
  readonly maxJobBytes?: number | undefined;
  /** Milliseconds for all files of a page, beside the `timeout` of the page. @default 60_000 */
  readonly timeout?: Duration | undefined;
}

/** A file of a page, in `document.assets`. A file that could not be had has an `error`, and no bytes. */
export interface PageAsset extends Omit<FoundAsset, 'extension'>, KeptFile {
  /** The media type, by the bytes themselves. */
  readonly contentType?: string;
  /** The length. */
  readonly bytes?: number;
  /** The hash of the content, in hexadecimal digits. */
  readonly sha256?: string;
  /** Pixels, for an image whose head can be read. */
  readonly width?: number;
  readonly height?: number;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

type CheckedOptions = Required<{
  readonly [Name in keyof Omit<AssetOptions, 'files'>]: Name extends 'timeout'
    ? number
    : NonNullable<AssetOptions[Name]>;
}> &
  Pick<WantedAssets, 'files'>;

const extension = z
  .string()
  .regex(/^\.?[a-z0-9]{1,10}$/i, 'expected an extension, such as "pdf"')
  .transform((text) => text.replace('.', '').toLowerCase());

const bytes = z.int().min(1).max(10_000_000_000);

const optionsSchema = z
  .strictObject({
    images: z.boolean().default(false),
    files: z.union([z.boolean(), z.array(extension)]).default(false),
    maxCount: z.int().min(1).max(10_000).default(100),
    maxBytesEach: bytes.default(20_000_000),
    maxBytes: bytes.default(100_000_000),
    maxJobBytes: bytes.default(1_000_000_000),
    timeout: durationSchema(1, 3_600_000).default(60_000),
  } satisfies Record<keyof AssetOptions, z.ZodType>)
  .refine(
    ({ images, files }) => images || files === true || (files !== false && files.length > 0),
    'expected images: true or files',
  );

/** Extensions of `files: true`. */
const documentExtensions: readonly string[] =
  'pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub csv tsv zip'.split(' ');

const atOnce = 4; // concurrent downloads of a page; per-host limits apply, too

/** Not in the registry: requested by an option, not by `formats`. */
export const assets: Format<'assets', PageAsset[], CheckedOptions, FoundAssets, WantedAssets> = {
  name: 'assets',
  needs: 'content',
  worker: builtInModule,
  uses: () => ({ downloads: true }),
  runOptions: (options) => options,
  run: findAssets,
  async finish({ found, leftOut }, options, { visit, signal, warn }) {
    if (leftOut > 0) {
      warn(`${leftOut} assets of the page were left out: assets.maxCount is ${options.maxCount}.`);
    }
    if (visit === undefined || found.length === 0) return [];
    using deadline = startDeadline(options.timeout, [signal], 'The download of the assets');
    const downloads = new PageDownloads(visit, options, deadline.signal);
    const listed: PageAsset[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < found.length; index = next++) {
        const asset = found[index];
        if (asset === undefined) return;
        const { extension: _, ...facts } = asset;
        listed[index] = { ...facts, ...(await downloads.fetch(asset)) };
        signal.throwIfAborted();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return listed;
  },
};

/** Checks the option; throws `BAD_REQUEST` with every issue. */
export function parseAssetOptions(subject: string, options: unknown): CheckedOptions {
  const { files, ...checked } = check(subject, optionsSchema, options, { at: ['assets'] });
  return { ...checked, files: files === true ? documentExtensions : files || [] };
}

type AssetResult = Omit<PageAsset, 'kind' | 'src' | 'alt'>;

/** The downloads of one page. */
class PageDownloads {
  readonly #visit: FormatVisit;
  readonly #options: CheckedOptions;
  readonly #signal: AbortSignal;
  /** Bytes left for the page. */
  #left: number;

  constructor(visit: FormatVisit, options: CheckedOptions, signal: AbortSignal) {
    this.#visit = visit;
    this.#options = options;
    this.#signal = signal;
    this.#left = options.maxBytes;
  }

  /** The file (for an image its best candidate, else its `src`), or the error. Rejects with `STORAGE`. */
  async fetch(asset: FoundAsset): Promise<AssetResult> {
    let failed: AssetResult | undefined;
    for (const url of asset.src === undefined ? [asset.url] : [asset.url, asset.src]) {
      try {
        if (this.#left <= 0) throw tooLarge(this.#options);
        const kept = await this.#visit.files.once(url, this.#signal, () => this.#keep(asset, url));
        this.#left -= kept.bytes;
        if (this.#left >= 0) return kept;
        this.#left += kept.bytes;
        throw tooLarge(this.#options);
      } catch (error) {
        if (error instanceof PagewrightError && error.code === 'STORAGE') throw error;
        failed ??= { url, error: errorOf(this.#signal.aborted ? this.#signal.reason : error) };
      }
    }
    return failed ?? { url: asset.url };
  }

  async #keep(asset: FoundAsset, url: string): Promise<AssetResult & { readonly bytes: number }> {
    const { files } = this.#visit;
    const { maxBytesEach, maxJobBytes } = this.#options;
    const file = await files.download(url, { maxBytes: maxBytesEach, signal: this.#signal });
    const mediaType = typeOf(asset, file);
    const { body, width, height } = file;
    const given = { kind: asset.kind, url, mediaType, bytes: body };
    return {
      url,
      contentType: mediaType,
      bytes: body.length,
      sha256: sha256Of(body),
      ...(await files.keep(given, { maxJobBytes })),
      ...(width === undefined || height === undefined ? {} : { width, height }),
    };
  }
}

/** The type of the bytes. Throws `UNSUPPORTED_CONTENT` for a non-image, and for a page instead of a file. */
function typeOf(
  { kind, extension: wanted }: FoundAsset,
  { url, mediaType, sniffedType, body }: DownloadedFile,
): string {
  const isOther =
    kind === 'image'
      ? !sniffedType.startsWith('image/')
      : /html/.test(sniffedType) && !/html?$/.test(wanted ?? '');
  if (body.length > 0 && !isOther) return kind === 'image' ? sniffedType : mediaType;
  const problem = body.length === 0 ? 'is empty' : `is ${sniffedType}`;
  const message = `${url} ${problem}, and not ${kind === 'image' ? 'an image' : `a file of the type ${wanted}`}.`;
  throw new PagewrightError('UNSUPPORTED_CONTENT', message, { url });
}

function tooLarge({ maxBytes }: CheckedOptions): PagewrightError {
  const message = `The assets of the page have more than ${maxBytes} bytes. Raise assets.maxBytes.`;
  return new PagewrightError('BODY_TOO_LARGE', message);
}

function errorOf(error: unknown): NonNullable<PageAsset['error']> {
  const code = error instanceof PagewrightError ? error.code : 'HOOK_FAILED';
  return { code, message: messageOf(error) };
}
