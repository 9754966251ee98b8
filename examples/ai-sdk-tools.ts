// An agent that reads the web: the tools of pagewright/ai in the loop of the AI SDK.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { createWebTools } from 'pagewright/ai';
import { needs } from './needs.ts';

needs('ai@6');
const { generateText, stepCountIs } = await import('ai');
const { MockLanguageModelV3 } = await import('ai/test');

// Stands in for a model: it searches the site, reads the best page and answers. Put yours here: openai('gpt-5-mini').
const calls = [
  { toolName: 'map', input: { url: 'https://lantern.test/docs/', search: 'schedules' } },
  { toolName: 'scrape', input: { url: 'https://lantern.test/docs/guides/schedules.html' } },
];
let step = 0;
const model = new MockLanguageModelV3({
  doGenerate: () => {
    const call = calls[step++];
    const usage = {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    };
    return Promise.resolve(
      call === undefined
        ? {
            content: [
              { type: 'text', text: 'Read https://lantern.test/docs/guides/schedules.html' },
            ],
            finishReason: { unified: 'stop', raw: undefined },
            usage,
            warnings: [],
          }
        : {
            content: [
              {
                type: 'tool-call',
                toolCallId: `call-${step}`,
                toolName: call.toolName,
                input: JSON.stringify(call.input),
              },
            ],
            finishReason: { unified: 'tool-calls', raw: undefined },
            usage,
            warnings: [],
          },
    );
  },
});

// Only this host is contacted, whatever a page or the model asks for. Leave out the engine to read the web.
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site], network: { only: ['lantern.test'] } });
const web = createWebTools({ client, budget: { requests: 50 }, tools: ['scrape', 'map'] });

const { text, steps } = await generateText({
  model,
  system: `You answer questions about Lantern.\n${web.instructions}`,
  tools: web.tools,
  stopWhen: stepCountIs(10),
  prompt: 'How do I switch the lights on at sunset?',
});
for (const { staticToolResults } of steps) {
  for (const { toolName, output } of staticToolResults) {
    console.log(`${toolName}: ${output.text.split('\n')[0]}`);
  }
}
console.log(text);

await web.close();
await client.close();
