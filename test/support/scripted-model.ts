/** A model that answers by a script, and remembers what it was asked. */
import type { Model, ModelAnswer, ModelRequest } from '../../src/llm/model.ts';

export interface ScriptedModel extends Model {
  /** In their order. */
  readonly requests: ModelRequest[];
}

/** One answer: text, or data that is sent as JSON; more about it as an object with `text`. */
export type ScriptedAnswer = string | { readonly text: string; readonly isCut?: boolean };

/** Answers in their order, the last one again and again; or a function of the request. */
export function scriptedModel(
  script: readonly ScriptedAnswer[] | ((request: ModelRequest) => ScriptedAnswer),
  options: { readonly contextTokens?: number } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    ...options,
    requests,
    generate(request): Promise<ModelAnswer> {
      requests.push(request);
      const answer =
        typeof script === 'function'
          ? script(request)
          : (script[Math.min(requests.length, script.length) - 1] ?? '');
      const { text, isCut = false } =
        typeof answer === 'string' ? { text: answer } : { isCut: false, ...answer };
      for (let at = 0; at < text.length; at += 16) request.onText?.(text.slice(at, at + 16));
      const usage = { inputTokens: request.prompt.length, outputTokens: text.length };
      return Promise.resolve({ text, usage, isCut });
    },
  };
}

/** What stands in the fence around the page. */
export function fencedText({ prompt }: ModelRequest): string {
  return /<(page-text-[\da-f]{16})>\n([^]*)\n<\/\1>/.exec(prompt)?.[2] ?? '';
}

/** What stands outside of all fences: the words of this library and its caller. */
export function outsideOfFences({ system, prompt }: ModelRequest): string {
  return `${system}\n${prompt.replace(/<((?:page-text|last-answer|problems)-[\da-f]{16})>\n[^]*?\n<\/\1>/g, '')}`;
}
