/** The hooks around a request: `beforeRequest` and `afterResponse`. */
import type { HookState, ResponseChange } from '../model/hooks.ts';
import type { Limits } from '../model/request-options.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { headerName, headerValue } from '../../content/text/http-headers.ts';
import { preview } from '../checks/option-errors.ts';
import { invalidHookResult, callWithVeto, type HookCall } from './call-hook.ts';
import type { HookLists } from './hook-lists.ts';

type HookHeaders = Readonly<Record<string, string>>;

/** The headers after the hooks; rejects with `SkippedByHook` when one vetoes. */
export async function runBeforeRequest(
  hooks: HookLists['beforeRequest'],
  state: HookState,
  given: HookHeaders,
  deadline: Deadline,
): Promise<HookHeaders> {
  const call = { name: 'beforeRequest', url: state.url, deadline } as const;
  let headers = given;
  for (const hook of hooks) {
    const changing = { ...headers };
    // An assignment to the state itself would be lost: it throws.
    await callWithVeto(call, (skip) => hook(Object.freeze({ ...state, headers: changing, skip })));
    headers = checkedHeaders(changing, call);
  }
  return headers;
}

/** The response after the hooks; rejects with `SkippedByHook` when one vetoes. */
export async function runAfterResponse(
  hooks: HookLists['afterResponse'],
  state: HookState,
  received: Snapshot,
  limits: Limits,
  deadline: Deadline,
): Promise<Snapshot> {
  const call = { name: 'afterResponse', url: state.url, deadline } as const;
  let snapshot = received;
  for (const hook of hooks) {
    const headers = Object.freeze({ ...snapshot.headers });
    const given = Object.freeze({ ...snapshot, headers });
    const change: unknown = await callWithVeto(call, (skip) =>
      hook(Object.freeze({ ...state, snapshot: given, skip })),
    );
    if (change !== undefined) snapshot = changedSnapshot(snapshot, change, limits, call);
  }
  return snapshot;
}

/** A header set to undefined is removed. Messages omit values: they may be secrets. */
function checkedHeaders(headers: Record<string, unknown>, call: HookCall): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    if (!headerName.test(name)) throw invalidHookResult(call, `the header name ${preview(name)}`);
    if (typeof value !== 'string' || !headerValue.test(value)) {
      throw invalidHookResult(
        call,
        `the header ${name} a value that is not text without control characters`,
      );
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

function changedSnapshot(
  snapshot: Snapshot,
  change: unknown,
  limits: Limits,
  call: HookCall,
): Snapshot {
  if (typeof change !== 'object' || change === null) throw invalidHookResult(call, preview(change));
  const { statusCode, headers, body, ...rest } = change as Record<keyof ResponseChange, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalidHookResult(
      call,
      `${preview(unknown)}, which is none of statusCode, headers and body,`,
    );
  }
  const { bodyBytes } = limits;
  const changed = { ...snapshot, headers: { ...snapshot.headers } };
  if (statusCode !== undefined) changed.statusCode = checkedStatus(statusCode, call);
  if (headers !== undefined) {
    if (typeof headers !== 'object' || headers === null) {
      throw invalidHookResult(call, 'headers that are not an object');
    }
    Object.assign(changed.headers, checkedHeaders({ ...headers }, call));
  }
  if (body === undefined) return changed;
  if (typeof body === 'string') {
    const [mediaType] = (changed.headers['content-type'] ?? 'text/html').split(';');
    changed.headers['content-type'] = `${mediaType ?? ''}; charset=utf-8`;
    changed.body = new TextEncoder().encode(body);
  } else if (body instanceof Uint8Array) {
    changed.body = body;
  } else {
    throw invalidHookResult(call, 'a body that is neither text nor bytes');
  }
  if (changed.body.length > bodyBytes) {
    throw invalidHookResult(call, `a body of more than limits.bodyBytes (${bodyBytes})`);
  }
  return changed;
}

function checkedStatus(statusCode: unknown, call: HookCall): number {
  const isStatus = Number.isInteger(statusCode) && Number(statusCode) >= 100;
  if (isStatus && Number(statusCode) <= 599) return Number(statusCode);
  throw invalidHookResult(call, `the status ${preview(statusCode)}`);
}
