/** Decodes percent-encoded text without throwing. */

/** Returns malformed text unchanged. */
export function decodePercent(text: string): string {
  return tryDecodePercent(text) ?? text;
}

/** Undefined when the text is malformed. */
export function tryDecodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
