/** What a job’s budget does with the model of its client. */
import { Journal } from '../../../src/core/jobs/durable/journal.ts';
import { describe, expect, it } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { JobBudget } from '../../../src/core/jobs/job-budget.ts';
import type { Model } from '../../../src/extract/llm/model.ts';
import type { JobUsage } from '../../../src/core/model/job.ts';
import { costsFrom } from '../../../src/core/model/costs.ts';
import type { Budget } from '../../../src/core/options/job-options.ts';
import { modelTurn, scriptedModel } from '../../../src/entries/testing/index.ts';

const { signal } = new AbortController();
const page = { system: '', prompt: 'a page', signal };

async function open(budget: Budget, price?: { input: number; output: number }) {
  const used: JobUsage[] = [];
  const turn = modelTurn({
    text: 'ok',
    usage: { inputTokens: 300, outputTokens: 100, ...(price === undefined ? {} : { cost: 2 }) },
  });
  const model = scriptedModel(() => turn, price === undefined ? {} : { price });
  const job = new JobBudget(budget, costsFrom(), { signal, ranBefore: 0 });
  const parts = await job.metered<{ model: Model | undefined }>(
    { model },
    { use: (more) => used.push(more), journal: new Journal() },
  );
  return { job, metered: parts.model as Model, model, used };
}

describe('a job with a model', () => {
  it('counts tokens and money as the job’s own', async () => {
    const { job, metered, used } = await open({}, { input: 1, output: 1 });
    await metered.generate(page);
    expect(used).toEqual([{ requests: 0, bytes: 0, tokens: 400, cost: 2 }]);
    expect(job.stops(0)).toBeUndefined();
  });

  it('starts no further page once tokens are used up; pages with an answer are kept', async () => {
    const { job, metered, model } = await open({ tokens: 700 });
    await metered.generate(page);
    expect(job.stops(0)).toBeUndefined();
    await metered.generate(page);
    expect(job.stops(0)).toBe('budget.tokens: 700');
    expect(job.take({ credits: 1 })).toBeUndefined();
    const refused: unknown = await metered.generate(page).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'MODEL_FAILED' });
    expect(job.causeOf(refused)).toBe('budget.tokens: 700');
    expect(model.requests).toHaveLength(2);
    expect(job.signal.aborted).toBe(false);
  });

  it('stops by money, too', async () => {
    const { job, metered } = await open({ cost: 2 }, { input: 1, output: 1 });
    await metered.generate(page);
    expect(job.stops(0)).toBe('budget.cost: 2');
  });

  it('leaves other failures of the model what they are', async () => {
    const { job } = await open({ tokens: 700 });
    expect(job.causeOf(new PagewrightError('MODEL_FAILED', 'down'))).toBeUndefined();
    const none = { model: undefined };
    const control = { use: () => undefined, journal: new Journal() };
    await expect(job.metered(none, control)).resolves.toBe(none);
  });
});
