/** Decodes percent-encoded text without throwing. */

/** The text as it is when it is malformed. */
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
