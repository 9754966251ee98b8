/** Constraints that a provider does not take as keywords, as words that a model reads. */

const words: Readonly<Record<string, string>> = {
  minLength: 'at least this many characters',
  maxLength: 'at most this many characters',
  pattern: 'pattern',
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
  minItems: 'at least this many items',
  maxItems: 'at most this many items',
};

/** Such as `(at least: 0; at most this many characters: 20)`; empty where there is nothing to say. */
export function constraintNote(
  schema: Readonly<Record<string, unknown>>,
  knownFormats: ReadonlySet<string>,
): string {
  const notes = Object.entries(words).flatMap(([keyword, text]) => {
    const value = schema[keyword];
    // A format that is known says it shorter.
    if (keyword === 'pattern' && schema['format'] !== undefined) return [];
    if (typeof value === 'string') return [`${text}: ${value.slice(0, 200)}`];
    // Schema libraries write the bounds of safe integers, which say nothing.
    const isNumber = typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return isNumber ? [`${text}: ${value}`] : [];
  });
  const { format } = schema;
  if (typeof format === 'string' && !knownFormats.has(format)) notes.push(`format: ${format}`);
  return notes.length === 0 ? '' : `(${notes.join('; ')})`;
}
