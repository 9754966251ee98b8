/** executeJavascript: a script of the caller's, in the page. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import type { ExecuteJavascriptOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { inFrame } from './frame-world.ts';
import { asJson, type JsonAnswer } from './in-page/as-json.ts';
import { frameDocument } from './in-page/marked-element.ts';
import { type InPage, type IsolatedWorld, sayWhy } from './isolated-world.ts';

/** Milliseconds of a script at most. */
const longestRun = 30_000;
/** Characters of a script's result, as JSON, at most. */
const mostCharacters = 10_000_000;

export const executeJavascript: ActionRun<ExecuteJavascriptOptions> = async (
  page,
  { script, frame },
  { signal },
  outcome,
) => {
  await inFrame(page, frame, async (world) => {
    const { session } = world;
    const place = frame === undefined ? undefined : await mainDocument(world);
    // Stops an endless loop: a page that hangs could not be closed properly.
    const stop = (): void => void session.send('Runtime.terminateExecution').catch(() => undefined);
    const timer = setTimeout(stop, longestRun);
    signal.addEventListener('abort', stop);
    try {
      signal.throwIfAborted();
      const run = callScript(session, script, place);
      outcome.javascriptReturns.push(await Promise.race([run, tooLong(signal)]));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  });
};

/** The document of a frame, in the world of its own scripts. */
async function mainDocument(world: IsolatedWorld): Promise<InPage<Document>> {
  const isolated = await world.keep(frameDocument);
  if (isolated === undefined) throw new Error('the frame went away');
  const { node } = await world.send('DOM.describeNode', { objectId: isolated.objectId });
  const { backendNodeId } = node;
  const { object } = await world.send('DOM.resolveNode', { backendNodeId });
  if (object.objectId === undefined) throw new Error('the frame went away');
  return { objectId: object.objectId };
}

async function tooLong(signal: AbortSignal): Promise<never> {
  await sleep(longestRun, undefined, { signal, ref: false });
  throw new Error(`the script did not end within ${longestRun / 1000} s; let it do less`);
}

async function callScript(
  session: CDPSession,
  script: string,
  place: InPage<Document> | undefined,
): Promise<{ type: string; value: unknown }> {
  const objectId = await compile(session, script, place);
  const { result, exceptionDetails } = await session
    .send('Runtime.callFunctionOn', {
      functionDeclaration: asJson.toString(),
      objectId,
      arguments: [{ objectId }, { value: mostCharacters }],
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    })
    .catch(sayWhy);
  if (exceptionDetails !== undefined) throw new Error('the page broke off the script');
  const answer = result.value as Partial<JsonAnswer> | undefined;
  if (typeof answer?.problem === 'string') throw new Error(answer.problem);
  if (typeof answer?.type !== 'string') throw new Error('the page broke off the script');
  return { type: answer.type, value: parse(answer.json) };
}

/** Compiles the script to a function in the page: as an expression if possible, else as a body. */
async function compile(
  session: CDPSession,
  script: string,
  place: InPage<Document> | undefined,
): Promise<string> {
  const expression = script.replace(/[\s;]+$/, '');
  let problem = '';
  for (const source of [`(async () => (\n${expression}\n))`, `(async () => {\n${script}\n})`]) {
    const { result, exceptionDetails } = await (place === undefined
      ? session.send('Runtime.evaluate', { expression: source })
      : session.send('Runtime.callFunctionOn', {
          functionDeclaration: `() => ${source}`,
          objectId: place.objectId,
        }));
    if (result.objectId !== undefined && exceptionDetails === undefined) return result.objectId;
    problem = exceptionDetails?.exception?.description ?? '';
  }
  throw new Error(`the script cannot be compiled: ${problem.split('\n', 1)[0] ?? ''}`);
}

/** The result comes from the page: its shape is not trusted. */
function parse(json: unknown): unknown {
  if (typeof json !== 'string' || json.length > mostCharacters) throw new Error(noJson);
  if (depthOf(json) > deepest) throw new Error('the script returned data that is nested too deep');
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new Error(noJson);
  }
}

const noJson = 'the page changed how JSON is written; return a string in place of an object';

/** Levels of a result at most: its consumers may be recursive. */
const deepest = 500;

function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  for (const [mark] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (mark === '[' || mark === '{') most = Math.max(most, ++depth);
    else if (mark === ']' || mark === '}') depth--;
  }
  return most;
}
