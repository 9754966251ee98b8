// A route handler of Next.js, for Vercel, that answers questions about a site: app/api/ask/route.ts.
// next.config.ts needs serverExternalPackages: ['pagewright'].
import type { LanguageModel } from 'ai';
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { createWebTools } from 'pagewright/ai';
import { needs } from './needs.ts';

needs('ai@6');
const { simulateReadableStream, stepCountIs, streamText } = await import('ai');
const { MockLanguageModelV3 } = await import('ai/test');

// One client for all requests. Leave out the engine to read the web; no other host is contacted.
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({
  engines: [site],
  browser: false,
  network: { only: ['lantern.test'] },
});

export const runtime = 'nodejs';
export const maxDuration = 60;

export async function POST(request: Request): Promise<Response> {
  const question = (await request.text()).slice(0, 2000);
  // A budget for each request, and fewer seconds than the function has.
  const web = createWebTools({
    client,
    budget: { requests: 20, seconds: 45 },
    tools: ['scrape', 'map'],
  });
  const close = (): Promise<void> => web.close();
  const result = streamText({
    model: chooseModel(),
    system: `You answer questions about https://lantern.test.\n${web.instructions}`,
    tools: web.tools,
    stopWhen: stepCountIs(8),
    prompt: question,
    // A visitor who leaves ends the page that is being read.
    abortSignal: request.signal,
    onFinish: close,
    onAbort: close,
    onError: close,
  });
  return result.toTextStreamResponse();
}

// Stands in for a model: reads a page and answers. Put yours here: return 'openai/gpt-5-mini'.
function chooseModel(): LanguageModel {
  let step = 0;
  const usage = {
    inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  };
  const url = 'https://lantern.test/docs/guides/schedules.html';
  return new MockLanguageModelV3({
    doStream: () => {
      step += 1;
      return Promise.resolve({
        stream:
          step === 1
            ? simulateReadableStream({
                chunks: [
                  {
                    type: 'tool-call',
                    toolCallId: 'call-1',
                    toolName: 'scrape',
                    input: JSON.stringify({ url }),
                  },
                  {
                    type: 'finish',
                    finishReason: { unified: 'tool-calls', raw: undefined },
                    usage,
                  },
                ],
              })
            : simulateReadableStream({
                chunks: [
                  { type: 'text-start', id: 'text' },
                  { type: 'text-delta', id: 'text', delta: `It is explained at ${url}` },
                  { type: 'text-end', id: 'text' },
                  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
                ],
              }),
      });
    },
  });
}

// Next.js calls the handler; these lines do it here.
const body = 'How do I switch the lights on at sunset?';
const response = await POST(new Request('https://app.test/api/ask', { method: 'POST', body }));
console.log(response.status, await response.text());
await client.close();
