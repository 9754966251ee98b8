/** Runs in a page: tells a small page whose script sets a cookie and loads the page again. */

/**
 * A challenge does that which comes with a good status. Only scripts in the page itself are looked at,
 * and a page with more text than a notice has is one to read.
 */
export function reloadsItself(): boolean {
  const mostText = 600;
  const read = <T>(prototype: object, name: string, target: object): T =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(target) as T;
  const scripts = read<HTMLCollectionOf<Element>>(Document.prototype, 'scripts', document);
  const source = (Array.prototype.slice.call(scripts, 0, 20) as Element[])
    .map((script) => read<string | null>(Node.prototype, 'textContent', script) ?? '')
    .join('\n')
    .slice(0, 50_000);
  const goesOn =
    /(?:^|[\s;{}(,>])(?:(?:window|document|self|top|parent)\.)?location\s*(?:=[^=]|\.\s*(?:(?:reload|replace|assign)\b|href\s*=[^=]))/;
  if (!/\bdocument\.cookie\s*=[^=]/.test(source) || !goesOn.test(source)) return false;
  const body = read<HTMLElement | null>(Document.prototype, 'body', document);
  return body === null || read<string>(HTMLElement.prototype, 'innerText', body).length <= mostText;
}
