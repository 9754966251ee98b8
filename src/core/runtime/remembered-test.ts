/** Cached regular expression tests of class names and ids: the pages of a site have the same names. */

/** Tests texts with a stateless pattern; results for short texts are cached. */
export function rememberedTest(pattern: RegExp): (text: string) => boolean {
  const answers = new Map<string, boolean>();
  return (text) => {
    if (text.length > longestRemembered) return pattern.test(text);
    let answer = answers.get(text);
    if (answer === undefined) {
      answer = pattern.test(text);
      if (answers.size === mostRemembered) answers.clear();
      answers.set(ownCopy(text), answer);
    }
    return answer;
  };
}

/** A copy that does not retain the page source, which V8 does for a slice of 13 characters or more. */
export function ownCopy(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}

const longestRemembered = 200; // characters
const mostRemembered = 2000;
