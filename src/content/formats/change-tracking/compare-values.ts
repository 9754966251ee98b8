/** The values that the mode `json` compares: read again only when the text changed, and compared by path. */
import { createHash } from 'node:crypto';
import type { CompiledSchema } from '../../../extract/schema/json-schema.ts';
import { hasSelectors } from '../../../extract/with-model/selector-leaves.ts';
import { pauses } from '../../../core/runtime/yield-to-event-loop.ts';
import type { Store } from '../../../core/storage/store.ts';
import { markdownWords } from '../../text/markdown-inline.ts';
import type { PageExtraction } from '../json.ts';
import { beforeJob, digest, PageHistory } from './history.ts';
import type { TrackedPage, TrackingSettings, ValueChange } from './tracking-options.ts';
import { isRecord, memberOf } from '../../../core/runtime/json.ts';
import { isGone } from '../../text/http-headers.ts';

/** Values that a model read now, or that it read earlier from the same text. */
export interface ModelValues {
  readonly extraction?: PageExtraction | undefined;
  /** The values as they were compared earlier. */
  readonly known?: { readonly values: unknown };
  /** Hash of schema and prompt: other questions give other values. */
  readonly questionHash?: string;
}

/**
 * Sends the page to the model, unless text and question are unchanged since the previous version. Empty where no
 * model is needed. Rejects with the model's error, before anything is stored.
 */
export async function modelValues(
  store: Store,
  page: TrackedPage,
  settings: TrackingSettings,
): Promise<ModelValues> {
  const { askModel, markdown } = page;
  const schema = await settings.schema;
  if (askModel === undefined || schema === undefined || isGonePage(page, settings)) return {};
  const questionHash = digest(stableJson({ schema: schema.jsonSchema, prompt: settings.prompt }));
  // A page without words has no values.
  if (!/[\p{L}\p{N}]/u.test(markdownWords(markdown))) {
    return { extraction: { value: {}, notFound: [], sources: {} }, questionHash };
  }
  const known = await knownValues(store, page, settings, schema, questionHash);
  if (known !== undefined) return { known, questionHash };
  return { extraction: await askModel(), questionHash };
}

/** True when the page does not exist, whatever the response shows. */
export function isGonePage(
  { statusCode, saysMissing }: Pick<TrackedPage, 'statusCode' | 'saysMissing'>,
  { soft404 }: Pick<TrackingSettings, 'soft404'>,
): boolean {
  return isGone(statusCode) || (soft404 && saysMissing);
}

/** Undefined where the model may answer differently than before; a failing history is reported later. */
async function knownValues(
  store: Store,
  { url, identity, markdown, jobId }: TrackedPage,
  { tag, selectors, patterns }: TrackingSettings,
  { jsonSchema }: CompiledSchema,
  questionHash: string,
): Promise<ModelValues['known']> {
  // Values that are not in the text may have changed.
  if (selectors.length > 0 || patterns.length > 0 || hasSelectors(jsonSchema)) return undefined;
  try {
    const history = new PageHistory(store, url, tag, identity);
    const previous = beforeJob((await history.read()).entries, jobId).at(-1);
    if (previous === undefined || previous.questionHash !== questionHash) return undefined;
    if (previous.isGone || previous.textHash !== (await foldedHash(markdown))) return undefined;
    const content = await history.content(previous.id);
    return content !== undefined && 'values' in content ? { values: content.values } : undefined;
  } catch {
    return undefined;
  }
}

// Compares two values of one schema: the properties that differ, by path.

const mostChanges = 10_000; // differences listed: a page may hold lists of any length

/**
 * Objects are compared property by property, lists of equal length item by item, others as a whole. A
 * missing value is null, like one that was not found; the values are plain data.
 */
export function compareValues(previous: unknown, current: unknown): Record<string, ValueChange> {
  const changes: [string, ValueChange][] = [];
  const waiting: [path: string, previous: unknown, current: unknown][] = [['', previous, current]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (changes.length >= mostChanges) break;
    const [path, before = null, after = null] = next;
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      for (let index = before.length - 1; index >= 0; index -= 1) {
        waiting.push([`${path}[${index}]`, before[index], after[index]]);
      }
    } else if (isRecord(before) && isRecord(after)) {
      const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      for (const name of names.reverse()) {
        waiting.push([joinPath(path, name), memberOf(before, name), memberOf(after, name)]);
      }
    } else if (stableJson(before) !== stableJson(after)) {
      changes.push([path, { previous: before, current: after }]);
    }
  }
  return Object.fromEntries(changes);
}

/** The same text for equal values, whatever the order of their properties. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(
          Object.keys(part)
            .filter((name) => (part[name] ?? null) !== null)
            .sort()
            .map((name) => [name, part[name]]),
        )
      : part,
  );
}

/** `offers[0].price`; a name that could be taken for a path is in quotes: `["a.b"]`. */
function joinPath(path: string, name: string): string {
  if (/[.[\]"]/.test(name) || name === '') return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

const hashedAtOnce = 256 * 1024; // characters that are folded at once

/** A hash that is equal for texts that differ only in white space. */
export async function foldedHash(text: string): Promise<string> {
  const hash = createHash('sha256');
  const trimmed = text.trimEnd();
  const pause = pauses();
  let endsInSpace = true;
  for (let at = 0; at < trimmed.length; at += hashedAtOnce) {
    const folded = trimmed.slice(at, at + hashedAtOnce).replace(/\s+/g, ' ');
    const part: string = endsInSpace && folded.startsWith(' ') ? folded.slice(1) : folded;
    if (part !== '') endsInSpace = part.endsWith(' ');
    // Not UTF-8: a step may end within a pair of surrogates.
    hash.update(part, 'utf16le');
    await pause();
  }
  return hash.digest('hex').slice(0, 32);
}
