/** Whether a value from outside is a document. */
import type { PlainDocument } from '../model/document.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** True for an object whose metadata has an absolute URL. */
export function isDocument(value: unknown): value is PlainDocument {
  if (!isObject(value) || !isObject(value['metadata'])) return false;
  const { url } = value['metadata'];
  return typeof url === 'string' && canParseUrl(url);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
