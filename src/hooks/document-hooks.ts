/** The hooks about what a page comes to: `onDocument` and `onError`. */
import { messageOf, PagewrightError } from '../errors.ts';
import type { PlainDocument } from '../model/document.ts';
import type { HookState } from '../model/hooks.ts';
import type { Metadata } from '../model/metadata.ts';
import type { Deadline } from '../network/deadline.ts';
import { preview } from '../text/preview.ts';
import { badAnswer, callHook, callWithVeto, type HookCall } from './call-hook.ts';
import type { HookLists } from './hook-lists.ts';
import { isObject } from './is-object.ts';

/** The document as the hooks want it; rejects with `SkippedByHook` when one vetoes. */
export async function runOnDocument(
  hooks: HookLists['onDocument'],
  state: HookState,
  made: PlainDocument,
  deadline: Deadline,
): Promise<PlainDocument> {
  const call = { name: 'onDocument', url: state.url, deadline } as const;
  const facts = { ...made.metadata };
  let document = made;
  for (const hook of hooks) {
    const answer: unknown = await callWithVeto(call, (skip) =>
      hook(Object.freeze({ ...state, document, skip })),
    );
    document = completed(answer === undefined ? document : answer, facts, call);
  }
  return document;
}

/** What became of a failure. */
export type FailureAnswer = { readonly error: unknown } | { readonly document: PlainDocument };

/** The failure as the hooks want it; never rejects, since a hook that throws is the failure then. */
export async function runOnError(
  hooks: HookLists['onError'],
  state: HookState,
  failure: unknown,
  deadline: Deadline,
): Promise<FailureAnswer> {
  const call = { name: 'onError', url: state.url, deadline } as const;
  let error = failure;
  try {
    for (const hook of hooks) {
      const answer: unknown = await callHook(call, () => hook(Object.freeze({ ...state, error })));
      if (answer instanceof Error) error = answer;
      else if (answer !== undefined) {
        return { document: completed(answer, factsOfFailure(state, error), call) };
      }
    }
  } catch (thrown) {
    return { error: thrown };
  }
  return { error };
}

function completed(answer: unknown, facts: Metadata, call: HookCall): PlainDocument {
  if (!isObject(answer)) {
    throw badAnswer(call, `${preview(answer)} as a document`);
  }
  const { metadata } = answer;
  if (metadata !== undefined && !isObject(metadata)) {
    throw badAnswer(call, `${preview(metadata)} as the metadata of a document`);
  }
  // What was used was used, and is counted by this number.
  return { ...answer, metadata: { ...facts, ...metadata, creditsUsed: facts.creditsUsed } };
}

/** There was no page: nothing was used, and nothing is known but the error and the status of the answer. */
function factsOfFailure({ url, depth, parent }: HookState, error: unknown): Metadata {
  const { code, statusCode = 0 } = error instanceof PagewrightError ? error : {};
  return {
    sourceURL: url,
    url,
    statusCode,
    contentType: '',
    error: messageOf(error),
    ...(code === undefined ? {} : { errorCode: code }),
    scrapeId: '',
    engine: 'none',
    engineReason: 'the hook onError gave the document',
    proxyUsed: 'basic',
    creditsUsed: 0,
    ...(depth === undefined ? {} : { depth }),
    ...(parent === undefined ? {} : { parentUrl: parent }),
  };
}
