/** Runs in the page's own world, which may be hostile: returns a script's result as JSON of bounded length. */

/** The result, or the reason why there is none. */
export interface JsonAnswer {
  readonly type: string;
  readonly json: string;
  readonly problem?: string;
}

/**
 * Calls `run` and serialises its result. Only operators bound the size, since a page cannot replace them:
 * `typeof` and the length of a string.
 */
export async function asJson(run: () => unknown, most: number): Promise<Partial<JsonAnswer>> {
  const sayProblem = (prefix: string, error: unknown): Partial<JsonAnswer> => {
    let text: unknown = '';
    try {
      text = String(error);
    } catch {
      // The error cannot be converted.
    }
    const message = typeof text === 'string' && text.length <= 1000 ? text : 'a long text';
    return { problem: `${prefix}: ${message}` };
  };
  let value: unknown;
  try {
    value = await run();
  } catch (error) {
    return sayProblem('the script threw', error);
  }
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  let left = most;
  let json: unknown;
  try {
    json = JSON.stringify(
      value,
      function (this: Readonly<Record<string, unknown>>, key: string, given: unknown) {
        const original = this[key];
        let replaced = given;
        if (typeof original === 'bigint') replaced = `${original}`;
        // Old libraries give arrays a `toJSON` that returns a string.
        else if (Array.isArray(original)) replaced = original;
        left -= key.length + (typeof replaced === 'string' ? replaced.length : 1) + 1;
        if (left < 0) throw new Error(`it has more than ${most} characters; return less`);
        return replaced;
      },
    );
  } catch (error) {
    return sayProblem('what the script returned cannot be written as JSON', error);
  }
  if (json === undefined) return { type, json: 'null' };
  if (typeof json !== 'string' || json.length > most) {
    return { problem: `the script returned more than ${most} characters; return less` };
  }
  return { type, json };
}
