/** How near texts are to the query of a crawl, by the vectors that the client's model gives of both. */
import { createHash } from 'node:crypto';
import { messageOf } from '../errors.ts';
import type { Nearness } from '../frontier/link-meaning.ts';
import { BudgetRefusal } from '../llm/budget-refusal.ts';
import type { Model } from '../llm/model.ts';
import { modelFailed } from '../llm/model-failure.ts';
import { startDeadline, withSignal } from '../network/deadline.ts';
import type { JobControl } from './job-status.ts';

/** What is looked for, and who is asked. */
export interface QuerySetting {
  readonly query: string;
  /** The client's, within the budget of the job. */
  readonly model: Model | undefined;
  readonly job: Pick<JobControl<unknown>, 'journal' | 'warn'>;
  /** Ends what is asked. */
  readonly signal: AbortSignal;
}

/** Characters of the query that count. */
const queryLimit = 1_000;
/** Texts of one request. */
const textsAtOnce = 100;
/** Milliseconds for one request: a model that never answers must not hold the crawl up for ever. */
const longest = 60_000;
/** Differences below this are noise. */
const precision = 1e6;

type Vector = readonly number[];
type Answer = { readonly near: readonly number[] } | { readonly error: unknown };

/**
 * Undefined, with a warning, where the client's model has no embeddings. What it gives is undefined, with a
 * warning, from the first failure of the model on; it rejects with a `BudgetRefusal` and with the signal's
 * reason. A durable job asks once, and goes on with the failure that it has met.
 */
export function queryNearness(setting: QuerySetting): Nearness | undefined {
  const { model, job, signal } = setting;
  const query = setting.query.slice(0, queryLimit);
  if (model?.embed === undefined) {
    job.warn(
      "The pages are taken by words: strategy.by 'embedding' needs a model with embeddings. Give openAiModel an embeddingModel, or your own model embed().",
    );
    return undefined;
  }
  let sought: Promise<Vector> | undefined;
  return async (texts) => {
    const near: number[] = [];
    for (let start = 0; start < texts.length; start += textsAtOnce) {
      const answer = await compare(texts.slice(start, start + textsAtOnce));
      if ('error' in answer) {
        job.warn(`From some page on words decide the order: ${messageOf(answer.error)}`);
        return undefined;
      }
      near.push(...answer.near);
    }
    return near;
  };

  function compare(texts: readonly string[]): Promise<Answer> {
    return asked([query, ...texts], async () => {
      try {
        const target = await (sought ??= seek());
        const vectors = await vectorsOf(texts);
        return { near: vectors.map((vector) => similarity(target, vector)) };
      } catch (error) {
        if (signal.aborted || error instanceof BudgetRefusal) throw error;
        return { error };
      }
    });
  }

  async function seek(): Promise<Vector> {
    const [vector = []] = await asked([query], () => vectorsOf([query]));
    return vector;
  }

  function asked<T>(texts: readonly string[], ask: () => Promise<T>): Promise<T> {
    if (job.journal === undefined) return ask();
    const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
    return job.journal.answer('nearness', `${texts.length} texts, ${hash}`, signal, ask);
  }

  async function vectorsOf(texts: readonly string[]): Promise<readonly Vector[]> {
    using deadline = startDeadline(longest, [signal], `Embedding ${texts.length} texts`);
    const given = model?.embed?.(texts, deadline.signal);
    if (given === undefined) throw modelFailed(`The model ${model?.name} has no embeddings.`);
    return (await withSignal(given, deadline.signal)).vectors;
  }

  /** The cosine of the angle between them; 0 where one has no direction. */
  function similarity(one: Vector, other: Vector): number {
    if (one.length !== other.length) {
      throw modelFailed(`The model ${model?.name} gave vectors of different lengths.`);
    }
    let [product, square, otherSquare] = [0, 0, 0];
    for (const [index, value] of one.entries()) {
      const second = other[index] ?? 0;
      product += value * second;
      square += value * value;
      otherSquare += second * second;
    }
    const cosine = product / Math.sqrt(square * otherSquare);
    if (square * otherSquare === 0) return 0;
    if (Number.isFinite(cosine)) return Math.round(cosine * precision) / precision;
    throw modelFailed(`The model ${model?.name} gave a vector that holds no numbers.`);
  }
}
