/** Whether what a file says is a part of a recording: files get damaged, and edited by hand. */
import type { Capability } from '../model/request.ts';
import { DamagedFile } from '../warc/damaged-file.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { RecordedEngine } from './recording-format.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An exchange; throws when it is none. `where` is for the message. */
export function checkExchange(value: unknown, where: string): RecordedExchange {
  const { request, response, failure, started } = fields(value);
  const isWhole =
    isRequest(fields(request)) &&
    (response === undefined ? isFailure(fields(failure)) : isResponse(fields(response))) &&
    isOptionalNumber(started);
  if (!isWhole) throw new DamagedFile(`has no exchange in ${where}`);
  return value as RecordedExchange;
}

/** An engine; throws when it is none. */
export function checkEngine(value: unknown, where: string): RecordedEngine {
  const { name, can, cost, isForSome } = fields(value);
  const isEngine =
    typeof name === 'string' &&
    isStrings(can) &&
    typeof cost === 'number' &&
    typeof isForSome === 'boolean';
  if (!isEngine) throw new DamagedFile(`has no engine in ${where}`);
  return { name, can: can as Capability[], cost, isForSome };
}

function isRequest({ engine, url, headers, rendering }: Fields): boolean {
  return typeof engine === 'string' && isUrl(url) && isRecord(headers) && isObject(rendering);
}

function isResponse(response: Fields): boolean {
  const { url, statusCode, headers, redirects, warnings, requests, bytes, engine } = response;
  return (
    isUrl(url) &&
    [statusCode, requests, bytes].every((number) => Number.isInteger(number)) &&
    isRecord(headers) &&
    [redirects, warnings].every(isStrings) &&
    typeof engine === 'string' &&
    isBytes(response['body']) &&
    areCaptures(response['captures'])
  );
}

function isBytes(body: unknown): boolean {
  const { base64, deflate } = fields(body);
  return [body, base64, deflate].some((packed) => typeof packed === 'string');
}

function areCaptures(captures: unknown): boolean {
  if (captures === undefined) return true;
  const { screenshot, actions } = fields(captures);
  const isPicture = (picture: unknown): boolean => typeof fields(picture)['base64'] === 'string';
  const { screenshots, pdfs } = fields(actions);
  return (
    (screenshot === undefined || isPicture(screenshot)) &&
    (actions === undefined ||
      [screenshots, pdfs].every((list) => Array.isArray(list) && list.every(isPicture)))
  );
}

function isFailure({ name, message, own }: Fields): boolean {
  const isOwn = own === undefined || typeof fields(own)['code'] === 'string';
  return typeof name === 'string' && typeof message === 'string' && isOwn;
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): boolean {
  return isObject(value) && isStrings(Object.values(value));
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && canParseUrl(value);
}

function isOptionalNumber(value: unknown): boolean {
  return value === undefined || typeof value === 'number';
}
