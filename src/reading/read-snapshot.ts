/** snapshot → reading: heavy pages on a thread, all others where the caller is. */
import { hookFailed } from '../errors.ts';
import { trackingOf } from '../formats/change-tracking/index.ts';
import type { FinishContext, FormatRequest } from '../formats/format.ts';
import { asksModel, isBuiltIn, isTwoStep } from '../formats/index.ts';
import { markdown as markdownFormat } from '../formats/registry.ts';
import { addRequest, type ModelTotals } from '../llm/model-totals.ts';
import type { Model } from '../llm/model.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { wouldParse } from '../parsers/index.ts';
import type { Parser } from '../parsers/parser.ts';
import { isHeavy } from './is-heavy.ts';
import { type PageReading, readPage, type ReadingPlan } from './read-page.ts';
import type { ThreadsOnDemand } from './threads-on-demand.ts';

/** What reading works with. */
export interface ReadingParts {
  /** The caller's; the built-in ones come after them. */
  readonly parsers: readonly Parser[];
  readonly threads: ThreadsOnDemand;
  /** The client's. */
  readonly model?: Model | undefined;
}

/**
 * Reads a page. What may take more than 100 ms is read on a thread, so that the process goes on and
 * the work can be stopped at any moment; and so are some of the others while many come. But a page
 * that a format, a parser, an extractor or a hook of the caller's own reads is read where the caller
 * is, because functions cannot be sent.
 *
 * Throws `PARSE_LIMIT`, `UNSUPPORTED_CONTENT`, `EXTRACT_INVALID`, `MODEL_FAILED`, what the caller's parsers and
 * formats throw, and the signal's reason: at once for a page on a thread.
 */
export async function readSnapshot(
  parts: ReadingParts,
  snapshot: Snapshot,
  plan: ReadingPlan,
  signal: AbortSignal,
): Promise<PageReading> {
  const { formats } = plan;
  if (!formats.some(({ format }) => isTwoStep(format))) {
    return readWhereItFits(parts, snapshot, plan, signal);
  }
  const steps = {
    ...plan,
    ...(await trackingQuestions(plan)),
    formats: [...(await Promise.all(formats.map(firstStep))), ...unaskedMarkdown(formats)],
    modelText: plan.modelText === true || formats.some(asksModel),
  };
  const reading = await readWhereItFits(parts, snapshot, steps, signal);
  // A hook gave the document, or wants none: no first step was done.
  if (reading.hooked !== undefined) return reading;
  const { values, metadata, modelText } = reading;
  const markdown = values.get('markdown');
  const warnings = [...reading.warnings];
  const fields = new Map<string, unknown>();
  let modelUsage: ModelTotals | undefined;
  const context: FinishContext = {
    ...{ signal, model: parts.model, modelText, fields, language: metadata.language },
    markdown: typeof markdown === 'string' ? markdown : undefined,
    // What two formats find they tell once.
    warn: (sentence) => void (warnings.includes(sentence) || warnings.push(sentence)),
    use: (usage) => void (modelUsage = addRequest(modelUsage, usage)),
  };
  for (const request of formats) await finish(request, reading, snapshot.url, context);
  return { ...reading, fields, warnings, ...(modelUsage === undefined ? {} : { modelUsage }) };
}

/** The markdown for a second step that needs it, where the caller does not want it. */
function unaskedMarkdown(formats: readonly FormatRequest[]): FormatRequest[] {
  const isNeeded = formats.some(
    ({ format, options }) => isTwoStep(format) && format.needsMarkdown?.(options) === true,
  );
  const isAsked = formats.some(({ format }) => format.name === 'markdown');
  return isNeeded && !isAsked ? [{ format: markdownFormat, options: undefined }] : [];
}

async function readWhereItFits(
  { parsers, threads }: ReadingParts,
  snapshot: Snapshot,
  plan: ReadingPlan,
  signal: AbortSignal,
): Promise<PageReading> {
  const { extractor } = plan.clean;
  const canBeSent =
    typeof extractor !== 'function' &&
    plan.beforeFormats === undefined &&
    plan.formats.every(({ format }) => isBuiltIn(format)) &&
    !wouldParse(parsers, snapshot, plan);
  const read = (): Promise<PageReading> => {
    signal.throwIfAborted();
    return readPage(snapshot, plan, parsers, signal);
  };
  // What the caller brings may wait for anything, and holds nobody else up.
  if (!canBeSent) return read();
  // A page of 12 KB can keep the extractors of other hands busy for seconds.
  const isLight = typeof extractor !== 'string' && !isHeavy(snapshot.body);
  if (isLight) {
    threads.count();
    const reading = await threads.here.run(async () => (threads.help() ? undefined : read()));
    if (reading !== undefined) return reading;
  }
  const reading = await threads.read(snapshot, plan, signal, { isLight });
  return reading ?? threads.here.run(read);
}

/** What change tracking wants to know of the page beside its markdown. */
async function trackingQuestions({
  formats,
  schema,
  outline = false,
}: ReadingPlan): Promise<Pick<ReadingPlan, 'schema' | 'outline'>> {
  const tracking = trackingOf(formats);
  if (tracking === undefined) return {};
  const tracked = schema ?? (await tracking.schema)?.jsonSchema;
  return { schema: tracked, outline: outline || tracking.soft404 };
}

async function firstStep({ format, options }: FormatRequest): Promise<FormatRequest> {
  if (!isTwoStep(format)) return { format, options };
  return { format: format.reading, options: await format.plainOptions(options) };
}

/** Puts the value in place of what the first step found. */
async function finish(
  { format, options }: FormatRequest,
  { values }: PageReading,
  url: string,
  context: FinishContext,
): Promise<void> {
  if (!isTwoStep(format)) return;
  try {
    values.set(format.name, await format.finish(values.get(format.name), options, url, context));
  } catch (error) {
    throw hookFailed(`The format "${format.name}"`, url, error);
  }
}
