/** `/embeddings`: vectors of texts, in their order. */
import { askModel } from './ask-model.ts';
import { countIn, own } from './json-value.ts';
import type { ModelUsage, ModelVectors } from './model.ts';
import { modelFailed } from './model-failure.ts';
import type { OpenAiEndpoint } from './openai-endpoint.ts';
import { addUsage, noUsage, usageOf } from './usage.ts';

/** What is embedded. */
export interface Embedding {
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  readonly embeddingModel: string;
}

/** Texts of one request: every server takes as many. */
const textsAtOnce = 100;

/** Asks for all texts, some at a time. Rejects with `MODEL_FAILED` when vectors are missing or differ in length. */
export async function embedTexts(
  server: OpenAiEndpoint,
  embedding: Embedding,
): Promise<ModelVectors> {
  const { texts, signal, embeddingModel } = embedding;
  const vectors: (readonly number[])[] = [];
  let usage: ModelUsage = noUsage;
  for (let start = 0; start < texts.length; start += textsAtOnce) {
    const input = texts.slice(start, start + textsAtOnce);
    const request = { path: '/embeddings', body: { model: embeddingModel, input }, signal };
    const asking = { name: server.name, signal, clock: server.clock };
    const body = await askModel(() => server.post(request), asking);
    vectors.push(...readVectors(body, input.length, server.name));
    const counted = countIn(own(own(body, 'usage'), 'prompt_tokens'));
    const used = { input: counted, output: 0, asked: input.join('\n'), answered: '' };
    // The price that is known is that of the model which answers.
    usage = addUsage(usage, usageOf(used, undefined));
  }
  const [first] = vectors;
  if (vectors.some((vector) => vector.length !== first?.length)) {
    throw modelFailed(`The model ${server.name} gave vectors of different lengths.`);
  }
  return { vectors, usage };
}

function readVectors(body: unknown, count: number, name: string): (readonly number[])[] {
  const entries = own(body, 'data');
  const vectors = new Array<readonly number[] | undefined>(count).fill(undefined);
  for (const [place, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const index = countIn(own(entry, 'index')) ?? place;
    const vector = own(entry, 'embedding');
    if (index < count && isVector(vector)) vectors[index] = vector;
  }
  const all = vectors.filter((vector) => vector !== undefined);
  if (all.length === count) return all;
  throw modelFailed(
    `The model ${name} gave ${all.length} vectors for ${count} texts. Check that embeddingModel is a model for embeddings.`,
  );
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => Number.isFinite(one));
}
