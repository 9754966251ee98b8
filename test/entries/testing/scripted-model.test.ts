import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelRequest, openAiModel, PagewrightError } from 'pagewright';
import { modelTurn, recordModel, replayModel, scriptedModel } from 'pagewright/testing';
import { clientModel } from '../../support/client-model.ts';
import { openAiServer } from '../../support/openai-server.ts';

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 's', prompt: 'p', signal: new AbortController().signal, ...more };
}

describe('a scripted model', () => {
  it('gives its answers in their order, values as JSON, and keeps what it was asked', async () => {
    const model = scriptedModel([
      { a: 1 },
      'prose',
      modelTurn({ text: '{"a":', isCut: true, delay: 2 }),
      [1],
    ]);
    const schema = { type: 'object' };
    expect(await model.generate(request({ schema, maxOutputTokens: 5 }))).toMatchObject({
      text: '{"a":1}',
    });
    expect(await model.generate(request())).toMatchObject({ text: 'prose' });
    expect(model.remaining).toBe(2);
    expect(await model.generate(request())).toMatchObject({ text: '{"a":', isCut: true });
    expect(await model.generate(request())).toMatchObject({ text: '[1]' });
    expect(model.requests[0]).toEqual({ system: 's', prompt: 'p', schema, maxOutputTokens: 5 });
    await expect(model.generate(request({ prompt: 'again' }))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/has 4 answers.*begins with "again"/) as string,
    });
  });

  it('may be a function, and may fail', async () => {
    const model = scriptedModel(({ prompt }, index) =>
      index === 1 ? new Error('down') : { prompt },
    );
    expect(await model.generate(request())).toMatchObject({ text: '{"prompt":"p"}' });
    await expect(model.generate(request())).rejects.toThrow('down');
  });

  it('uses the same tokens every time, or those that the script says', async () => {
    const model = scriptedModel([
      'a b',
      'a b',
      modelTurn({ json: null, usage: { inputTokens: 9, outputTokens: 8, cost: 1 } }),
    ]);
    const [one, other, last] = [
      await model.generate(request()),
      await model.generate(request()),
      await model.generate(request()),
    ];
    expect(one.usage).toEqual(other.usage);
    expect(one.usage.outputTokens).toBeGreaterThan(0);
    expect(last).toEqual({ text: 'null', usage: { inputTokens: 9, outputTokens: 8, cost: 1 } });
  });

  it('is heard in pieces, and ends with its signal', async () => {
    const model = scriptedModel([
      'abcdefghijklmnopqrstuvwxyz',
      modelTurn({ text: 'late', delay: 60_000 }),
    ]);
    const heard: string[] = [];
    await model.generate(request({ onText: (text) => heard.push(text) }));
    expect(heard).toEqual(['abcdefghijklmnop', 'qrstuvwxyz']);
    const controller = new AbortController();
    const asked = model.generate(request({ signal: controller.signal }));
    controller.abort(new Error('over'));
    await expect(asked).rejects.toThrow('over');
  });
});

describe('a recorded model', () => {
  let path: string;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pagewright-model-'));
    path = join(folder, 'run.json');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

  it('is replayed without a server: the same answers, in the order of the same question', async () => {
    const turns = [
      { json: { name: 'Lamp' } },
      { json: { name: 'Chair' } },
      { text: 'a\nb', finishReason: 'length' },
    ];
    const asked: Partial<ModelRequest>[] = [
      { schema },
      { schema },
      { prompt: 'line one\nline two' },
    ];
    const live: unknown[] = [];
    {
      await using server = await openAiServer(turns);
      const model = openAiModel({ baseUrl: server.baseUrl, model: 'm', apiKey: 'secret-key' });
      await using client = clientModel(recordModel(model, path));
      for (const more of asked) live.push(await client.ask(more));
    }
    await using client = clientModel(await replayModel(path), {});
    const again: unknown[] = [];
    for (const more of asked) again.push(await client.ask(more));
    expect(again).toEqual(live);
    expect(await client.ask({ schema })).toEqual(live[1]);

    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('secret-key');
    expect(JSON.parse(text)).toMatchObject({
      pagewright: 'model recording',
      version: 1,
      questions: [
        {
          system: 'Do it.',
          schema,
          answers: [{ json: { name: 'Lamp' } }, { json: { name: 'Chair' } }],
        },
        { prompt: ['line one', 'line two'], answers: [{ text: 'a\nb', isCut: true }] },
      ],
    });
  });

  it('keeps failures and vectors, and nothing of what was cancelled', async () => {
    const script = scriptedModel(
      [
        new PagewrightError('MODEL_FAILED', 'bad key sk-proj-abcdef123456'),
        modelTurn({ text: 'late', delay: 60_000 }),
      ],
      { embed: (text) => [text.length] },
    );
    const model = recordModel(script, path);
    const { signal } = new AbortController();
    await expect(model.generate(request())).rejects.toThrow('bad key');
    const controller = new AbortController();
    const late = model.generate(request({ prompt: 'late', signal: controller.signal }));
    controller.abort(new Error('over'));
    await expect(late).rejects.toThrow('over');
    await model.embed?.(['one', 'three'], signal);

    const replay = await replayModel(path);
    await expect(replay.generate(request())).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: 'bad key [hidden]',
    });
    expect(await replay.embed?.(['one', 'three'], signal)).toMatchObject({ vectors: [[3], [5]] });
    await expect(replay.embed?.(['two'], signal)).rejects.toThrow(/no vectors of these 1 texts/);
    expect(JSON.parse(await readFile(path, 'utf8')).questions).toHaveLength(1);
  });

  it('tells the nearest request for one that it does not have, and what nobody asked', async () => {
    const model = recordModel(scriptedModel(['a', 'b']), path);
    await model.generate(request({ prompt: 'The page about lamps, in English.', schema }));
    await model.generate(request({ prompt: 'Something else.' }));
    const replay = await replayModel(path);
    const miss = replay.generate(request({ prompt: 'The page about lamps, in German.', schema }));
    await expect(miss).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    await expect(miss).rejects.toThrow(
      /nearest one is number 1, which has another prompt from character 25 on \("lamps, in English\."/,
    );
    const other = replay.generate(request({ prompt: 'Something else.', schema }));
    await expect(other).rejects.toThrow(/number 2, which has another schema/);
    await replay.generate(request({ prompt: 'Something else.' }));
    expect(replay.unused()).toEqual(['The page about lamps, in English.']);
  });

  it('asked by many at once stands in the file in the order of asking', async () => {
    const model = recordModel(
      scriptedModel(({ prompt }) => modelTurn({ text: prompt, delay: prompt === '0' ? 20 : 1 })),
      path,
    );
    const prompts = Array.from({ length: 20 }, (_, index) => String(index));
    await Promise.all(prompts.map((prompt) => model.generate(request({ prompt }))));
    const { questions } = JSON.parse(await readFile(path, 'utf8'));
    expect(questions.map((one: { prompt: string }) => one.prompt)).toEqual(prompts);
  });

  it.each([
    ['', /is not a recording/],
    ['{"pagewright":"model recording","version":2}', /is of version 2, and 1 is known/],
    [
      '{"pagewright":"model recording","version":1,"model":"m","questions":[{}],"embeddings":[]}',
      /is damaged/,
    ],
  ])('a file that is none is refused: %j', async (text, message) => {
    await writeFile(path, text);
    await expect(replayModel(path)).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(message) as string,
    });
  });

  it('a file that is not there, or cannot be written, is told', async () => {
    await expect(replayModel(path)).rejects.toMatchObject({ code: 'STORAGE' });
    const model = recordModel(scriptedModel(['a']), join(folder, 'none', 'run.json'));
    await expect(model.generate(request())).rejects.toMatchObject({ code: 'STORAGE' });
  });
});
