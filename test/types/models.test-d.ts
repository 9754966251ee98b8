import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  aiSdkModel,
  createClient,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  openAiModel,
} from 'pagewright';
import {
  recordModel,
  replayModel,
  type ScriptedModel,
  scriptedModel,
  type ScriptedRequest,
} from 'pagewright/testing';
import { expectTypeOf } from 'vitest';

const provider = createOpenAICompatible({ name: 'local', baseURL: 'http://localhost:11434/v1' });

export async function aClientTakesEveryKindOfModel(): Promise<void> {
  createClient({ model: provider('qwen3') });
  createClient({ model: aiSdkModel(provider('qwen3'), { price: { input: 1, output: 2 } }) });
  createClient({ model: openAiModel({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3' }) });
  createClient({
    model: (request) => {
      expectTypeOf(request).toEqualTypeOf<ModelRequest>();
      return request.prompt;
    },
  });
  const own: Model = {
    name: 'own',
    generate: () => Promise.resolve({ text: '', usage: { inputTokens: 0, outputTokens: 0 } }),
  };
  createClient({ model: recordModel(own, 'run.json') });
  createClient({ model: await replayModel('run.json') });
  // @ts-expect-error -- an id is no model
  createClient({ model: 'openai/gpt-5' });
  // @ts-expect-error -- a function of something else
  createClient({ model: (count: number) => String(count) });
  // @ts-expect-error -- there is no such way
  openAiModel({ baseUrl: 'http://localhost/v1', model: 'a', structured: 'xml' });
}

export async function answersAndRequestsHaveTheirTypes(): Promise<void> {
  const model = scriptedModel([{ a: 1 }, 'text', new Error('down'), [1], null]);
  expectTypeOf(model).toEqualTypeOf<ScriptedModel>();
  expectTypeOf(model.requests).toEqualTypeOf<readonly ScriptedRequest[]>();
  const { signal } = new AbortController();
  const answer = await model.generate({ system: '', prompt: '', signal });
  expectTypeOf(answer).toEqualTypeOf<ModelAnswer>();
}
