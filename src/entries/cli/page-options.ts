/** Options of a page: its content, its request, the browser and pictures of pages. */
import { extname } from 'node:path';
import type { Command } from 'commander';
import { formatsWithoutOptions } from '../../content/formats/index.ts';
import type { FormatInput, ScrapeOptions } from '../../index.ts';
import { type Facet, split } from '../../core/checks/option.ts';
import { renderingRows } from '../../core/options/rendering-options.ts';
import { fetchRows, requestRows } from '../../core/model/request-options.ts';
import { formType } from '../../core/model/request-body.ts';
import { contentRows, pageRows } from '../../core/options/scrape-options.ts';
import { addFlags, type FlagValues, flagValues, type Rows } from './flags.ts';

/** The flags of the option `formats`. */
export const formatFlags = {
  formats: `<name,…> ${formatsWithoutOptions().join(', ')} (default: markdown)`,
  schema: '<file> adds the format json: data that fits the JSON Schema in the file',
  attribute: '<selector@name> adds the format attributes: values of this attribute; repeatable',
  highlights: '<query> adds the format highlights: passages that answer the query',
  bodies: '<url> adds the format requests: bodies of URLs with this part or glob; repeatable',
  question: '<text> adds the format question: an answer with quotes, by the --model',
  prompt: '<text> adds the format json: what the --model has to find',
  markdownLinks:
    '<style> links in markdown, modelText and chunks: inline (default), text or reference',
  markdownImages: '<style> images in markdown, modelText and chunks: inline (default), alt or none',
  chunkTokens: '<count> adds the format chunks: maximum size',
  chunkOverlap: '<count> adds the format chunks: tokens to repeat where a section is split',
} as const;

/** The values that commander parses, for options that several flags make up. */
export interface PageValues extends ScreenshotValues, FlagValues<typeof formatFlags> {
  readonly parsers?: boolean;
  readonly archives?: boolean;
  readonly cache?: string;
  readonly maxAge?: number;
  readonly cacheOnly?: true;
  readonly data?: string | Uint8Array;
  readonly dataJson?: unknown;
  readonly waitFor?: number;
  readonly waitForResponse?: string;
  readonly actions?: ScrapeOptions['actions'];
  /** The task of an act, after the other actions. */
  readonly act?: string;
  readonly profile?: string;
  /** The folder of profiles. */
  readonly profiles?: string;
}

/** The options of the pages of a crawl, which are all requested with GET. */
export const crawlPageRows: Facet = split(pageRows, { method: true, body: true })[1];

/** The options of a page by the heading of their flags. */
const headings: Readonly<Record<string, Facet>> = {
  'Content:': contentRows,
  'Request:': { ...requestRows, ...fetchRows },
  'Browser:': renderingRows,
};

/** Flags that accompany the flag of an option, or replace it. */
const companions: Readonly<Record<string, Rows>> = {
  parsers: {
    parsers: '--no-parsers return a PDF as base64 instead of its text',
    archives: 'read the documents in ZIP, TAR and gzip files',
  },
  body: {
    data: '<data> send this body, a form unless --header sets a Content-Type; @file reads a file, @- stdin',
    dataJson: '<data> send this JSON; @file and @- as for --data',
  },
  maxAge: { cache: '<folder> cache pages in this folder' },
  actions: { act: '<words> a task for the --model, such as "open the reviews tab"' },
  waitFor: {
    waitForResponse:
      '<url> wait for a response whose URL has this part, or fits this glob: */api/*',
  },
  profile: { profiles: '<folder> folder for profiles; protect it like passwords' },
};

/** Adds the flags of the options that a command takes of a page. */
export function addPageOptions(command: Command, rows: Facet = pageRows): Command {
  for (const [heading, facet] of Object.entries(headings)) {
    command.optionsGroup(heading);
    for (const [name, row] of Object.entries(split(facet, rows)[0])) {
      addFlags(addFlags(command, { [name]: row }), companions[name] ?? {});
    }
  }
  return command;
}

/**
 * The formats of `--formats` and of the options of one format; `whenNone` if there are none. Adds the
 * screenshot that goes to a file.
 */
export function requestedFormats(
  values: PageValues,
  whenNone: readonly FormatInput[] = ['markdown'],
): FormatInput[] {
  const { formats = [], schema, prompt, attribute, chunkTokens, chunkOverlap } = values;
  const { highlights, question, bodies, markdownLinks: links, markdownImages: images } = values;
  const configured: FormatInput[] = [];
  const hasSizes = chunkTokens !== undefined || chunkOverlap !== undefined;
  // The library checks the styles.
  const style = { links, images } as object;
  if (links !== undefined || images !== undefined) {
    const asked = (['markdown', 'modelText', 'chunks'] as const).filter((one) =>
      formats.includes(one),
    );
    const written = asked.length === 0 && !hasSizes ? (['markdown'] as const) : asked;
    for (const type of written) {
      if (type !== 'chunks' || !hasSizes) configured.push({ type, ...style });
    }
  }
  if (schema !== undefined || prompt !== undefined)
    configured.push({ type: 'json', schema, prompt });
  if (attribute !== undefined) configured.push({ type: 'attributes', selectors: attribute });
  if (highlights !== undefined) configured.push({ type: 'highlights', query: highlights });
  if (bodies !== undefined) configured.push({ type: 'requests', bodies });
  if (question !== undefined) configured.push({ type: 'question', question });
  if (hasSizes) {
    configured.push({ type: 'chunks', maxTokens: chunkTokens, overlap: chunkOverlap, ...style });
  }
  const names = formats.filter((name) => !configured.some((format) => isFormat(format, name)));
  // The library checks the names.
  const inputs = [...(names as FormatInput[]), ...configured];
  const picture = screenshotFormat(values);
  if (inputs.length === 0) inputs.push(...whenNone);
  return picture === undefined
    ? inputs
    : [...inputs.filter((one) => one !== 'screenshot'), picture];
}

/** True for the format of that name, with options or without. */
export function isFormat(input: FormatInput, name: string): boolean {
  return input === name || (typeof input === 'object' && 'type' in input && input.type === name);
}

/** Converts the values to options of the library, without `formats`. */
export function pageOptions(values: PageValues): Omit<ScrapeOptions, 'signal' | 'formats'> {
  const { waitFor, waitForResponse, act } = values;
  const task = act === undefined ? [] : [{ type: 'act', prompt: act } as const];
  const steps = values.actions ?? (act === undefined ? undefined : []);
  const { signal: _, ...rows } = pageRows;
  const given = flagValues(rows, values);
  return {
    ...given,
    parsers: parsersOf(values),
    assets: assetsOf(values),
    ...bodyFrom(values, given.headers),
    waitFor: waitForResponse === undefined ? waitFor : { response: waitForResponse },
    actions: steps && [...steps, ...task],
  };
}

/** Like curl, which sends data unchanged and calls it a form. */
function bodyFrom(
  { data, dataJson }: PageValues,
  headers: ScrapeOptions['headers'],
): Pick<ScrapeOptions, 'body' | 'headers'> {
  if (data === undefined) return dataJson === undefined ? {} : { body: { json: dataJson } };
  return { body: data, headers: { 'content-type': formType, ...headers } };
}

/** `images`, `files` for all documents, or extensions of files. */
function assetsOf({ assets }: PageValues): ScrapeOptions['assets'] {
  if (assets === undefined) return undefined;
  const extensions = assets.filter((name) => name !== 'images' && name !== 'files');
  return { images: assets.includes('images'), files: assets.includes('files') || extensions };
}

function parsersOf({ parsers, archives }: PageValues): ScrapeOptions['parsers'] {
  if (parsers === undefined && archives === undefined) return undefined;
  return [
    ...(parsers === false ? [] : (['pdf'] as const)),
    ...(archives === true ? (['archive'] as const) : []),
  ];
}

/** The error in the combination of these options. */
export function browserProblem(values: PageValues): string | undefined {
  const { profile, profiles, waitFor, waitForResponse, data, dataJson } = values;
  if (data !== undefined && dataJson !== undefined)
    return 'give --data or --data-json, one of the two';
  if (waitFor !== undefined && waitForResponse !== undefined) {
    return 'give --wait-for or --wait-for-response, one of the two';
  }
  if ((profile === undefined) === (profiles === undefined)) return undefined;
  return profiles === undefined
    ? '--profile needs --profiles, the folder for profiles'
    : '--profiles needs --profile, the name of the one to use';
}

// Options of scrape, crawl and batch: screenshots of pages, as files.

/** The flags of a command for one page. */
export const screenshotFlags = {
  screenshot: '<file> also write a screenshot: .png or .jpg',
  fullPage: 'screenshot of the whole page, not only the viewport',
} as const;
/** The flags of a command for many pages. */
export const screenshotsFlags = {
  screenshots: 'with --output: write a screenshot of each page, a .png beside its markdown',
  fullPage: 'screenshots of the whole page, not only the viewport',
  assets:
    '<kind,…> with --output: download images, files (documents, archives) or extensions such as pdf',
} as const;

/** The values that commander parses. */
interface ScreenshotValues
  extends FlagValues<typeof screenshotFlags>, FlagValues<typeof screenshotsFlags> {}

/** The error in the combination of these options. */
export function screenshotProblem({
  screenshot,
  screenshots,
  fullPage,
}: ScreenshotValues): string | undefined {
  if (screenshot !== undefined && !isJpeg(screenshot) && !/\.png$/i.test(screenshot)) {
    return `--screenshot: ${screenshot} ends neither in .png nor in .jpg`;
  }
  if (fullPage !== true || screenshot !== undefined || screenshots === true) return undefined;
  return '--full-page needs a screenshot';
}

/** The format that the options add. */
function screenshotFormat({
  screenshot,
  screenshots,
  fullPage,
}: ScreenshotValues): FormatInput | undefined {
  if (screenshot === undefined && screenshots !== true) return undefined;
  const quality = screenshot !== undefined && isJpeg(screenshot) ? jpegQuality : undefined;
  return { type: 'screenshot', fullPage, quality };
}

/** The bytes of a `data:` URI in base64; undefined for other text. */
export function bytesOf(uri: string): Buffer | undefined {
  const [head] = /^data:[^,]*;base64,/i.exec(uri) ?? [];
  return head === undefined ? undefined : Buffer.from(uri.slice(head.length), 'base64');
}

/** Text stays sharp, at a third of the size of a PNG. */
const jpegQuality = 80;

function isJpeg(file: string): boolean {
  return ['.jpg', '.jpeg'].includes(extname(file).toLowerCase());
}
