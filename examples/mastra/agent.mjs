// An agent of Mastra that reads the web with the tools of pagewright.
// It needs Node 22.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { createWebTools } from 'pagewright/ai';
import { needs } from '../needs.ts';

needs('@mastra/core');
const { Agent } = await import('@mastra/core/agent');

// Leave out the engine to read the web; no other host is contacted.
const site = fixturesEngine({ 'https://lantern.test': new URL('../sites/docs/', import.meta.url) });
const client = createClient({ engines: [site], network: { only: ['lantern.test'] } });
const web = createWebTools({ client, budget: { requests: 50 }, tools: ['scrape', 'map'] });

const agent = new Agent({
  id: 'reader',
  name: 'Reader',
  instructions: `You answer questions about https://lantern.test.\n${web.instructions}`,
  model: scriptedModel(),
  tools: web.tools,
});
const { text } = await agent.generate('How do I switch the lights on at sunset?', { maxSteps: 8 });
console.log(text);

await web.close();
await client.close();

// Stands in for a model: maps the site, reads a page, answers. Put yours here: 'openai/gpt-5-mini'.
function scriptedModel() {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const calls = [
    ['map', { url: 'https://lantern.test/', search: 'sunset' }],
    ['scrape', { url: 'https://lantern.test/docs/guides/schedules.html' }],
  ];
  let step = 0;
  return {
    specificationVersion: 'v2',
    provider: 'script',
    modelId: 'script',
    supportedUrls: {},
    doGenerate: ({ prompt }) => {
      const [toolName, input] = calls[step] ?? [];
      step += 1;
      const isRead = JSON.stringify(prompt).includes('sunset - 20m');
      const content =
        toolName === undefined
          ? { type: 'text', text: isRead ? 'With a schedule.' : 'I do not know.' }
          : {
              type: 'tool-call',
              toolCallId: `call-${step}`,
              toolName,
              input: JSON.stringify(input),
            };
      const finishReason = toolName === undefined ? 'stop' : 'tool-calls';
      return Promise.resolve({ content: [content], finishReason, usage, warnings: [] });
    },
    doStream: () => Promise.reject(new Error('generate() does not stream.')),
  };
}
