/** Text as a fenced code block that nothing inside can end. */

/** ```` ```language ````; with a longer fence where the text has one. No text gives no block. */
export function fence(text: string, language: string): string {
  if (text.trim() === '') return '';
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${text.replace(/\r?\n$/, '')}\n${marks}`;
}
