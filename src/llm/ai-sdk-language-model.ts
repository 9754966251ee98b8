/** A language model of the AI SDK, as far as it is used here: the parts that its versions have in common. */
import type { AnswerSchema } from './model.ts';

/**
 * Any model object of the AI SDK (`LanguageModelV2`, `V3`, `V4`): `openai('gpt-5')`,
 * `createOpenAICompatible(…)('llama')`. Its methods are called as their versions say.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** The versions of the interface that are known: `ai` 5, 6 and 7. */
export const knownVersions: readonly string[] = ['v2', 'v3', 'v4'];

/** What a call is given, in every version the same. */
export interface AiSdkCall {
  readonly prompt: readonly object[];
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly responseFormat?:
    { readonly type: 'json'; readonly schema?: AnswerSchema; readonly name?: string } | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly toolChoice?: { readonly type: 'tool'; readonly toolName: string } | undefined;
  readonly abortSignal: AbortSignal;
}

/** The methods with the types that they are called with. */
export interface CallableModel {
  doGenerate(call: AiSdkCall): PromiseLike<unknown>;
  doStream(call: AiSdkCall): PromiseLike<unknown>;
}

/** True for a model object of the AI SDK, whatever its version. */
export function isAiSdkModel(value: unknown): value is AiSdkLanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { specificationVersion, doGenerate } = value as Partial<AiSdkLanguageModel>;
  return typeof specificationVersion === 'string' && typeof doGenerate === 'function';
}
