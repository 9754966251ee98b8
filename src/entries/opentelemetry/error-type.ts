/** The `error.type` of messages, in the words of the semantic conventions. */
import type { TracedMessage } from '../../core/telemetry/channels.ts';

/**
 * The `error.type` of a message at its end: the code of the error, the name of an error of the caller's code, or as
 * for HTTP clients a status of 400 or more. Undefined for a success.
 */
export function errorType({
  error,
  errorCode,
  statusCode = 0,
}: TracedMessage & { readonly statusCode?: number | undefined }): string | undefined {
  if (errorCode !== undefined) return errorCode;
  if (error !== undefined) return error instanceof Error ? error.name : '_OTHER';
  return statusCode >= 400 ? String(statusCode) : undefined;
}
