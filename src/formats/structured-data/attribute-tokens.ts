/** An attribute that holds several names. */

/** The words of the value, each once, in order; none for an absent attribute. */
export function attributeTokens(value: string | null): string[] {
  return [...new Set((value ?? '').split(/\s+/).filter((token) => token !== ''))];
}
