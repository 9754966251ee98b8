/** executeJavascript: a script of the caller's, in the page. */
import type { CDPSession } from 'playwright-core';
import type { ExecuteJavascriptOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { inFrame } from './frame-world.ts';
import { asJson, type JsonAnswer } from './in-page/as-json.ts';
import { type Evaluated, type IsolatedWorld, sayWhy } from './isolated-world.ts';

const limits = {
  longestRun: 30_000, // milliseconds of a script
  characters: 10_000_000, // of a script's result, as JSON
  deepest: 500, // levels of a result, since its consumers may be recursive
};

export const executeJavascript: ActionRun<ExecuteJavascriptOptions> = async (
  page,
  { script, frame },
  { signal },
  outcome,
) => {
  await inFrame(page, frame, async (world) => {
    const { session } = world;
    const context = frame === undefined ? {} : { contextId: await scriptContext(world) };
    signal.throwIfAborted();
    let end: (reason: Error) => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      end = (reason) => {
        reject(reason);
        // Stops an endless loop: a page that hangs could not be closed properly.
        session.send('Runtime.terminateExecution').catch(() => undefined);
      };
    });
    const stop = (): void => end(signal.reason as Error);
    const seconds = limits.longestRun / 1000;
    const late = new Error(`the script did not end within ${seconds} s; let it do less`);
    const timer = setTimeout(end, limits.longestRun, late);
    signal.addEventListener('abort', stop);
    try {
      const run = runScript(session, context, script);
      outcome.javascriptReturns.push(await Promise.race([run, ended]));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  });
};

/** Where a script runs. @default the main frame of the session */
interface ScriptContext {
  readonly contextId?: number;
}

/** The context of a frame's own scripts. */
async function scriptContext({ session, frameId }: IsolatedWorld): Promise<number> {
  let contextId: number | undefined;
  const note = ({ context: { id, auxData } }: CreatedContext): void => {
    const { frameId: owner, isDefault } = (auxData ?? {}) as Record<string, unknown>;
    if (owner === frameId && isDefault === true) contextId = id;
  };
  session.on('Runtime.executionContextCreated', note);
  try {
    await session.send('Runtime.enable');
    await session.send('Runtime.disable');
  } finally {
    session.off('Runtime.executionContextCreated', note);
  }
  if (contextId === undefined) throw new Error('the frame went away');
  return contextId;
}

interface CreatedContext {
  readonly context: { readonly id: number; readonly auxData?: object };
}

/** The value of a script. */
interface ScriptValue {
  readonly type: string;
  readonly value: unknown;
}

/**
 * A script is an expression, a function body with `return`, or statements, the last of which has the value, as in a
 * console.
 */
async function runScript(
  session: CDPSession,
  context: ScriptContext,
  script: string,
): Promise<ScriptValue> {
  const expression = await compile(`(async () => (\n${script.replace(/[\s;]+$/, '')}\n))`);
  if (expression.objectId !== undefined) return call(expression.objectId);
  const body = await compile(`(async () => {\n${script}\n})`);
  if (body.objectId === undefined) {
    throw new Error(`the script cannot be compiled: ${body.problem}`);
  }
  // A static block allows neither `return` nor `await`.
  const plain = await compile(`(() => { class Block { static {\n${script}\n} } })`);
  return plain.objectId === undefined ? runAwaiting(script, body.objectId) : runPlain(script);

  /** Here `eval` has its own scope, and works under any content security policy. */
  async function runPlain(script: string): Promise<ScriptValue> {
    const last = `() => eval(${JSON.stringify(script)})`;
    const answer = await evaluate(`(${asJson.toString()})(${last}, ${limits.characters})`, {
      awaitPromise: true,
      returnByValue: true,
    });
    return readLast(answer);
  }

  async function runAwaiting(script: string, body: string): Promise<ScriptValue> {
    const { result, exceptionDetails } = await evaluate(`{\n${script}\n}`, {
      awaitPromise: true,
      replMode: true,
    });
    if (exceptionDetails === undefined) {
      const { objectId, value, unserializableValue } = result;
      const last = { objectId, value, unserializableValue };
      const take = `(value, most) => (${asJson.toString()})(() => value, most)`;
      return readLast(await callOn(body, take, last));
    }
    const problem = problemOf(exceptionDetails);
    if (problem === 'SyntaxError: Illegal return statement') return call(body);
    throw new Error(`the script threw: ${problem}`);
  }

  async function call(objectId: string): Promise<ScriptValue> {
    return readAnswer(await callOn(objectId, asJson.toString(), { objectId }));
  }

  function callOn(
    objectId: string,
    functionDeclaration: string,
    argument: object,
  ): Promise<Evaluated> {
    return session
      .send('Runtime.callFunctionOn', {
        functionDeclaration,
        objectId,
        arguments: [argument, { value: limits.characters }],
        awaitPromise: true,
        returnByValue: true,
        userGesture: true,
      })
      .catch(sayWhy);
  }

  /** Compiles the source to a function without running the script. */
  async function compile(
    source: string,
  ): Promise<{ readonly objectId?: string; readonly problem: string }> {
    const { result, exceptionDetails } = await evaluate(source);
    if (exceptionDetails !== undefined) return { problem: problemOf(exceptionDetails) };
    const { objectId } = result;
    return { problem: 'it is not a function', ...(objectId === undefined ? {} : { objectId }) };
  }

  function evaluate(
    expression: string,
    options: Readonly<Partial<Record<'awaitPromise' | 'returnByValue' | 'replMode', true>>> = {},
  ): Promise<Evaluated> {
    return session
      .send('Runtime.evaluate', { expression, userGesture: true, ...context, ...options })
      .catch(sayWhy);
  }
}

function problemOf({ exception, text }: NonNullable<Evaluated['exceptionDetails']>): string {
  return (exception?.description ?? text).split('\n', 1)[0]?.slice(0, 1000) ?? '';
}

function readAnswer({ result, exceptionDetails }: Evaluated): ScriptValue {
  const answer = result.value as Partial<JsonAnswer> | undefined;
  if (typeof answer?.problem === 'string') throw new Error(answer.problem);
  if (exceptionDetails !== undefined || typeof answer?.type !== 'string') {
    throw new Error('the page broke off the script');
  }
  return { type: answer.type, value: parse(answer.json) };
}

/** The completion value of statements; one that JSON cannot represent is undefined instead of an error. */
function readLast(evaluated: Evaluated): ScriptValue {
  const { problem = '' } = (evaluated.result.value ?? {}) as Partial<JsonAnswer>;
  if (/^(?:what )?the script returned/.test(problem)) return { type: 'undefined', value: null };
  return readAnswer(evaluated);
}

/** The result comes from the page: its shape is not trusted. */
function parse(json: unknown): unknown {
  if (typeof json !== 'string' || json.length > limits.characters) throw new Error(noJson);
  if (depthOf(json) > limits.deepest)
    throw new Error('the script returned data that is nested too deep');
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new Error(noJson);
  }
}

const noJson = 'the page changed how JSON is written; return a string in place of an object';

function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  for (const [mark] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (mark === '[' || mark === '{') most = Math.max(most, ++depth);
    else if (mark === ']' || mark === '}') depth--;
  }
  return most;
}
