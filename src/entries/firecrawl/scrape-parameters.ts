/** The scrape parameters of the SDK, and the options of pagewright that they become. */
import type { SchemaInput, StandardSchema } from '../../extract/schema/compile-schema.ts';
import type { InferSchema } from '../../extract/schema/compile-schema.ts';
import type { ScrapeOptions as OwnScrapeOptions } from '../../core/options/scrape-options.ts';
import type { Document } from './document.ts';
import { badRequest, notAvailable } from './sdk-error.ts';

/** The formats of the service. `menu`, `audio` and `video` are refused. */
export type FormatString =
  | ('markdown' | 'html' | 'rawHtml' | 'rawBase64' | 'links' | 'images' | 'screenshot' | 'summary')
  | ('changeTracking' | 'json' | 'attributes' | 'branding' | 'product')
  | ('menu' | 'audio' | 'video');

/** A format without options. */
export interface Format {
  type: FormatString;
}

/** Data that fits the schema; a prompt is for the client's model. */
export interface JsonFormat extends Format {
  type: 'json';
  prompt?: string | undefined;
  /** A zod schema, any Standard Schema that yields JSON Schema, or JSON Schema. */
  schema?: Record<string, unknown> | StandardSchema | undefined;
  /** No effect: text of pages is always kept apart from instructions. */
  checkPromptInjection?: boolean | undefined;
}

/** A picture of the page. */
export interface ScreenshotFormat {
  type: 'screenshot';
  fullPage?: boolean | undefined;
  quality?: number | undefined;
  viewport?: Viewport | undefined;
}

/** CSS pixels. */
export interface Viewport {
  width: number;
  height: number;
}

/** How the page differs from its last scrape in the client's `storage`. The mode `json` needs a schema. */
export interface ChangeTrackingFormat extends Format {
  type: 'changeTracking';
  modes: ('git-diff' | 'json')[];
  schema?: Record<string, unknown> | StandardSchema | undefined;
  prompt?: string | undefined;
  tag?: string | undefined;
}

/** Values of attributes. */
export interface AttributesFormat extends Format {
  type: 'attributes';
  selectors: { selector: string; attribute: string }[];
}

/** An answer from the page, by the client's model. */
export interface QuestionFormat {
  type: 'question';
  question: string;
}

/** Passages of the page, word for word. */
export interface HighlightsFormat {
  type: 'highlights';
  query: string;
}

/** The older form of `question`. The mode `directQuote` is refused: `highlights` gives quotes. */
export interface QueryFormat {
  type: 'query';
  prompt: string;
  mode?: 'freeform' | 'directQuote' | undefined;
}

/** One entry of `formats`. */
export type FormatOption =
  | FormatString
  | Format
  | JsonFormat
  | ChangeTrackingFormat
  | ScreenshotFormat
  | AttributesFormat
  | QuestionFormat
  | HighlightsFormat
  | QueryFormat;

/** One step in a browser. */
export type ActionOption =
  | { type: 'wait'; milliseconds?: number | undefined; selector?: string | undefined }
  | (Omit<ScreenshotFormat, 'type'> & { type: 'screenshot' })
  | { type: 'click'; selector: string; all?: boolean | undefined }
  | { type: 'write'; text: string }
  | { type: 'press'; key: string }
  | { type: 'scroll'; direction?: 'up' | 'down' | undefined; selector?: string | undefined }
  | { type: 'scrape' }
  | { type: 'executeJavascript'; script: string }
  | {
      type: 'pdf';
      format?: PaperFormat | undefined;
      landscape?: boolean | undefined;
      scale?: number | undefined;
    };

type PaperFormat =
  ('A0' | 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6') | ('Letter' | 'Legal' | 'Tabloid' | 'Ledger');

/** How PDFs are read. `pages`, `pageMarkdown` and `blocks` are refused. */
export interface PDFParser {
  type: 'pdf';
  mode?: 'fast' | 'auto' | 'ocr' | undefined;
  maxPages?: number | undefined;
  pages?: boolean | undefined;
  pageMarkdown?: boolean | undefined;
  blocks?: boolean | undefined;
  /** The marker `<!-- page 3 -->` is at the start of each page. */
  pageMarkers?: boolean | undefined;
}

/** Images are read wherever the client has an `ocr`. */
export interface ImageParser {
  type: 'image';
}

/** Options that only pagewright has, for all calls. */
type OwnOptions = Pick<
  OwnScrapeOptions,
  'signal' | 'engine' | 'retries' | 'viewport' | 'colorScheme' | 'exportShareLinks' | 'limits'
>;

/** The scrape parameters of the SDK, and options of pagewright such as `signal` and `engine`. */
export interface ScrapeOptions extends OwnOptions {
  formats?: FormatOption[] | undefined;
  headers?: Record<string, string> | undefined;
  includeTags?: string[] | undefined;
  excludeTags?: string[] | undefined;
  onlyMainContent?: boolean | undefined;
  /** Milliseconds for the page. */
  timeout?: number | undefined;
  waitFor?: number | undefined;
  mobile?: boolean | undefined;
  parsers?: (string | PDFParser | ImageParser)[] | undefined;
  actions?: ActionOption[] | undefined;
  location?: { country?: string | undefined; languages?: string[] | undefined } | undefined;
  skipTlsVerification?: boolean | undefined;
  removeBase64Images?: boolean | undefined;
  /** No effect: a plain request is tried first in any case. */
  fastMode?: boolean | undefined;
  /** Refused. */
  useMock?: string | undefined;
  blockAds?: boolean | undefined;
  /** `enhanced` is `stealth`. */
  proxy?: string | undefined;
  maxAge?: number | undefined;
  minAge?: number | undefined;
  storeInCache?: boolean | undefined;
  /** The cache only: no request is sent. */
  lockdown?: boolean | undefined;
  /** Refused. */
  redactPII?: boolean | object | undefined;
  /** Refused: `network` of `createClient()` says which hosts may be contacted. */
  threatProtection?: object | undefined;
  /** No effect: it is for the log of the service. */
  auditMetadata?: { username: string } | undefined;
  profile?: { name: string; saveChanges?: boolean | undefined } | undefined;
  /** No effect. */
  integration?: string | undefined;
  /** No effect. */
  origin?: string | undefined;
  /** Refused. */
  domainTools?: boolean | undefined;
  /** No effect without `domainTools`. */
  toolDetail?: 'compact' | 'summary' | 'full' | undefined;
  /** No effect: there is no window of a request that a page could outlive. */
  autoResume?: boolean | undefined;
}

/** The document of a call: `json` has the type of its zod or other Standard Schema. */
export type DocumentOf<Options> = Omit<Document, 'json'> & { json?: JsonOf<SchemaOf<Options>> };

type SchemaOf<Options> = Options extends { readonly formats?: infer Formats }
  ? Formats extends readonly unknown[]
    ? Extract<Formats[number], { type: 'json'; schema?: unknown }>['schema']
    : never
  : never;

type JsonOf<Schema> = [Schema] extends [never]
  ? unknown
  : Schema extends StandardSchema & SchemaInput
    ? InferSchema<Schema>
    : unknown;

/** Parameters without an effect here. */
const ignored: ReadonlySet<string> = new Set([
  'integration',
  'origin',
  'auditMetadata',
  'toolDetail',
  'fastMode',
  'autoResume',
]);

/** Parameters that would change the result, with their alternatives. */
const refused: ReadonlyMap<string, string> = new Map([
  ['redactPII', 'change the document with hooks: createClient({ hooks: { onDocument } })'],
  ['threatProtection', 'name the hosts: createClient({ network: { deny, only } })'],
  ['useMock', 'serve pages from disk: createClient({ engines: [fixturesEngine(…)] })'],
  ['domainTools', 'there is no catalogue of tools'],
  ['enterprise', 'there is no contract'],
  ['agent', 'no agent browses pages; use actions'],
]);

/**
 * The parameters, except undefined and null ones and ones without an effect. Throws `SdkError` for one that
 * cannot be respected.
 */
export function knownParameters(given: object | null | undefined): Record<string, unknown> {
  const entries = Object.entries(given ?? {}).filter(
    ([name, value]) => value !== undefined && value !== null && !ignored.has(name),
  );
  for (const [name, value] of entries) {
    const instead = refused.get(name);
    if (instead !== undefined && value !== false) throw notAvailable(name, instead);
  }
  return Object.fromEntries(entries.filter(([name]) => !refused.has(name)));
}

/** The options of `scrape()` for the parameters; pagewright checks their values. */
export function scrapeOptions(given: object | null | undefined): Record<string, unknown> {
  const { lockdown, formats, parsers, actions, proxy, maxAge, ...same } = knownParameters(given);
  // A copy from the cache is never changed: the service fetches the page for this format.
  const isTracked = Array.isArray(formats) && formats.some(isChangeTracking);
  return {
    ...same,
    ...(maxAge === undefined || isTracked ? {} : { maxAge }),
    ...(lockdown === true ? { cacheOnly: true } : {}),
    ...(formats === undefined ? {} : { formats: eachOf(formats, ownFormat) }),
    ...(parsers === undefined ? {} : { parsers: eachOf(parsers, ownParser) }),
    ...(actions === undefined ? {} : { actions: eachOf(actions, ownAction) }),
    ...(proxy === undefined ? {} : { proxy: proxy === 'enhanced' ? 'stealth' : proxy }),
  };
}

function isChangeTracking(format: unknown): boolean {
  if (typeof format === 'object' && format !== null && 'type' in format) {
    return format.type === 'changeTracking';
  }
  return format === 'changeTracking';
}

/** The prompt for a model: `systemPrompt` before `prompt`. */
export function wholePrompt(systemPrompt: unknown, prompt: unknown): { prompt?: unknown } {
  const texts = [systemPrompt, prompt].filter((text) => text !== undefined);
  if (texts.length < 2) return texts.length === 0 ? {} : { prompt: texts[0] };
  if (!texts.every((text) => typeof text === 'string')) throw badRequest('prompt: expected text');
  return { prompt: texts.join('\n\n') };
}

/** Nested parameters; none for undefined. */
export function asObject(name: string, value: unknown): object {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null) return value;
  throw badRequest(`${name}: expected an object`);
}

/** Leaves a value that is not a list to the check of pagewright. */
function eachOf(list: unknown, change: (entry: unknown) => unknown[]): unknown {
  return Array.isArray(list) ? list.flatMap(change) : list;
}

const missingFormats: ReadonlyMap<unknown, string> = new Map([
  ['menu', "use { type: 'json', schema }"],
  ['audio', 'media are not downloaded'],
  ['video', 'media are not downloaded'],
]);

function ownFormat(entry: unknown): unknown[] {
  if (entry === 'json') {
    throw badRequest("The json format must be an object: { type: 'json', prompt, schema }");
  }
  const missing = missingFormats.get(isRecord(entry) ? entry['type'] : entry);
  if (missing !== undefined) {
    throw notAvailable(`The format ${String(isRecord(entry) ? entry['type'] : entry)}`, missing);
  }
  if (!isRecord(entry) || typeof entry['type'] !== 'string') return [entry];
  const { checkPromptInjection: _, ...format } = knownParameters(entry);
  if (format['type'] === 'json') refuseShape(format['schema']);
  return [format['type'] === 'query' ? ownQuery(format) : format];
}

function ownQuery({ prompt, mode }: Readonly<Record<string, unknown>>): object {
  if (mode !== undefined && mode !== 'freeform') {
    throw notAvailable('query: a mode other than freeform', "use { type: 'highlights', query }");
  }
  return { type: 'question', question: prompt };
}

/** Passing the shape of a zod object instead of the object is a frequent mistake. */
function refuseShape(schema: unknown): void {
  if (!isRecord(schema) || '~standard' in schema) return;
  const fields = Object.values(schema);
  if (fields.length > 0 && fields.every((field) => isRecord(field) && '~standard' in field)) {
    throw badRequest("The schema is a zod schema's .shape: pass the zod schema itself");
  }
}

function ownParser(entry: unknown): unknown[] {
  if (entry === 'image' || (isRecord(entry) && entry['type'] === 'image')) return [];
  if (!isRecord(entry)) return [entry];
  const { pages, pageMarkdown, blocks, ...parser } = knownParameters(entry);
  for (const [name, value] of Object.entries({ pages, pageMarkdown, blocks })) {
    if (value === true) {
      throw notAvailable(`parsers: ${name}`, 'use pageMarkers, and split the markdown there');
    }
  }
  return [parser];
}

function ownAction(entry: unknown): unknown[] {
  if (!isRecord(entry)) return [entry];
  const action = knownParameters(entry);
  return [action['type'] === 'scroll' ? { direction: 'down', ...action } : action];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
