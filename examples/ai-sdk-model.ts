// Data in words: a model of the AI SDK reads the page, each value is looked up on it.
import { aiSdkModel, createClient } from 'pagewright';
import { fixturesEngine, serve } from 'pagewright/testing';
import { z } from 'zod';
import { needs } from './needs.ts';

needs('@ai-sdk/openai-compatible@2');
const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');

// With a key a real model answers. Without one a server of this example does, which always says the same.
const { OPENAI_API_KEY: apiKey = '' } = process.env;
const answer = {
  lamps: [
    { name: 'Korrigan', price: 64 },
    { name: 'Tern', price: 39.5 },
  ],
};
const server = await serve({
  '/v1/chat/completions': {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      choices: [
        { finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(answer) } },
      ],
      usage: { prompt_tokens: 310, completion_tokens: 24, total_tokens: 334 },
    }),
  },
});
const provider = createOpenAICompatible({
  name: 'openai',
  baseURL: apiKey === '' ? server.url('/v1') : 'https://api.openai.com/v1',
  apiKey,
  supportsStructuredOutputs: true,
});

const site = fixturesEngine({ 'https://fernhill.test': new URL('sites/shop/', import.meta.url) });
const client = createClient({
  engines: [site],
  model: aiSdkModel(provider('gpt-5-mini'), { price: { input: 0.25, output: 2 } }),
});

const { json, metadata } = await client.scrape('https://fernhill.test/products/', {
  formats: [
    {
      type: 'json',
      prompt: 'Every lamp under 100 euro',
      schema: z.object({ lamps: z.array(z.object({ name: z.string(), price: z.number() })) }),
    },
  ],
});
console.log(json);
console.log(metadata.modelUsage);

await client.close();
await server.close();
