/** What a model of the AI SDK answers: at once or as a stream, in the shapes of its versions. */
import { countIn, isRecord, own } from './json-value.ts';
import { modelFailed } from './model-failure.ts';

/** An answer, without its version. */
export interface AiSdkAnswer {
  readonly text: string;
  /** The argument of the tool that was asked for; undefined when it was not called. */
  readonly toolInput: string | undefined;
  /** Why it ended, in the words of the SDK: `stop`, `length`, `content-filter`, … */
  readonly finishReason: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** What the provider did not take of the call: `responseFormat`, `tools`, … */
  readonly unsupported: readonly string[];
}

/** Characters of an answer at most: models end long before, what goes on is none. */
const longestAnswer = 16_000_000;

/** Reads what `doGenerate` gave. */
export function readGenerated(result: unknown): AiSdkAnswer {
  const content = own(result, 'content');
  if (!Array.isArray(content))
    throw modelFailed('The AI SDK model gave no content: is it newer than this library knows?');
  const answer = new Answer();
  for (const part of content) answer.add(part);
  answer.finish(result);
  answer.warn(own(result, 'warnings'));
  return answer.read();
}

/** Reads what `doStream` gave; `onText` gets the answer as it comes, `mayGoOn` may stop it at its warnings. */
export async function readStreamed(
  result: unknown,
  onText: (text: string) => void,
  mayGoOn: (unsupported: readonly string[]) => boolean,
): Promise<AiSdkAnswer> {
  const stream = own(result, 'stream');
  if (!isStream(stream))
    throw modelFailed('The AI SDK model gave no stream: is it newer than this library knows?');
  const answer = new Answer();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (own(part, 'type') === 'stream-start') {
        answer.warn(own(part, 'warnings'));
        if (!mayGoOn(answer.read().unsupported)) break;
      }
      const more = answer.add(part);
      if (more !== '') onText(more);
    }
  } finally {
    // Of a stream that has ended nothing is left to cancel.
    void reader.cancel().catch(() => undefined);
  }
  return answer.read();
}

/** Also for one of another realm, or a polyfill. */
function isStream(value: unknown): value is ReadableStream<unknown> {
  return typeof (value as Partial<ReadableStream> | undefined)?.getReader === 'function';
}

class Answer {
  readonly #texts: string[] = [];
  readonly #inputs: string[] = [];
  #whole: string | undefined;
  #length = 0;
  #finish: Pick<AiSdkAnswer, 'finishReason' | 'inputTokens' | 'outputTokens'> = {
    ...{ finishReason: undefined, inputTokens: undefined, outputTokens: undefined },
  };
  #unsupported: readonly string[] = [];

  /** Takes one part of an answer or of a stream; gives what it adds to the answer. */
  add(part: unknown): string {
    const type = own(part, 'type');
    if (type === 'error') throw own(part, 'error');
    if (type === 'finish') this.finish(part);
    if (type === 'tool-call') this.#whole ??= inputText(own(part, 'input'));
    if (type === 'text') return this.#take(this.#texts, own(part, 'text'));
    if (type === 'text-delta') return this.#take(this.#texts, own(part, 'delta'));
    if (type === 'tool-input-delta') return this.#take(this.#inputs, own(part, 'delta'));
    return '';
  }

  finish(part: unknown): void {
    const reason = own(part, 'finishReason');
    const usage = own(part, 'usage');
    const unified = typeof reason === 'string' ? reason : own(reason, 'unified');
    this.#finish = {
      finishReason: typeof unified === 'string' ? unified : undefined,
      inputTokens: total(own(usage, 'inputTokens')),
      outputTokens: total(own(usage, 'outputTokens')),
    };
  }

  warn(warnings: unknown): void {
    if (!Array.isArray(warnings)) return;
    this.#unsupported = warnings.flatMap((warning: unknown) => {
      const type = own(warning, 'type');
      if (type === 'unsupported-tool') return ['tools'];
      if (type !== 'unsupported' && type !== 'unsupported-setting') return [];
      const feature = own(warning, 'feature') ?? own(warning, 'setting');
      return typeof feature === 'string' ? [feature] : [];
    });
  }

  read(): AiSdkAnswer {
    const streamed = this.#inputs.length > 0 ? this.#inputs.join('') : undefined;
    return {
      text: this.#texts.join(''),
      toolInput: this.#whole ?? streamed,
      ...this.#finish,
      unsupported: this.#unsupported,
    };
  }

  #take(list: string[], text: unknown): string {
    if (typeof text !== 'string') return '';
    this.#length += text.length;
    if (this.#length > longestAnswer)
      throw modelFailed(
        `The answer is longer than ${longestAnswer} characters: the model does not come to an end.`,
      );
    list.push(text);
    return text;
  }
}

/** A JSON text, by the newer versions; a value in some providers. */
function inputText(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  return isRecord(input) ? JSON.stringify(input) : undefined;
}

/** A number in the second version, an object with a total in later ones. */
function total(tokens: unknown): number | undefined {
  return countIn(tokens) ?? countIn(own(tokens, 'total'));
}
