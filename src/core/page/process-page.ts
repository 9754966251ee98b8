/** Parses, cleans and formats one snapshot. Input and output are plain data, so that a worker can run it. */
import { cleanPage, cleanPageWith, fingerprintPage } from '../../content/clean/index.ts';
import { redactPage } from '../../content/clean/redact-page.ts';
import { compact } from '../runtime/compact.ts';
import { loadModule } from '../runtime/load-module.ts';
import { hookFailed } from '../runtime/errors.ts';
import type { RecipeReading, RecipeReadingRequest } from '../../extract/recipes/recipe-page.ts';
import type { JsonFindings } from '../../extract/finish-extraction.ts';
import type { FormatRequest } from '../../content/formats/format.ts';
import { isPlainMarkdown } from '../../content/formats/markdown.ts';
import { findJson, type SchemaWish } from '../../content/formats/json.ts';
import { readMetadata } from '../../content/formats/metadata.ts';
import type { HookedPage, PageHooks } from '../hooks/page-hooks.ts';
import { type DomElement, isElement, isText, nodesOf } from '../../content/html/dom.ts';
import type { ModelTotals } from '../../extract/llm/model.ts';
import type { FormatMethods, PageMetadata } from '../model/document.ts';
import type { ModelText, OcrFacts, Page } from '../model/page.ts';
import {
  type ArchiveReading,
  type CleanOptions,
  defaultPdfReading,
  type PdfReading,
  type Rendering,
} from '../model/request.ts';
import type { Limits } from '../model/request-options.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { pauses } from '../runtime/yield-to-event-loop.ts';
import type { PictureRecognizer } from '../model/ocr-engine.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseSnapshot } from './parsers.ts';
import type { Parser } from '../../content/parsers/parser.ts';
import { Redactor } from '../../content/text/redactor.ts';
import type { OutlineOptions, PageOutline } from './outline.ts';

/** The parts of a page to read. */
export interface ProcessingPlan extends OutlineOptions {
  readonly formats: readonly FormatRequest[];
  readonly clean: CleanOptions;
  readonly limits: Limits;
  readonly pdf: PdfReading | undefined;
  readonly archive?: ArchiveReading | undefined;
  /** Reads pictures by OCR; a worker calls it through a port. */
  readonly pictures?: PictureRecognizer | undefined;
  /** The emulated location, with the OCR languages. */
  readonly rendering?: Rendering | undefined;
  /** Reads the outline, which a crawl or a map needs. */
  readonly outline?: boolean | undefined;
  /** Lists fingerprints of blocks, to detect them on other pages; not together with formats. */
  readonly fingerprints?: boolean | undefined;
  /** Fills these schemas, by the name of the format or `extract`. */
  readonly schemas?: Readonly<Record<string, SchemaWish>> | undefined;
  /** Returns the text for a model. */
  readonly modelText?: boolean | undefined;
  /** Tries recipes, and returns the names and shapes that recognise them. */
  readonly recipe?: RecipeReadingRequest | undefined;
  /** The identity of the page's request, which separates stored data. */
  readonly identity?: string | undefined;
  /** Stores no data learned from the page. */
  readonly zeroDataRetention?: boolean | undefined;
  /** The caller's parsers that a worker loads. */
  readonly workerParsers?: readonly Parser[] | undefined;
  /** The hooks that run on the page before any reading. */
  readonly pageHooks?: PageHooks | undefined;
  /** Finishes formats even if a hook made the document: `extract()` takes none. */
  readonly finishesHooked?: boolean | undefined;
  /** Names the hook being waited for; not for a worker. */
  readonly deadline?: Deadline | undefined;
}

/** A plan that reads only the outline. */
export const outlineOnly: Omit<ProcessingPlan, 'limits'> = {
  formats: [],
  clean: {
    onlyMainContent: false,
    includeTags: [],
    excludeTags: [],
    removeBase64Images: false,
    blockAds: false,
  },
  pdf: defaultPdfReading,
  outline: true,
};

/** The parts read from a page. */
export interface ProcessedPage {
  readonly mediaType: string;
  /** The number of pages, for a file that has pages. */
  readonly numPages?: number;
  /** The number of lines left out as headers, footers and page numbers of a PDF. */
  readonly repeatedLines?: number;
  /** The use of OCR on the page. */
  readonly ocr?: OcrFacts;
  /** The page's own metadata. */
  readonly metadata: PageMetadata;
  /** Values by format name. */
  readonly values: Map<string, unknown>;
  /** Document fields not named after a format. */
  readonly fields?: ReadonlyMap<string, unknown>;
  readonly warnings: readonly string[];
  /** The number of different values that were redacted, by type. */
  readonly redactions?: Readonly<Record<string, number>>;
  readonly outline?: PageOutline | undefined;
  /** Of an HTML page. */
  readonly fingerprints?: readonly number[];
  /** The data for the schemas. */
  readonly findings: Readonly<Record<string, JsonFindings>>;
  readonly modelText?: ModelText;
  /** Of an HTML page. */
  readonly recipe?: RecipeReading;
  /** Tokens of formats that used a model. */
  readonly modelUsage?: ModelTotals;
  /** Formats that used a model, answered or not. */
  readonly modelUses?: number;
  /** The methods of formats that work without a model. */
  readonly methods?: FormatMethods;
  /** A hook's result that replaces the formats, none of which ran. */
  readonly hooked?: Pick<HookedPage, 'document' | 'veto'>;
}

/** Parses, cleans and formats, with pauses in between. `parsers` are the caller's; built-in parsers come after them. */
export async function processPage(
  snapshot: Snapshot,
  given: ProcessingPlan,
  parsers: readonly Parser[],
  signal: AbortSignal,
): Promise<ProcessedPage> {
  const pause = pauses();
  const received = await parseSnapshot(snapshot, parsers, given);
  await pause();
  signal.throwIfAborted();
  const { redact } = given.clean;
  const redactor = redact && new Redactor(redact, snapshot.url);
  const plan = { ...given, clean: { ...given.clean, redactor } };
  const { outlineReader } =
    plan.outline === true || plan.pageHooks !== undefined
      ? await loadModule(() => import('./outline-reader.ts'))
      : {};
  // Links need their true URLs, so they are found first.
  const readOutline = outlineReader?.(received, plan);
  const page = redactor === undefined ? received : redactPage(received, redactor);
  await pause();
  const { numPages, repeatedLines, ocr } = page.kind === 'html' ? (page.file ?? {}) : {};
  const { outline, hooked } = (await readOutline?.(page, signal)) ?? {};
  // Parts of the page as received are read before the formats, which clean it.
  const findings = await findAll(page, plan.schemas);
  const metadata = readMetadata(page);
  await pause();
  // Read from a copy: formats get the original page.
  const wantsText =
    plan.modelText === true || (plan.recipe?.asksModel === true && page.kind !== 'html');
  const modelText = wantsText
    ? await (await textForModel()).readModelText(page, plan, { signal, limits: plan.limits })
    : undefined;
  const isHooked = plan.pageHooks !== undefined;
  const recipe =
    plan.recipe &&
    (await (await textForModel()).readForRecipes(page, plan.recipe, { redactor, isHooked }));
  const values =
    hooked === undefined
      ? await runFormats(page, plan, { signal, pause })
      : new Map<string, unknown>();
  const isFingerprinted = plan.fingerprints === true && page.kind === 'html';
  const fingerprints = isFingerprinted ? fingerprintPage(page, plan.clean) : undefined;
  const warnings = redactor ? page.warnings.map((one) => redactor.text(one)) : page.warnings;
  return compact({
    mediaType: page.mediaType,
    metadata,
    values,
    warnings,
    findings,
    outline,
    modelText,
    fingerprints,
    recipe,
    hooked,
    numPages,
    repeatedLines,
    ocr,
    redactions: redactor?.counts,
  });
}

async function findAll(
  page: Page,
  schemas: ProcessingPlan['schemas'] = {},
): Promise<ProcessedPage['findings']> {
  const findings: Record<string, JsonFindings> = {};
  for (const [name, request] of Object.entries(schemas))
    findings[name] = await findJson(page, request);
  return findings;
}

const textForModel = (): Promise<typeof import('./model-text.ts')> =>
  loadModule(() => import('./model-text.ts'));

/** Runs formats for the page as parsed before cleaning, the others after it. */
async function runFormats(
  page: Page,
  { formats, clean, limits }: ProcessingPlan,
  { signal, pause }: { readonly signal: AbortSignal; readonly pause: () => Promise<void> },
): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const stage of ['page', 'content'] as const) {
    const requests = formats.filter(({ format }) => format.needs === stage);
    if (stage === 'content' && page.kind === 'html' && requests.length > 0) {
      await pause();
      const { extractor } = clean;
      if (extractor === undefined) cleanPage(page, clean);
      else await cleanPageWith(extractor, page, clean, { signal, limits });
    }
    for (const { format, options } of requests) {
      await pause();
      signal.throwIfAborted();
      try {
        values.set(format.name, await format.run(page, options, { signal, limits }));
      } catch (error) {
        throw hookFailed(`The format "${format.name}"`, page.url, error);
      }
    }
  }
  // The parser has already warned of an empty response.
  if (isEmpty(page, values, formats) && /\S/.test(page.source)) {
    page.warnings.push('The page has no content.');
  }
  return values;
}

/** False when no format has the content; a summary warns by itself. With options, markdown may lack content of the page. */
function isEmpty(
  page: Page,
  values: ReadonlyMap<string, unknown>,
  formats: readonly FormatRequest[],
): boolean {
  const plain = formats.find(isPlainMarkdown);
  if (plain !== undefined) return values.get(plain.format.name) === '';
  if (!formats.some(({ format }) => format.showsContent === true)) return false;
  return page.kind === 'html' ? !hasContent(page.root) : !/\S/.test(page.markdown);
}

// Detects visible or audible content in a tree.

/** True for a tree with text, or with an element that displays content itself. */
function hasContent(root: DomElement): boolean {
  for (const node of nodesOf(root)) {
    if (
      isText(node) ? /\S/.test(node.data) : isElement(node) && contentElements.has(node.localName)
    ) {
      return true;
    }
  }
  return false;
}

const contentElements: ReadonlySet<string> = new Set(
  'audio embed hr iframe img math object svg video'.split(' '),
);
