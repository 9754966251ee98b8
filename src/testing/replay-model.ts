/** A model that answers from a recording: no network, and the same answers every time. */
import { readFile } from 'node:fs/promises';
import { type ErrorCode, messageOf, PagewrightError } from '../errors.ts';
import type { Model, ModelRequest } from '../llm/model.ts';
import {
  fromLines,
  questionKey,
  readModelRecording,
  type RecordedAnswer,
  type RecordedQuestion,
  textsKey,
} from './model-recording.ts';

/** A model that answers from a recording. */
export interface ReplayedModel extends Model {
  /** The prompts that were recorded and not asked. */
  unused(): string[];
}

/**
 * Opens what `recordModel` kept. A request is known by its system, prompt and schema; asked again it
 * gets the next answer, after the last one that again. What was not recorded fails with `MODEL_FAILED`,
 * which tells the nearest request that was. Rejects with `STORAGE` for a file that is no recording.
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
  // By what it says, not by the key in the file: a person may have edited it.
  const byKey = new Map(recording.questions.map((one) => [keyOf(one), one]));
  const asked = new Map<string, number>();
  const vectors = new Map(recording.embeddings.map((one) => [textsKey(one.texts), one]));
  return {
    name: recording.model,
    contextTokens: recording.contextTokens,
    generate(request) {
      return Promise.resolve().then(() => {
        request.signal.throwIfAborted();
        const key = questionKey(request);
        const question = byKey.get(key);
        if (question === undefined) throw missing(path, request, recording.questions);
        const times = asked.get(key) ?? 0;
        asked.set(key, times + 1);
        const answer = question.answers[times] ?? question.answers.at(-1);
        return replayed(answer, request);
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
        .filter((one) => !asked.has(keyOf(one)))
        .map(({ prompt }) => fromLines(prompt)),
  };
}

function keyOf({ system, prompt, schema }: RecordedQuestion): string {
  return questionKey({ system: fromLines(system), prompt: fromLines(prompt), schema });
}

function replayed(
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
  return { text, usage, ...(isCut ? { isCut } : {}) };
}

function missing(
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
      differences: differencesOf(request, question),
    }))
    .sort((one, other) => other.differences.alike - one.differences.alike);
  const [nearest] = ranked;
  if (nearest === undefined) return 'it holds none';
  const { number, differences } = nearest;
  return `the nearest one is number ${number}, which ${differences.words.join(' and ')}`;
}

function differencesOf(
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

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
