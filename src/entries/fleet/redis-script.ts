/** Scripts that run inside of Redis. */
import { createHash } from 'node:crypto';
import { messageOf } from '../../core/runtime/errors.ts';

/** A script, and the hash by which Redis knows it. */
export interface RedisScript {
  readonly text: string;
  readonly sha: string;
}

export function scriptOf(text: string): RedisScript {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Runs a script for its keys; `send` is a command of a connection. */
export async function runScript(
  send: (args: readonly string[]) => Promise<unknown>,
  script: RedisScript,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...values.map(String)];
  try {
    return await send(['EVALSHA', script.sha, ...rest]);
  } catch (error) {
    if (!messageOf(error).includes('NOSCRIPT')) throw error;
    return send(['EVAL', script.text, ...rest]);
  }
}
