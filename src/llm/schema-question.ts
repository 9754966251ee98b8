/** One schema as a model is asked for it, and the way back from its answer. */
import { isRecord, parseJson } from './json-value.ts';
import type { AnswerSchema } from './model.ts';
import { hasObjectRoot, plainSchema } from './plain-schema.ts';
import { restoreAnswer } from './restore-answer.ts';
import { strictSchema } from './strict-schema.ts';
import type { StructuredMode } from './structured-mode.ts';
import { type AnswerListener, textWithin } from './text-within.ts';

/** The name that schemas and tools go by where a provider wants one. */
export const answerName = 'answer';

/** The property of an object that has an answer which is none. */
const wrapperName = 'value';

/** What is asked for a schema. */
export interface SchemaQuestion {
  /** For the provider. */
  readonly schema: AnswerSchema;
  /** True when it keeps to the limits of strict output. */
  readonly isStrict: boolean;
  /** What is added to the instructions, where the provider does not take the schema itself. */
  readonly instruction: string | undefined;
  /** The model's text as JSON that the caller's schema is about; what is no JSON stays what it is. */
  read(text: string): string;
  /** Makes of `onText` one that gets the text as `read` would give it, as far as that is known by then. */
  listener(onText: (text: string) => void): AnswerListener;
}

/**
 * Makes a question. Throws `MODEL_FAILED` for a schema that is larger than any model takes.
 */
export function schemaQuestion(given: AnswerSchema, mode: StructuredMode): SchemaQuestion {
  const isWrapped = mode !== 'none' && !hasObjectRoot(given);
  const wrapper = isWrapped ? wrapperName : undefined;
  const plain = plainSchema(given);
  const takesSchema = mode === 'json_schema' || mode === 'tool';
  const strict = takesSchema ? strictSchema(plain, wrapper) : undefined;
  const schema = strict?.schema ?? plainSchema(given, wrapper);
  return {
    schema,
    isStrict: strict !== undefined,
    instruction: takesSchema ? undefined : instructionFor(schema),
    read: (text) => {
      const json = withoutFence(text);
      if (strict === undefined && wrapper === undefined) return json;
      const value = parseJson(json);
      if (value === undefined) return wrapper === undefined ? json : unwrapText(json);
      const restored = strict === undefined ? value : restoreAnswer(value, strict);
      const isWhole =
        wrapper !== undefined && isRecord(restored) && Object.hasOwn(restored, wrapper);
      const answer = isWhole ? restored[wrapper] : restored;
      return answer === value ? json : (writtenJson(answer) ?? json);
    },
    listener: (onText) =>
      wrapper === undefined ? { write: onText, end: () => undefined } : textWithin(wrapper, onText),
  };
}

function instructionFor(schema: AnswerSchema): string {
  return `Answer with JSON only, without any other word, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** Undefined for what nests too deep to be written. */
function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A cut answer has the start of the object that wraps it, which is not part of it. */
function unwrapText(text: string): string {
  const parts: string[] = [];
  const inside = textWithin(wrapperName, (part) => parts.push(part));
  inside.write(text);
  inside.end(true);
  return parts.join('');
}

/** Without the fence that models write around JSON, and what a reasoning model thinks before it. */
function withoutFence(text: string): string {
  let answer = text.trim();
  const thought = answer.startsWith('<think>') ? answer.indexOf('</think>') : -1;
  if (thought >= 0) answer = answer.slice(thought + '</think>'.length).trim();
  if (!answer.startsWith('```')) return answer;
  const start = answer.indexOf('\n');
  const end = answer.lastIndexOf('```');
  return start >= 0 && end > start ? answer.slice(start, end).trim() : answer;
}
