/** How a text begins when it is markup: what stands before the first element, and that element. */

/** The beginning of a document. */
export interface MarkupStart {
  /** True for `<?xml …`. */
  readonly hasXmlDeclaration: boolean;
  /** What follows `<!doctype`, in lower case: `html public …`. */
  readonly doctype: string | undefined;
  /** Name of the first element as written, when it comes before any text. */
  readonly root: string | undefined;
}

/** Reads a text that starts without white space. Steps instead of one regular expression: comments may be many. */
export function readMarkupStart(text: string): MarkupStart {
  const hasXmlDeclaration = /^<\?xml\s/.test(text);
  let doctype: string | undefined;
  let at = 0;
  for (let end = at; end >= 0; at = end) {
    while (/\s/.test(text.charAt(at))) at += 1;
    if (text.startsWith('<!--', at)) end = after(text, '-->', at + 4);
    else if (text.startsWith('<?', at)) end = after(text, '>', at);
    else if (/^<!doctype\s/i.test(text.slice(at, at + 10))) {
      end = endOfDoctype(text, at);
      doctype = text
        .slice(at + 10, end)
        .trim()
        .toLowerCase();
    } else {
      const [, root] = /^<([a-z_][\w:.-]*)/i.exec(text.slice(at, at + 100)) ?? [];
      return { hasXmlDeclaration, doctype, root };
    }
  }
  return { hasXmlDeclaration, doctype, root: undefined };
}

/** The end of a doctype, over its internal subset. */
function endOfDoctype(text: string, from: number): number {
  const close = text.indexOf('>', from);
  const subset = text.indexOf('[', from);
  return subset >= 0 && subset < close ? after(text, ']>', subset) : after(text, '>', from);
}

/** The position after the next `mark`, or −1. */
function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? -1 : found + mark.length;
}
