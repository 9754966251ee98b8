/** Answers of regular expressions about class names and ids: the pages of a site have the same names. */

/** Tests texts with a pattern that has no state; answers for short texts are remembered. */
export function rememberedTest(pattern: RegExp): (text: string) => boolean {
  const answers = new Map<string, boolean>();
  return (text) => {
    if (text.length > longestRemembered) return pattern.test(text);
    let answer = answers.get(text);
    if (answer === undefined) {
      answer = pattern.test(text);
      if (answers.size === mostRemembered) answers.clear();
      // A copy: a slice would keep the source of the page in memory.
      answers.set(Buffer.from(text, 'utf16le').toString('utf16le'), answer);
    }
    return answer;
  };
}

/** Characters. */
const longestRemembered = 200;

const mostRemembered = 2000;
