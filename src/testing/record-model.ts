/** Keeps what a model answers in a file, for tests without it. */
import { rename, writeFile } from 'node:fs/promises';
import { messageOf, PagewrightError } from '../errors.ts';
import { type ModelChoice, readModel } from '../llm/create-model.ts';
import { parseJson } from '../llm/json-value.ts';
import type { Model, ModelAnswer, ModelRequest, ModelVectors } from '../llm/model.ts';
import { clean } from '../llm/model-failure.ts';
import {
  type ModelRecording,
  questionKey,
  type RecordedAnswer,
  type RecordedQuestion,
  type RecordedVectors,
  textsKey,
  toLines,
  writeModelRecording,
} from './model-recording.ts';

/**
 * The same model, each of whose answers is in the file before it goes on; a file that is there is
 * replaced with the first one. It has what was asked and answered, no keys and no headers. A request
 * fails with `STORAGE` when the file cannot be written. What is cancelled is not recorded.
 *
 * @example
 * await using client = createClient({ model: recordModel(openAiModel({ … }), 'test/runs/shop.json') });
 */
export function recordModel(model: ModelChoice, path: string): Model {
  const given = readModel(model);
  return recorded(given, new Tape(given, path));
}

function recorded(model: Model, tape: Tape): Model {
  const { name, contextTokens, price, connect, embed } = model;
  return {
    ...{ name, contextTokens, price },
    async generate(request) {
      const place = tape.begin(request);
      try {
        const answer = await model.generate(request);
        await tape.answered(place, answerToKeep(answer, request));
        return answer;
      } catch (error) {
        const isTold = error instanceof PagewrightError && error.code === 'STORAGE';
        if (!isTold && !request.signal.aborted) await tape.answered(place, failureToKeep(error));
        throw error;
      }
    },
    ...(connect === undefined
      ? {}
      : { connect: (network) => recorded(connect.call(model, network), tape) }),
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

/** The place of an answer: that of its request, and which of its answers it is. */
interface Place {
  readonly question: Omit<RecordedQuestion, 'answers'>;
  readonly answers: (RecordedAnswer | undefined)[];
  readonly index: number;
}

class Tape {
  readonly #model: Model;
  readonly #path: string;
  readonly #questions = new Map<string, Omit<Place, 'index'>>();
  readonly #embeddings = new Map<string, RecordedVectors>();
  #written: Promise<void> = Promise.resolve();

  constructor(model: Model, path: string) {
    this.#model = model;
    this.#path = path;
  }

  /** In the order of asking, however long answers take. */
  begin(request: ModelRequest): Place {
    const { system, prompt, schema } = request;
    const key = questionKey(request);
    const known = this.#questions.get(key);
    const entry = known ?? {
      question: {
        ...{ key, system: toLines(system), prompt: toLines(prompt) },
        ...(schema === undefined ? {} : { schema }),
      },
      answers: [],
    };
    if (known === undefined) this.#questions.set(key, entry);
    return { ...entry, index: entry.answers.push(undefined) - 1 };
  }

  answered({ answers, index }: Place, answer: RecordedAnswer): Promise<void> {
    answers[index] = answer;
    return this.#write();
  }

  embedded(texts: readonly string[], { vectors, usage }: ModelVectors): Promise<void> {
    const key = textsKey(texts);
    this.#embeddings.set(key, { key, texts, vectors, usage });
    return this.#write();
  }

  /** One after the other, each time all of it: a torn file is never seen. */
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
      const kept = answers.filter((answer) => answer !== undefined);
      return kept.length === 0 ? [] : [{ ...question, answers: kept }];
    });
    return {
      ...{ pagewright: 'model recording', version: 1, model: name },
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...{ questions, embeddings: [...this.#embeddings.values()] },
    };
  }
}

function answerToKeep(
  { text, usage, isCut }: ModelAnswer,
  { schema }: ModelRequest,
): RecordedAnswer {
  const facts = { usage, ...(isCut === true ? { isCut } : {}) };
  const json = schema === undefined ? undefined : parseJson(text);
  // The value only where it gives the same bytes again.
  return json !== undefined && JSON.stringify(json) === text
    ? { json, ...facts }
    : { text, ...facts };
}

function failureToKeep(error: unknown): RecordedAnswer {
  const code = error instanceof PagewrightError ? error.code : 'MODEL_FAILED';
  return { error: { code, message: clean(messageOf(error)) } };
}
