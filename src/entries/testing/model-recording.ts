/** Records the answers of a model in a readable JSON file, and replays them without a network. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { type ErrorCode, messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { type ModelChoice, readModel } from '../../extract/llm/create-model.ts';
import { parseJson, isRecord } from '../../core/runtime/json.ts';
import { cleanMessage } from '../../extract/llm/model-failure.ts';
import type {
  AnswerSchema,
  Model,
  ModelAnswer,
  ModelRequest,
  ModelUsage,
  ModelVectors,
} from '../../extract/llm/model.ts';
import { commonStart } from './recorded-exchange.ts';
import { sha256Of } from '../../core/runtime/identifiers.ts';
import { compact } from '../../core/runtime/compact.ts';

/** One recorded answer. JSON is stored as a value, so that a change can be reviewed. */
type RecordedAnswer =
  | { readonly text: string; readonly usage: ModelUsage; readonly isCut?: boolean }
  | { readonly json: unknown; readonly usage: ModelUsage; readonly isCut?: boolean }
  | { readonly error: { readonly code: string; readonly message: string } };

/** One request and its answers, in the order of repeated requests. */
interface RecordedQuestion {
  /** A hash of system, prompt and schema. */
  readonly key: string;
  /** Texts of several lines are lists of lines. */
  readonly system: string | readonly string[];
  readonly prompt: string | readonly string[];
  readonly schema?: AnswerSchema;
  readonly answers: readonly RecordedAnswer[];
}

/** The vectors of a list of texts. */
interface RecordedVectors {
  readonly key: string;
  readonly texts: readonly string[];
  readonly vectors: readonly (readonly number[])[];
  readonly usage: ModelUsage;
}

/** The whole file. */
interface ModelRecording {
  readonly pagewright: 'model recording';
  readonly version: 1;
  /** The model's name and context. */
  readonly model: string;
  readonly contextTokens?: number;
  readonly questions: readonly RecordedQuestion[];
  readonly embeddings: readonly RecordedVectors[];
}

/** The key of a request: its content, without the caller and token limits. */
function questionKey({
  system,
  prompt,
  schema,
}: Pick<ModelRequest, 'system' | 'prompt' | 'schema'>): string {
  return hashOf([system, prompt, schema ?? null]);
}

/** The key of a list of texts. */
function textsKey(texts: readonly string[]): string {
  return hashOf(texts);
}

/** A text in the form of the file. */
function toLines(text: string): string | readonly string[] {
  return text.includes('\n') ? text.split('\n') : text;
}

/** The text from the form of the file. */
function fromLines(lines: string | readonly string[]): string {
  return typeof lines === 'string' ? lines : lines.join('\n');
}

function writeModelRecording(recording: ModelRecording): string {
  return `${JSON.stringify(recording, undefined, 2)}\n`;
}

/** Parses a recording; rejects other files and later versions with `STORAGE`. */
function readModelRecording(text: string, path: string): ModelRecording {
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
  return sha256Of(JSON.stringify(value)).slice(0, 32);
}

// Records the answers of a model, for tests without it.

/**
 * The same model; each answer is written to the file before it is returned. An existing file is
 * replaced at the first answer. The file has requests and answers, no keys and no headers. A request
 * fails with `STORAGE` if the file cannot be written. Cancelled requests are not recorded.
 *
 * @example
 * await using client = createClient({ model: recordModel(openAiModel({ … }), 'test/runs/shop.json') });
 */
export function recordModel(model: ModelChoice, path: string): Model {
  const given = readModel(model);
  return recordedModel(given, new ModelTape(given, path));
}

function recordedModel(model: Model, tape: ModelTape): Model {
  const { name, contextTokens, price, connect, embed } = model;
  return {
    name,
    contextTokens,
    price,
    async generate(request) {
      const slot = tape.begin(request);
      try {
        const answer = await model.generate(request);
        await tape.answered(slot, answerToKeep(answer, request));
        return answer;
      } catch (error) {
        const isStoreError = error instanceof PagewrightError && error.code === 'STORAGE';
        if (!isStoreError && !request.signal.aborted)
          await tape.answered(slot, failureToKeep(error));
        throw error;
      }
    },
    ...(connect === undefined
      ? {}
      : { connect: (network) => recordedModel(connect.call(model, network), tape) }),
    ...(embed === undefined
      ? {}
      : {
          async embed(texts, signal) {
            const vectors = await embed.call(model, texts, signal);
            await tape.embedded(texts, vectors);
            return vectors;
          },
        }),
  };
}

/** The position of an answer: its request, and its index among the answers. */
interface TapePosition {
  readonly question: Omit<RecordedQuestion, 'answers'>;
  readonly answers: (RecordedAnswer | undefined)[];
  readonly index: number;
}

class ModelTape {
  readonly #model: Model;
  readonly #path: string;
  readonly #questions = new Map<string, Omit<TapePosition, 'index'>>();
  readonly #embeddings = new Map<string, RecordedVectors>();
  #written: Promise<void> = Promise.resolve();

  constructor(model: Model, path: string) {
    this.#model = model;
    this.#path = path;
  }

  /** Reserves positions in the order of the requests, however long answers take. */
  begin(request: ModelRequest): TapePosition {
    const { system, prompt, schema } = request;
    const key = questionKey(request);
    const known = this.#questions.get(key);
    const entry = known ?? {
      question: compact({ key, system: toLines(system), prompt: toLines(prompt), schema }),
      answers: [],
    };
    if (known === undefined) this.#questions.set(key, entry);
    return { ...entry, index: entry.answers.push(undefined) - 1 };
  }

  answered({ answers, index }: TapePosition, answer: RecordedAnswer): Promise<void> {
    answers[index] = answer;
    return this.#write();
  }

  embedded(texts: readonly string[], { vectors, usage }: ModelVectors): Promise<void> {
    const key = textsKey(texts);
    this.#embeddings.set(key, { key, texts, vectors, usage });
    return this.#write();
  }

  /** Writes whole files, one after the other: readers never see a partial file. */
  #write(): Promise<void> {
    const write = async (): Promise<void> => {
      const draft = `${this.#path}.part`;
      await writeFile(draft, writeModelRecording(this.#recording()), { mode: 0o600 });
      await rename(draft, this.#path);
    };
    const written = this.#written.then(write).catch((error: unknown) => {
      throw new PagewrightError(
        'STORAGE',
        `The recording ${this.#path} could not be written: ${messageOf(error)}. Check the folder and the disk.`,
        { cause: error },
      );
    });
    this.#written = written.catch(() => undefined);
    return written;
  }

  #recording(): ModelRecording {
    const { name, contextTokens } = this.#model;
    const questions = [...this.#questions.values()].flatMap(({ question, answers }) => {
      const recorded = answers.filter((answer) => answer !== undefined);
      return recorded.length === 0 ? [] : [{ ...question, answers: recorded }];
    });
    return compact({
      pagewright: 'model recording',
      version: 1,
      model: name,
      contextTokens,
      questions,
      embeddings: [...this.#embeddings.values()],
    });
  }
}

function answerToKeep(
  { text, usage, isCut }: ModelAnswer,
  { schema }: ModelRequest,
): RecordedAnswer {
  const facts = { usage, ...(isCut === true ? { isCut } : {}) };
  const json = schema === undefined ? undefined : parseJson(text);
  // Stores the value only if it serializes to the same text.
  return json !== undefined && JSON.stringify(json) === text
    ? { json, ...facts }
    : { text, ...facts };
}

function failureToKeep(error: unknown): RecordedAnswer {
  const code = error instanceof PagewrightError ? error.code : 'MODEL_FAILED';
  return { error: { code, message: cleanMessage(messageOf(error)) } };
}

// A model that answers from a recording: no network, and the same answers every time.

/** A model that answers from a recording. */
export interface ReplayedModel extends Model {
  /** Recorded prompts that were not requested. */
  unused(): string[];
}

/**
 * Opens a recording of `recordModel`. A request is matched by its system, prompt and schema; a repeated
 * request gets the next answer, after the last one that again. An unknown request fails with `MODEL_FAILED`,
 * which names the nearest recorded one. Rejects with `STORAGE` for a file that is not a recording.
 *
 * @example await using client = createClient({ model: await replayModel('test/runs/shop.json') });
 */
export async function replayModel(path: string): Promise<ReplayedModel> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new PagewrightError(
      'STORAGE',
      `The recording ${path} could not be read: ${messageOf(error)}. Record it with recordModel().`,
      { cause: error },
    );
  });
  const recording = readModelRecording(text, path);
  // By content, not by the key in the file: the file may have been edited.
  const byKey = new Map(recording.questions.map((one) => [keyOf(one), one]));
  const counts = new Map<string, number>();
  const vectors = new Map(recording.embeddings.map((one) => [textsKey(one.texts), one]));
  return {
    name: recording.model,
    contextTokens: recording.contextTokens,
    generate(request) {
      return Promise.resolve().then(() => {
        request.signal.throwIfAborted();
        const key = questionKey(request);
        const question = byKey.get(key);
        if (question === undefined) throw missingAnswer(path, request, recording.questions);
        const times = counts.get(key) ?? 0;
        counts.set(key, times + 1);
        const answer = question.answers[times] ?? question.answers.at(-1);
        return replayedAnswer(answer, request);
      });
    },
    ...(vectors.size === 0
      ? {}
      : {
          embed: (texts) => {
            const found = vectors.get(textsKey(texts));
            if (found !== undefined) return Promise.resolve(found);
            const message = `The recording ${path} has no vectors of these ${texts.length} texts. Record it again, or ask as before.`;
            return Promise.reject(new PagewrightError('MODEL_FAILED', message));
          },
        }),
    unused: () =>
      recording.questions
        .filter((one) => !counts.has(keyOf(one)))
        .map(({ prompt }) => fromLines(prompt)),
  };
}

function keyOf({ system, prompt, schema }: RecordedQuestion): string {
  return questionKey({ system: fromLines(system), prompt: fromLines(prompt), schema });
}

function replayedAnswer(
  answer: RecordedAnswer | undefined,
  { onText }: ModelRequest,
): Awaited<ReturnType<Model['generate']>> {
  if (answer === undefined || 'error' in answer) {
    const { code = 'MODEL_FAILED', message = 'The recording has no answer.' } = answer?.error ?? {};
    throw new PagewrightError(code as ErrorCode, message);
  }
  const { usage, isCut = false } = answer;
  const text = 'json' in answer ? JSON.stringify(answer.json) : answer.text;
  onText?.(text);
  return compact({ text, usage, isCut: isCut || undefined });
}

function missingAnswer(
  path: string,
  request: ModelRequest,
  questions: readonly RecordedQuestion[],
): PagewrightError {
  return new PagewrightError(
    'MODEL_FAILED',
    `The recording ${path} has no answer to this request: ${nearestTo(request, questions)}. Record it again, or ask as before.`,
  );
}

function nearestTo(request: ModelRequest, questions: readonly RecordedQuestion[]): string {
  const ranked = questions
    .map((question, index) => ({
      number: index + 1,
      differences: questionDifferences(request, question),
    }))
    .sort((one, other) => other.differences.alike - one.differences.alike);
  const [nearest] = ranked;
  if (nearest === undefined) return 'it holds none';
  const { number, differences } = nearest;
  return `the nearest one is number ${number}, which ${differences.words.join(' and ')}`;
}

function questionDifferences(
  request: ModelRequest,
  recorded: RecordedQuestion,
): { readonly alike: number; readonly words: readonly string[] } {
  const words: string[] = [];
  let alike = 0;
  for (const name of ['system', 'prompt'] as const) {
    const [now, before] = [request[name], fromLines(recorded[name])];
    const common = commonStart(now, before);
    alike += common + (now === before ? 1_000_000 : 0);
    if (now === before) continue;
    words.push(
      `has another ${name} from character ${common} on (${excerpt(before, common)} in place of ${excerpt(now, common)})`,
    );
  }
  const isSame = JSON.stringify(request.schema) === JSON.stringify(recorded.schema);
  if (isSame) alike += 1_000_000;
  else words.push('has another schema');
  return { alike, words };
}

function excerpt(text: string, start: number): string {
  return JSON.stringify(text.slice(Math.max(0, start - 10), start + 30));
}
