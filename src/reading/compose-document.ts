/** What was read of a page, with the facts of its fetch, as the document that the caller gets. */
import { STATUS_CODES } from 'node:http';
import { addTotals } from '../llm/model-totals.ts';
import type { Costs } from '../model/costs.ts';
import type { PlainDocument } from '../model/document.ts';
import type { FetchMetadata } from '../model/metadata.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { FormatRequest } from '../formats/format.ts';
import type { TrackedChanges } from '../formats/change-tracking/track-changes.ts';
import { changeTracking } from '../formats/registry.ts';
import type { CapturedFields } from './captured-fields.ts';
import type { PageReading } from './read-page.ts';

export type { PlainDocument } from '../model/document.ts';

/** What the pipeline knows of the fetch. */
export interface DocumentFacts extends Pick<ScrapeRequest<FormatRequest>, 'formats' | 'sourceUrl'> {
  /** They win over what the page says of itself; its credits are those of the fetch. */
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
  /** What the engine made of the page. */
  readonly captured: CapturedFields;
  /** What change tracking found, where it was asked for. */
  readonly changes?: TrackedChanges | undefined;
}

/** The document has its fields in the order in which they were asked for, or is a hook's own. */
export function composeDocument(
  { url, statusCode, engine, timezone, isCut = false }: Snapshot,
  reading: PageReading,
  { formats, sourceUrl, facts, captured, changes }: DocumentFacts,
  costs: Pick<Costs, 'model'>,
): PlainDocument {
  const { metadata, mediaType, numPages, ocr, values, fields, warnings, hooked } = reading;
  const own = hooked?.document;
  const used = addTotals(reading.modelUsage, changes?.modelUsage);
  const asked = (reading.asked ?? 0) + (changes?.modelUsage === undefined ? 0 : 1);
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
      ...(timezone === undefined ? {} : { timezone }),
      ...(numPages === undefined ? {} : { numPages }),
      ...ocrFields(ocr),
      ...reading.methods,
      ...(used === undefined ? {} : { modelUsage: used }),
      ...own?.metadata,
      creditsUsed: facts.creditsUsed + asked * costs.model,
    },
  };
  if (own === undefined) {
    const made: Readonly<Record<string, unknown>> = { ...captured, changeTracking: changes?.value };
    for (const { format } of formats) {
      const { name, needs } = format;
      const isMade = needs === 'capture' || format === changeTracking;
      document[name] = isMade ? made[name] : values.get(name);
    }
    for (const [name, value] of fields ?? []) document[name] = value;
    if (captured.actions !== undefined) document['actions'] = captured.actions;
  }
  const told = [...warnings, ...(changes?.warnings ?? []).filter((one) => !warnings.includes(one))];
  if (told.length > 0) document.warning = told.join(' ');
  return document;
}

function ocrFields(ocr: PageReading['ocr']): Pick<FetchMetadata, 'ocrPages' | 'ocrConfidence'> {
  if (ocr === undefined) return {};
  const { pages, confidence } = ocr;
  return {
    ocrPages: [...pages],
    ...(confidence === undefined ? {} : { ocrConfidence: Math.round(confidence * 1000) / 1000 }),
  };
}
