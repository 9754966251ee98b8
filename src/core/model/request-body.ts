/** The method and the body of a request. */
import { readBy } from '../checks/option.ts';
import { sha256Of } from '../runtime/identifiers.ts';

/** The methods besides GET. HEAD and OPTIONS are none of them: they give no page. */
export const sentMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A method besides GET. */
export type SentMethod = (typeof sentMethods)[number];

type FormValue = string | number | boolean | undefined;

/** A body as callers write it. */
export type BodyInput =
  | string
  | Uint8Array
  | URLSearchParams
  | { readonly json: unknown }
  | { readonly form: Readonly<Record<string, FormValue | readonly FormValue[]>> };

/** A checked body. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  /** The Content-Type, where the caller's headers have none. */
  readonly contentType: string | undefined;
  /** Equal for equal bodies. */
  readonly digest: string;
}

const mostBytes = 10 * 1024 * 1024;

/** The check of a body; messages do not repeat what is in it. */
export const bodySchema = readBy<RequestBody, BodyInput>(checkedBody);

function checkedBody(given: unknown): RequestBody {
  const [content, contentType] = encoded(given);
  // A copy: the caller may change its bytes before the last page of a job is requested.
  const bytes =
    typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
  if (bytes.length > mostBytes) {
    throw new RangeError(`it has ${bytes.length} bytes; at most ${mostBytes} are sent`);
  }
  return { bytes, contentType, digest: sha256Of(`${contentType} ${sha256Of(bytes)}`) };
}

/** Types as of `fetch`. */
function encoded(given: unknown): readonly [content: string | Uint8Array, type?: string] {
  if (typeof given === 'string') return [given, 'text/plain;charset=UTF-8'];
  if (given instanceof Uint8Array) return [given];
  if (given instanceof URLSearchParams) return [given.toString(), formType];
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const [[kind, value] = [], ...others] = entries as [string, unknown][];
  if (others.length === 0 && kind === 'json') {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) throw new TypeError('json: JSON cannot hold this value');
    return [text, 'application/json'];
  }
  if (others.length === 0 && kind === 'form') return [formOf(value), formType];
  throw new TypeError('expected text, a Uint8Array, URLSearchParams, { json } or { form }');
}

/** The type of a form. */
export const formType = 'application/x-www-form-urlencoded;charset=UTF-8';

function formOf(fields: unknown): string {
  if (typeof fields !== 'object' || fields === null || Symbol.iterator in fields) {
    throw new TypeError('form: expected an object of fields');
  }
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value as unknown]) {
      if (one === undefined) continue;
      if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean') {
        throw new TypeError(
          `form.${name.slice(0, 60)}: expected text, a number, true, false or a list of them`,
        );
      }
      pairs.append(name, String(one));
    }
  }
  return pairs.toString();
}
