/** Runs in a page: its HTML, where nothing is to be flattened. */

/** `html` is empty when it is longer than was allowed; `length` tells how long. */
export interface PlainPage {
  readonly html: string;
  readonly length: number;
  /** Elements, texts and comments outside of shadow roots. */
  readonly nodes: number;
}

/**
 * Reads through the getters of the prototypes: names in the page, as `<img name=documentElement>`,
 * cover properties of the document in every world.
 */
export function readPlainPage(maxCharacters: number): PlainPage {
  const of = <T>(prototype: object, name: string, target: object): T =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(target) as T;
  const root = of<Element | null>(Document.prototype, 'documentElement', document);
  if (root === null) return { html: '', length: 0, nodes: 0 };
  const type = of<DocumentType | null>(Document.prototype, 'doctype', document);
  let head = '';
  if (type !== null) {
    const { name, publicId, systemId } = type;
    head = `<!DOCTYPE ${name}`;
    if (publicId !== '') head += ` PUBLIC "${publicId}"`;
    else if (systemId !== '') head += ' SYSTEM';
    if (systemId !== '') head += ` "${systemId}"`;
    head += '>';
  }
  const html = head + of<string>(Element.prototype, 'outerHTML', root);
  const { numberValue } = Document.prototype.evaluate.call(
    document,
    'count(/*/descendant-or-self::node())',
    document,
    null,
    XPathResult.NUMBER_TYPE,
  );
  return {
    html: html.length > maxCharacters ? '' : html,
    length: html.length,
    nodes: numberValue,
  };
}
