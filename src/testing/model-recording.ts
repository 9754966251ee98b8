/** The file that answers of a model are kept in: JSON that a person can read, and its check. */
import { createHash } from 'node:crypto';
import { PagewrightError } from '../errors.ts';
import { isRecord, parseJson } from '../llm/json-value.ts';
import type { AnswerSchema, ModelRequest, ModelUsage } from '../llm/model.ts';

/** One answer as recorded. Of a JSON text the value is kept, so that a change can be reviewed. */
export type RecordedAnswer =
  | { readonly text: string; readonly usage: ModelUsage; readonly isCut?: boolean }
  | { readonly json: unknown; readonly usage: ModelUsage; readonly isCut?: boolean }
  | { readonly error: { readonly code: string; readonly message: string } };

/** One request and its answers, in the order in which it was asked again. */
export interface RecordedQuestion {
  /** Of system, prompt and schema. */
  readonly key: string;
  /** Texts of several lines are lists of lines. */
  readonly system: string | readonly string[];
  readonly prompt: string | readonly string[];
  readonly schema?: AnswerSchema;
  readonly answers: readonly RecordedAnswer[];
}

/** Vectors of a list of texts. */
export interface RecordedVectors {
  readonly key: string;
  readonly texts: readonly string[];
  readonly vectors: readonly (readonly number[])[];
  readonly usage: ModelUsage;
}

/** The whole file. */
export interface ModelRecording {
  readonly pagewright: 'model recording';
  readonly version: 1;
  /** The model's name and context. */
  readonly model: string;
  readonly contextTokens?: number;
  readonly questions: readonly RecordedQuestion[];
  readonly embeddings: readonly RecordedVectors[];
}

/** What a request is known by: what it says, not who asks or how much it may use. */
export function questionKey({
  system,
  prompt,
  schema,
}: Pick<ModelRequest, 'system' | 'prompt' | 'schema'>): string {
  return hashOf([system, prompt, schema ?? null]);
}

/** What a list of texts is known by. */
export function textsKey(texts: readonly string[]): string {
  return hashOf(texts);
}

/** A text as it stands in the file, and back. */
export function toLines(text: string): string | readonly string[] {
  return text.includes('\n') ? text.split('\n') : text;
}

/** The text again. */
export function fromLines(lines: string | readonly string[]): string {
  return typeof lines === 'string' ? lines : lines.join('\n');
}

/** The file's text. */
export function writeModelRecording(recording: ModelRecording): string {
  return `${JSON.stringify(recording, undefined, 2)}\n`;
}

/** Rejects what is no recording, or one of a later version, with `STORAGE`. */
export function readModelRecording(text: string, path: string): ModelRecording {
  const value = parseJson(text);
  const isRecording = isRecord(value) && value['pagewright'] === 'model recording';
  if (!isRecording) throw unreadable(path, 'is not a recording of a model');
  if (value['version'] !== 1) {
    throw unreadable(path, `is of version ${String(value['version'])}, and 1 is known`);
  }
  const { questions, embeddings } = value;
  const isWhole =
    typeof value['model'] === 'string' &&
    Array.isArray(questions) &&
    questions.every(isQuestion) &&
    Array.isArray(embeddings) &&
    embeddings.every((one) => isRecord(one) && Array.isArray(one['vectors']));
  if (!isWhole) throw unreadable(path, 'is damaged');
  return value as unknown as ModelRecording;
}

function isQuestion(value: unknown): boolean {
  return (
    isRecord(value) &&
    isText(value['system']) &&
    isText(value['prompt']) &&
    Array.isArray(value['answers']) &&
    value['answers'].length > 0 &&
    value['answers'].every((answer) => isRecord(answer))
  );
}

function isText(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'))
  );
}

function unreadable(path: string, what: string): PagewrightError {
  return new PagewrightError(
    'STORAGE',
    `The file ${path} ${what}. Record it again with recordModel().`,
  );
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
