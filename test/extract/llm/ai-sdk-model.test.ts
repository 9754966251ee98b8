import { ReadableStream } from 'node:stream/web';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import { aiSdkModel, PagewrightError } from 'pagewright';
import type { AiSdkLanguageModel } from '../../../src/extract/llm/ai-sdk-model.ts';
import { clientModel } from '../../support/client-model.ts';
import { failure } from '../../support/failure.ts';
import { lamp, lampSchema as schema } from '../../support/lamp.ts';
import { openAiServer, type OpenAiServer } from '../../support/openai-server.ts';

function provided(server: OpenAiServer, supportsStructuredOutputs = true): AiSdkLanguageModel {
  const options = {
    name: 'local',
    baseURL: server.baseUrl,
    apiKey: 'k',
    supportsStructuredOutputs,
  };
  return createOpenAICompatible(options)('m');
}

describe('a model object of the AI SDK, asked over a real server', () => {
  it('answers in text, with its usage and cost', async () => {
    await using server = await openAiServer([{ text: 'It is a lamp.' }]);
    const model = aiSdkModel(provided(server), { price: { input: 2, output: 10 } });
    await using client = clientModel(model, {});
    expect(await client.ask({ maxOutputTokens: 50 })).toEqual({
      text: 'It is a lamp.',
      usage: { inputTokens: 100, outputTokens: 10, cost: 0.0003 },
    });
    expect(server.calls[0]!.body).toMatchObject({
      max_tokens: 50,
      temperature: 0,
      messages: [
        { role: 'system', content: 'Do it.' },
        { role: 'user', content: 'A page.' },
      ],
    });
    expect(client.model.name).toBe('m (local.chat)');
  });

  it('gets the schema as response format, within the provider’s limits, and gives back what fits the caller’s', async () => {
    await using server = await openAiServer([{ json: { value: [{ name: 'Lamp', price: null }] } }]);
    await using client = clientModel(provided(server), {});
    expect(await client.value({ type: 'array', items: { ...schema, 'x-selector': 'li' } })).toEqual(
      [{ name: 'Lamp' }],
    );
    expect(server.calls[0]!.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: { type: 'object', required: ['value'] } },
    });
    expect(JSON.stringify(server.calls[0]!.body)).not.toContain('x-selector');
  });

  it('is asked by a tool at once where the provider says that it takes no schema', async () => {
    await using server = await openAiServer([{ json: lamp }]);
    await using client = clientModel(provided(server, false), {});
    expect(await client.value(schema)).toEqual(lamp);
    expect(server.calls).toHaveLength(1);
    expect(server.calls[0]!.body).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'answer' } },
    });
  });

  it.each([
    ['a tool', ['json_schema'], 2],
    ['a JSON object', ['json_schema', 'tool'], 3],
    ['the prompt alone', ['json_schema', 'tool', 'json_object'], 4],
  ] as const)('steps down to %s where the server refuses more, once', async (_, lacks, calls) => {
    await using server = await openAiServer([{ json: lamp }], lacks);
    await using client = clientModel(provided(server), {});
    expect(await client.value(schema)).toEqual(lamp);
    expect(server.calls).toHaveLength(calls);
    expect(await client.value(schema)).toEqual(lamp);
    expect(server.calls).toHaveLength(calls + 1);
  });

  it('streams text and the argument of a tool', async () => {
    for (const structured of ['json_schema', 'tool'] as const) {
      await using server = await openAiServer([{ json: { value: [lamp, lamp] } }]);
      await using client = clientModel(aiSdkModel(provided(server), { structured }), {});
      const heard: string[] = [];
      const answer = await client.ask({
        schema: { type: 'array', items: schema },
        onText: (text) => heard.push(text),
      });
      expect(heard.length).toBeGreaterThan(3);
      expect(JSON.parse(heard.join(''))).toEqual([lamp, lamp]);
      expect(JSON.parse(answer.text)).toEqual([lamp, lamp]);
    }
  });

  it('tells that an answer was cut', async () => {
    await using server = await openAiServer([{ text: '{"name":"La', finishReason: 'length' }]);
    await using client = clientModel(provided(server), {});
    expect(await client.ask({ schema })).toMatchObject({ text: '{"name":"La', isCut: true });
  });

  it('is tried again after a rate limit and after a broken connection', async () => {
    const limit = { status: 429, error: { message: 'slow' }, headers: { 'retry-after': '0' } };
    await using server = await openAiServer([limit, { reset: true }, { text: 'ok' }]);
    await using client = clientModel(provided(server), {});
    expect(await client.ask()).toMatchObject({ text: 'ok' });
    expect(server.calls).toHaveLength(3);
  });

  it('fails at once with what to change, and without the key that the server repeats', async () => {
    const error = { message: 'Incorrect API key provided: sk-proj-abcdef123456' };
    await using server = await openAiServer([{ status: 401, error }]);
    await using client = clientModel(provided(server), {});
    const failed = await failure(client.ask());
    expect(failed.code).toBe('MODEL_FAILED');
    expect(failed.message).toMatch(/401.*Check the API key\.$/);
    expect(failed.message).not.toContain('abcdef');
    expect(server.calls).toHaveLength(1);
  });

  it('ends at once when it is aborted, with the reason', async () => {
    await using server = await openAiServer([{ text: 'late', delay: 60_000 }]);
    await using client = clientModel(provided(server), {});
    const controller = new AbortController();
    const asked = client.ask({ signal: controller.signal });
    while (server.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const reason = new PagewrightError('CANCELLED', 'over');
    controller.abort(reason);
    expect(await failure(asked)).toBe(reason);
  });
});

describe('versions of the interface', () => {
  /** What a provider of one version answers; the first call warns that it takes no response format. */
  function versioned(specificationVersion: string): { model: AiSdkLanguageModel; calls: object[] } {
    const calls: object[] = [];
    const isOld = specificationVersion === 'v2';
    const warning = isOld
      ? { type: 'unsupported-setting', setting: 'responseFormat' }
      : { type: 'unsupported', feature: 'responseFormat' };
    const tokens = (total: number): unknown => (isOld ? total : { total });
    const finishReason = (reason: string): unknown =>
      isOld ? reason : { unified: reason, raw: 'x' };
    const usage = { inputTokens: tokens(7), outputTokens: tokens(3) };
    const model = {
      specificationVersion,
      provider: 'own',
      modelId: 'm',
      supportedUrls: {},
      doGenerate: (call: { tools?: unknown }) => {
        calls.push(call);
        const text = { type: 'text', text: 'A lamp!' };
        const tool = {
          type: 'tool-call',
          toolCallId: '1',
          toolName: 'answer',
          input: '{"name":"Lamp","price":null}',
        };
        return Promise.resolve({
          content: call.tools === undefined ? [{ type: 'reasoning', text: 'hm' }, text] : [tool],
          finishReason: finishReason(call.tools === undefined ? 'stop' : 'tool-calls'),
          usage,
          warnings: call.tools === undefined ? [warning] : [],
        });
      },
      doStream: (call: object) => {
        calls.push(call);
        const parts = [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'A la' },
          { type: 'text-delta', id: '1', delta: 'mp!' },
          { type: 'finish', finishReason: finishReason('length'), usage },
        ];
        return Promise.resolve({ stream: ReadableStream.from(parts) });
      },
    };
    return { model, calls };
  }

  it.each(['v2', 'v3', 'v4'])(
    '%s: a warning leads to a tool, usage is read, streams are heard',
    async (version) => {
      const { model, calls } = versioned(version);
      await using client = clientModel(model, {});
      const answer = await client.ask({ schema });
      expect(JSON.parse(answer.text)).toEqual({ name: 'Lamp' });
      // Both answers are paid.
      expect(answer.usage).toEqual({ inputTokens: 14, outputTokens: 6 });
      expect(calls).toHaveLength(2);

      const heard: string[] = [];
      expect(await client.ask({ onText: (text) => heard.push(text) })).toEqual({
        text: 'A lamp!',
        isCut: true,
        usage: { inputTokens: 7, outputTokens: 3 },
      });
      expect(heard).toEqual(['A la', 'mp!']);
    },
  );

  it('an unknown one, an id and anything else are refused with what to give', () => {
    const wrong =
      (model: unknown): (() => unknown) =>
      () =>
        aiSdkModel(model as AiSdkLanguageModel);
    expect(wrong(versioned('v9').model)).toThrow(/version "v9".*known: v2, v3, v4/);
    expect(wrong('openai/gpt-5')).toThrow(/got the id "openai\/gpt-5".*openai\('gpt-5'\)/);
    expect(wrong({})).toThrow(/expected a model object of the AI SDK/);
    expect(() => aiSdkModel(versioned('v3').model, { structured: 'xml' as never })).toThrow(
      /structured/,
    );
  });

  it('a stream that ends without its end is tried again, or fails once it was heard', async () => {
    let streams = 0;
    const broken = (parts: object[]): AiSdkLanguageModel => ({
      ...versioned('v3').model,
      doStream: () =>
        Promise.resolve({
          stream: ReadableStream.from(
            streams++ === 0
              ? parts
              : [...parts, { type: 'finish', finishReason: { unified: 'stop' } }],
          ),
        }),
    });
    const heard: string[] = [];
    const onText = (text: string): void => void heard.push(text);
    await using silent = clientModel(broken([]), {});
    expect(await silent.ask({ onText })).toMatchObject({ text: '' });
    expect(streams).toBe(2);
    streams = 0;
    await using loud = clientModel(broken([{ type: 'text-delta', delta: 'A' }]), {});
    expect((await failure(loud.ask({ onText }))).message).toMatch(/broke off/);
    expect(heard).toEqual(['A']);
  });
});
