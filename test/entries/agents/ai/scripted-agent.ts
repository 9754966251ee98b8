/** An agent loop of the AI SDK with a model that follows a script. */
import { generateText, stepCountIs, type ToolSet } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

/** One call of a tool, made of the text of the last result. */
export type ScriptedCall = (last: string) => readonly [tool: string, input: unknown];

/** The texts that the model read: one for each call. */
export interface AgentRun {
  readonly results: readonly string[];
  /** As the model gets it: text, error-text or content. */
  readonly kinds: readonly string[];
  /** The last result in full. */
  readonly output: unknown;
  readonly text: string;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Runs `generateText` until the script ends; then the model says "Done." */
export async function runAgent(
  tools: ToolSet,
  script: readonly ScriptedCall[],
  abortSignal?: AbortSignal,
): Promise<AgentRun> {
  const results: string[] = [];
  const kinds: string[] = [];
  let output: unknown;
  const model = new MockLanguageModelV3({
    doGenerate: ({ prompt, abortSignal: signal }) => {
      signal?.throwIfAborted();
      const last = prompt.at(-1);
      for (const part of last?.role === 'tool' ? last.content : []) {
        if (part.type !== 'tool-result') continue;
        output = part.output;
        kinds.push(part.output.type);
        results.push(
          part.output.type === 'text' || part.output.type === 'error-text'
            ? part.output.value
            : JSON.stringify(part.output),
        );
      }
      const call = script[results.length]?.(results.at(-1) ?? '');
      const content =
        call === undefined
          ? { type: 'text' as const, text: 'Done.' }
          : {
              type: 'tool-call' as const,
              toolCallId: `call-${results.length}`,
              toolName: call[0],
              input: JSON.stringify(call[1]),
            };
      const unified = call === undefined ? ('stop' as const) : ('tool-calls' as const);
      const finishReason = { unified, raw: undefined };
      return Promise.resolve({ content: [content], finishReason, usage, warnings: [] });
    },
  });
  const { text } = await generateText({
    model,
    tools,
    prompt: 'Read the web.',
    stopWhen: stepCountIs(script.length + 1),
    maxRetries: 0,
    ...(abortSignal && { abortSignal }),
  });
  return { results, kinds, output, text };
}
