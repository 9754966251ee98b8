/** Composes the caller's document from the processed page, its captures and the facts of its fetch. */
import { STATUS_CODES } from 'node:http';
import { redactHtml } from '../../content/clean/redact-page.ts';
import type { CapturedFields, FormatRequest } from '../../content/formats/format.ts';
import { keepAsset } from '../hooks/keep-asset.ts';
import { addTotals, type ModelTotals } from '../../extract/llm/model.ts';
import type { ActionOutcome, AssetKeeper, Captures, Picture, Snapshot } from '../model/snapshot.ts';
import type { Costs } from '../model/costs.ts';
import type { FetchMetadata, PlainDocument } from '../model/document.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Limits } from '../model/request-options.ts';
import { Redactor } from '../../content/text/redactor.ts';
import type { ProcessedPage } from './process-page.ts';
import { compact } from '../runtime/compact.ts';

export type { PlainDocument } from '../model/document.ts';

/** Facts of the fetch known to the pipeline. */
export interface DocumentFacts extends Pick<ScrapeRequest<FormatRequest>, 'formats' | 'sourceUrl'> {
  /** Facts override the page's own metadata; `creditsUsed` comes from the fetch. */
  readonly facts: Pick<
    FetchMetadata,
    | 'scrapeId'
    | 'engineReason'
    | 'proxyUsed'
    | 'creditsUsed'
    | 'errorCode'
    | 'cacheState'
    | 'cachedAt'
  >;
  /** Captures that the engine made of the page. */
  readonly captured: CapturedFields;
  /** The model usage of actions. */
  readonly actUsage?: ModelTotals | undefined;
}

/** The fields are in the requested order; a hook may supply its own document. */
export function composeDocument(
  { url, statusCode, engine, timezone, isCut = false }: Snapshot,
  processed: ProcessedPage,
  { formats, sourceUrl, facts, captured, actUsage }: DocumentFacts,
  costs: Pick<Costs, 'model'>,
): PlainDocument {
  const { metadata, mediaType, numPages, repeatedLines, ocr, values, fields, warnings } = processed;
  const { hooked, redactions } = processed;
  const modelUsage = actUsage ? addTotals(processed.modelUsage, actUsage) : processed.modelUsage;
  const modelUses = (processed.modelUses ?? 0) + (actUsage === undefined ? 0 : 1);
  const own = hooked?.document;
  const document: PlainDocument = {
    ...own,
    metadata: {
      ...metadata,
      ...facts,
      sourceURL: sourceUrl,
      url,
      statusCode,
      ...(isCut ? { truncated: true } : {}),
      contentType: mediaType,
      ...(statusCode >= 400
        ? { error: `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim() }
        : {}),
      engine,
      ...compact<Partial<PlainDocument['metadata']>>({ timezone, numPages, repeatedLines }),
      ...ocrFields(ocr),
      ...(redactions === undefined ? {} : { redactions: { ...redactions } }),
      ...processed.methods,
      ...compact<Partial<PlainDocument['metadata']>>({ modelUsage }),
      ...own?.metadata,
      creditsUsed: facts.creditsUsed + modelUses * costs.model,
    },
  };
  if (own === undefined) {
    for (const { format } of formats) document[format.name] = values.get(format.name);
    for (const [name, value] of fields ?? []) document[name] = value;
    if (captured.actions !== undefined) document['actions'] = captured.actions;
  }
  if (warnings.length > 0) document.warning = warnings.join(' ');
  return document;
}

function ocrFields(ocr: ProcessedPage['ocr']): Pick<FetchMetadata, 'ocrPages' | 'ocrConfidence'> {
  if (ocr === undefined) return {};
  const { pages, confidence } = ocr;
  return {
    ocrPages: [...pages],
    ...(confidence === undefined ? {} : { ocrConfidence: Math.round(confidence * 1000) / 1000 }),
  };
}

// Captures of an open page, as fields of the document.

/**
 * Passes pictures and PDFs to `keep`, or makes `data:` URIs of them. Rejects with `HOOK_FAILED` when
 * `keep` throws or does not return a string.
 */
export async function capturedFields(
  { captures, url }: Snapshot,
  scrapeId: string,
  keep: AssetKeeper | undefined,
  { clean: { redact }, limits }: Pick<ScrapeRequest<FormatRequest>, 'clean' | 'limits'>,
): Promise<CapturedFields> {
  if (captures === undefined) return {};
  const { screenshot, branding, requests, actions } =
    redact === undefined
      ? captures
      : await redactCaptures(captures, limits, new Redactor(redact, url));
  const store = (kind: 'screenshot' | 'pdf') => (picture: Picture) =>
    storePicture(picture, kind, url, scrapeId, keep);
  return compact({
    screenshot: screenshot && (await store('screenshot')(screenshot)),
    branding,
    requests,
    actions: actions && {
      screenshots: await Promise.all(actions.screenshots.map(store('screenshot'))),
      scrapes: [...actions.scrapes],
      javascriptReturns: [...actions.javascriptReturns],
      pdfs: await Promise.all(actions.pdfs.map(store('pdf'))),
      returns: [...actions.returns],
      repeats: [...actions.repeats],
      dialogs: [...actions.dialogs],
      paginations: [...actions.paginations],
      // The pipeline reads them.
      pages: [],
      acts: [...actions.acts],
    },
  });
}

/** The options refuse pictures. */
async function redactCaptures(
  { branding, requests, actions }: Captures,
  limits: Limits,
  redactor: Redactor,
): Promise<Captures> {
  const made = {
    branding: redactor.value(branding),
    requests: requests?.map(({ url, redirectsTo, ...one }) => ({
      ...redactor.value(one),
      url: redactor.url(url),
      ...(redirectsTo === undefined ? {} : { redirectsTo: redactor.url(redirectsTo) }),
    })),
  };
  if (actions === undefined) return made;
  const scrapes: ActionOutcome['scrapes'] = [];
  for (const { url, html } of actions.scrapes) {
    scrapes.push({ url, html: await redactHtml(html, limits, redactor) });
  }
  const { javascriptReturns, returns, dialogs, acts } = actions;
  return {
    ...made,
    actions: {
      ...actions,
      scrapes,
      javascriptReturns: redactor.value(javascriptReturns),
      returns: redactor.value(returns),
      dialogs: redactor.value(dialogs),
      acts: redactor.value(acts),
    },
  };
}

/** The text that represents a file in the document. */
async function storePicture(
  picture: Picture,
  kind: 'screenshot' | 'pdf',
  url: string,
  scrapeId: string,
  keep: AssetKeeper | undefined,
): Promise<string> {
  const { bytes, mediaType } = picture;
  if (keep === undefined) {
    const { buffer, byteOffset, byteLength } = bytes;
    return `data:${mediaType};base64,${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
  }
  return keepAsset(keep, { bytes, mediaType, kind, url, scrapeId });
}
