/** The fences of a question to a model: what stands in them is data, what stands outside are instructions. */
import type { ScriptedRequest } from 'pagewright/testing';

type Asked = Pick<ScriptedRequest, 'system' | 'prompt'>;

/** What stands in the fence around the page. */
export function fencedText({ prompt }: Pick<Asked, 'prompt'>): string {
  return /<(page-text-[\da-f]{16})>\n([^]*)\n<\/\1>/.exec(prompt)?.[2] ?? '';
}

/** What stands outside of all fences: the words of this library and its caller. */
export function outsideOfFences({ system, prompt }: Asked): string {
  return `${system}\n${prompt.replace(/<((?:page-text|last-answer|problems)-[\da-f]{16})>\n[^]*?\n<\/\1>/g, '')}`;
}
