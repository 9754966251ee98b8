/** Reads the JSON in the answer of a model. */

/** A valid number of tokens; undefined for anything else. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

// Finds the JSON in a model's answer.

/** The value, or the reason why it could not be read. */
export type ParsedAnswer = { readonly value: unknown } | { readonly problem: string };

/**
 * Reads one JSON value: the whole answer, the content of a code fence, or the only object in prose.
 * `__proto__` is not accepted as a key.
 */
export function parseAnswer(text: string): ParsedAnswer {
  const trimmed = text.replace(/^[\s\ufeff]+|\s+$/g, '');
  if (trimmed === '') return { problem: 'the answer is empty' };
  const whole = parsedJson(trimmed);
  if (whole !== undefined) return whole;
  const fenced = inCodeFence(trimmed);
  const inFence = fenced === undefined ? undefined : parsedJson(fenced);
  if (inFence !== undefined) return inFence;
  const first = trimmed.search(/[{[]/);
  if (first < 0) return { problem: 'the answer has no JSON' };
  const last = Math.max(trimmed.lastIndexOf('}'), trimmed.lastIndexOf(']'));
  const inProse = last < first ? undefined : parsedJson(trimmed.slice(first, last + 1));
  // A list in a sentence is not an answer.
  if (inProse !== undefined && typeof inProse.value === 'object' && inProse.value !== null)
    return inProse;
  return { problem: 'the answer is no complete JSON, or has more than one JSON value' };
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text, (key, member: unknown) =>
      key === '__proto__' ? undefined : member,
    );
    return { value };
  } catch {
    return undefined;
  }
}

function inCodeFence(text: string): string | undefined {
  const start = text.indexOf('```');
  const end = text.lastIndexOf('```');
  if (start < 0 || end <= start) return undefined;
  return text.slice(start + 3, end).replace(/^[a-z]{0,10}\s/i, '');
}
