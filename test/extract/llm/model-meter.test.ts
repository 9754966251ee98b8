import { describe, expect, it } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { createModel } from '../../../src/extract/llm/create-model.ts';
import { ModelMeter } from '../../../src/extract/llm/model-meter.ts';
import type { Model, ModelRequest } from '../../../src/extract/llm/model.ts';
import { modelTurn, scriptedModel } from '../../../src/entries/testing/index.ts';

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: '', prompt: 'one two three', signal: new AbortController().signal, ...more };
}

const turn = (
  inputTokens: number,
  outputTokens: number,
  cost?: number,
): ReturnType<typeof modelTurn> =>
  modelTurn({ text: 'ok', usage: { inputTokens, outputTokens, cost } });

describe('a meter', () => {
  it('adds up what is used, and tells each of it', async () => {
    const told: number[] = [];
    const script = scriptedModel([turn(100, 10, 0.5), turn(50, 5, 0.25)]);
    const meter = new ModelMeter(script, {}, ({ inputTokens }) => told.push(inputTokens));
    await meter.generate(request());
    await meter.generate(request());
    expect(meter.usage).toEqual({ inputTokens: 150, outputTokens: 15, cost: 0.75, requests: 2 });
    expect(told).toEqual([100, 50]);
    expect(script.requests[0]?.maxOutputTokens).toBeUndefined();
  });

  it('asks nothing once the tokens are used up, and names the budget', async () => {
    const script = scriptedModel([turn(900, 100)]);
    const meter = new ModelMeter(script, { tokens: 1000 });
    expect(meter.rule).toBeUndefined();
    await meter.generate(request());
    expect(meter.rule).toBe('budget.tokens: 1000');
    await expect(meter.generate(request())).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('of budget.tokens: 1000, 0 is left') as string,
    });
    expect(script.requests).toHaveLength(1);
  });

  it('does not send a request that is larger than what is left, its schema included', async () => {
    const script = scriptedModel([]);
    const meter = new ModelMeter(script, { tokens: 100 });
    const schema = { description: 'word '.repeat(200) };
    await expect(meter.generate(request({ schema }))).rejects.toThrow(/100 is left, too little/);
    expect(script.requests).toHaveLength(0);
  });

  it('limits an answer to what is left, and not above what the caller asked for', async () => {
    const script = scriptedModel([turn(1, 1), turn(1, 1)]);
    const meter = new ModelMeter(script, { tokens: 1000 });
    await meter.generate(request());
    await meter.generate(request({ maxOutputTokens: 20 }));
    const [first, second] = script.requests;
    expect(first?.maxOutputTokens).toBeLessThan(1000);
    expect(first?.maxOutputTokens).toBeGreaterThan(900);
    expect(second?.maxOutputTokens).toBe(20);
  });

  it('counts money by the prices of the model, before a request is sent', async () => {
    const price = { input: 1_000_000, output: 2_000_000 };
    const script = scriptedModel(() => 'ok', { price });
    const meter = new ModelMeter(script, { cost: 20 });
    await meter.generate(request());
    expect(script.requests[0]?.maxOutputTokens).toBeLessThan(10);
    const long = request({ prompt: 'word '.repeat(30) });
    await expect(meter.generate(long)).rejects.toThrow(/of budget\.cost: 20, /);
    expect(script.requests).toHaveLength(1);
  });

  it('does not keep a budget of money by guessing: a model without a price fails', async () => {
    const meter = new ModelMeter(scriptedModel([turn(1, 1)]), { cost: 1 });
    await expect(meter.generate(request())).rejects.toThrow(/does not report what it costs/);
  });

  it('holds the budget for requests that run together, by letting them wait', async () => {
    let running = 0;
    let most = 0;
    const model: Model = {
      name: 'own',
      async generate() {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return { text: '', usage: { inputTokens: 10, outputTokens: 90 } };
      },
    };
    const meter = new ModelMeter(model, { tokens: 550 });
    const asked = Array.from({ length: 10 }, () =>
      meter.generate(request({ maxOutputTokens: 90 })),
    );
    const settled = await Promise.allSettled(asked);
    const { inputTokens, outputTokens } = meter.usage;
    expect(inputTokens + outputTokens).toBeLessThanOrEqual(600);
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(5);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(6);
  });

  it('lets the next one go when one fails, and ends a wait with its signal', async () => {
    let fail: (error: Error) => void = () => undefined;
    const model: Model = {
      name: 'own',
      generate: ({ prompt }) =>
        prompt === 'first'
          ? new Promise((_, reject) => (fail = reject))
          : Promise.resolve({ text: prompt, usage: { inputTokens: 1, outputTokens: 1 } }),
    };
    const meter = new ModelMeter(model, { tokens: 1000 });
    const first = meter.generate(request({ prompt: 'first' }));
    const second = meter.generate(request({ prompt: 'second' }));
    const controller = new AbortController();
    const third = meter.generate(request({ prompt: 'third', signal: controller.signal }));
    controller.abort(new Error('over'));
    await expect(third).rejects.toThrow('over');
    fail(new Error('down'));
    await expect(first).rejects.toThrow('down');
    expect(await second).toMatchObject({ text: 'second' });
  });

  it('counts the own tokens of requests that fail, so that a budget ends what only fails', async () => {
    const told: number[] = [];
    const price = { input: 1_000_000, output: 1 };
    const script = scriptedModel(() => new Error('down'), { price });
    const meter = new ModelMeter(script, { tokens: 20 }, ({ inputTokens }) =>
      told.push(inputTokens),
    );
    const errors: unknown[] = [];
    for (let index = 0; index < 30; index += 1) {
      errors.push(await meter.generate(request()).catch((error: unknown) => error));
    }
    expect(String(errors.at(-1))).toMatch(/of budget\.tokens: 20, /);
    expect(script.requests.length).toBeLessThan(20);
    expect(told).toHaveLength(script.requests.length);
    const inputTokens = told.reduce((sum, one) => sum + one, 0);
    expect(inputTokens).toBeGreaterThan(15);
    expect(meter.usage).toEqual({ requests: 0, inputTokens, outputTokens: 0, cost: inputTokens });
  });

  it.each([
    ['an address that is blocked', new PagewrightError('BLOCKED_ADDRESS', 'private')],
    [
      'a connection that is refused',
      Object.assign(new Error('fetch'), { cause: { code: 'ECONNREFUSED' } }),
    ],
  ])('counts nothing for %s', async (_, error) => {
    const fail = (): Promise<never> => Promise.reject(error);
    const clock = { now: () => 0, random: () => 0 };
    const send = (): Promise<never> => Promise.reject(new Error('not asked'));
    const model = createModel({ name: 'own', generate: fail }, { send, clock });
    const meter = new ModelMeter(model, { tokens: 100 });
    await expect(meter.generate(request())).rejects.toThrow();
    expect(meter.usage).toEqual({ requests: 0, inputTokens: 0, outputTokens: 0 });
  });

  it('counts nothing for what was aborted before, and the tokens of what was aborted later', async () => {
    const controller = new AbortController();
    const model: Model = {
      name: 'own',
      generate: () => {
        controller.abort(new Error('over'));
        return Promise.reject(new Error('over'));
      },
    };
    const meter = new ModelMeter(model);
    const { signal } = controller;
    await expect(meter.generate(request({ signal }))).rejects.toThrow('over');
    const { inputTokens } = meter.usage;
    expect(inputTokens).toBeGreaterThan(0);
    await expect(meter.generate(request({ signal }))).rejects.toThrow('over');
    expect(meter.usage.inputTokens).toBe(inputTokens);
  });

  it('counts vectors, too, and has none where its model has none', async () => {
    const meter = new ModelMeter(scriptedModel([], { embed: () => [1] }), { tokens: 20 });
    const { signal } = new AbortController();
    expect(await meter.embed?.(['one'], signal)).toMatchObject({ vectors: [[1]] });
    expect(meter.usage.inputTokens).toBeGreaterThan(0);
    await expect(meter.embed?.(['one '.repeat(50)], signal)).rejects.toThrow(/too little/);
    expect(new ModelMeter(scriptedModel([])).embed).toBeUndefined();
  });
});
