/** Text that a terminal shows and does not obey. */

/** Control characters come from pages, and a terminal would obey them. Line ends and tabs stay. */
export function withoutControls(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '\ufffd');
}
