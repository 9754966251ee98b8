import { describe, expect, it } from 'vitest';
import { createClient, type Model, PagewrightError } from 'pagewright';
import type { ModelChoice } from '../../../src/extract/llm/create-model.ts';
import { clientModel } from '../../support/client-model.ts';

const usage = { inputTokens: 1, outputTokens: 2 };

describe('the model of a client', () => {
  it('may be one function, which gives an answer or its text', async () => {
    await using whole = clientModel(() => ({ text: 'yes', usage, isCut: true }));
    expect(await whole.ask()).toEqual({ text: 'yes', usage, isCut: true });
    const sayHello: ModelChoice = ({ prompt }) => Promise.resolve(`hello ${prompt}`);
    await using text = clientModel(sayHello);
    const answer = await text.ask();
    expect(answer.text).toBe('hello A page.');
    expect(answer.usage.outputTokens).toBeGreaterThan(1);
    expect(text.model.name).toBe('sayHello');
  });

  it('is asked again where the function fails as a busy server does, and not otherwise', async () => {
    let asked = 0;
    await using busy = clientModel(() => {
      asked += 1;
      if (asked < 3) throw Object.assign(new Error('slow down'), { status: 429 });
      return 'ok';
    });
    expect(await busy.ask()).toMatchObject({ text: 'ok' });
    expect(asked).toBe(3);
    await using broken = clientModel(() => {
      asked += 1;
      throw new TypeError('x is not a function');
    });
    await expect(broken.ask()).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('x is not a function') as string,
    });
    expect(asked).toBe(4);
  });

  it('may be an object of a class; it keeps its `this`, its name and its vectors', async () => {
    class Own implements Model {
      readonly name = 'own';
      readonly contextTokens = 5000;
      readonly #answer = 'mine';
      generate(): ReturnType<Model['generate']> {
        return Promise.resolve({ text: this.#answer, usage });
      }
      embed(texts: readonly string[]): ReturnType<NonNullable<Model['embed']>> {
        return Promise.resolve({ vectors: texts.map(() => [this.#answer.length]), usage });
      }
    }
    await using client = clientModel(new Own());
    expect(client.model).toMatchObject({ name: 'own', contextTokens: 5000 });
    expect(await client.ask()).toEqual({ text: 'mine', usage });
    const { signal } = new AbortController();
    expect(await client.model.embed?.(['a'], signal)).toEqual({ vectors: [[4]], usage });
  });

  it.each([
    [undefined, /no usable text/],
    [{ text: 1, usage }, /no usable text: expected a text, got 1/],
    [{ text: 'a' }, /no usable usage/],
    [{ text: 'a', usage: { inputTokens: NaN, outputTokens: 1 } }, /no usable usage/],
    [{ text: 'a', usage: { inputTokens: -1, outputTokens: 1 } }, /no usable usage/],
  ])('has its answers looked at: %j', async (answer, message) => {
    const own = { name: 'own', generate: () => Promise.resolve(answer as never) };
    await using client = clientModel(own);
    await expect(client.ask()).rejects.toThrow(message);
    await using one = clientModel(() => answer as never);
    await expect(one.ask()).rejects.toThrow(message);
  });

  it('fails with the reason of the signal, whatever a model throws then', async () => {
    const reason = new PagewrightError('CANCELLED', 'over');
    const own: Model = {
      name: 'own',
      generate: ({ signal }): Promise<never> =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('x')));
        }),
    };
    await using client = clientModel(own);
    const controller = new AbortController();
    const asked = client.ask({ signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it.each([
    ['gpt-5', /model: expected a model, got the name "gpt-5"/],
    [{}, /model: expected a model with name and generate\(\)/],
    [null, /model: expected a model with name/],
    [{ generate: (): undefined => undefined }, /model: expected a model with a name/],
    [
      { name: 'a', generate: (): undefined => undefined, embed: 1 },
      /model: embed: expected a function/,
    ],
    [{ specificationVersion: 'v9', doGenerate: () => undefined }, /version "v9"/],
  ])('is refused where it is none: %j', (model, message) => {
    const make = (): unknown => createClient({ model: model as never });
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});
