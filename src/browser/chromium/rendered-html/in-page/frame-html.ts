/** Functions that run in a frame: they read its HTML as displayed, and count its nodes. */
import type { AnswerOf } from '../../../actions/isolated-world.ts';

/** Options of the function. */
export interface FlattenOptions {
  readonly maxCharacters: number;
  readonly maxNodes: number;
  readonly maxShadowRoots: number;
  /** The document is inserted into another one: only its body counts, with absolute URLs. */
  readonly isInner: boolean;
  /** How many of the given nodes, from the first, are frame elements. */
  readonly frames: number;
}

/** The result of the function. */
export interface FlatDocument {
  /** The HTML, split at frames. Empty when a limit was met. */
  readonly parts: readonly string[];
  /** The frames in the order of the splits, as indexes of the given ones. */
  readonly frames: readonly number[];
  readonly length: number;
  readonly limit?: 'characters' | 'nodes';
  /** Shadow roots beyond the limit are written as their light content. */
  readonly isCut: boolean;
}

/**
 * `given` are frame elements to split at, then nodes of closed shadow roots. Most of a page is
 * serialized by the browser itself: only elements on the way to a shadow root, a slot or a frame
 * are written here, without recursion over the depth of the page.
 */
export function flattenDocument(options: FlattenOptions, ...given: Node[]): FlatDocument {
  const getter = (prototype: object, name: string): (() => unknown) | undefined =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get;
  // A form's inputs shadow its properties by their names, in every world.
  const getters = {
    childNodes: getter(Node.prototype, 'childNodes'),
    parentNode: getter(Node.prototype, 'parentNode'),
    nodeType: getter(Node.prototype, 'nodeType'),
    outerHTML: getter(Element.prototype, 'outerHTML'),
    attributes: getter(Element.prototype, 'attributes'),
    shadowRoot: getter(Element.prototype, 'shadowRoot'),
    localName: getter(Element.prototype, 'localName'),
    tagName: getter(Element.prototype, 'tagName'),
    namespaceURI: getter(Element.prototype, 'namespaceURI'),
    documentElement: getter(Document.prototype, 'documentElement'),
    doctype: getter(Document.prototype, 'doctype'),
    body: getter(Document.prototype, 'body'),
    baseURI: getter(Node.prototype, 'baseURI'),
  };
  const read = <T>(node: Node, name: keyof typeof getters): T => getters[name]?.call(node) as T;
  const rootOf = (node: Node): Node => Node.prototype.getRootNode.call(node);
  // Not by instanceof: nodes seen by an observer of the outer page have the classes of its window.
  const isElement = (node: Node): node is Element => read(node, 'nodeType') === Node.ELEMENT_NODE;
  const isShadowRoot = (node: Node): node is ShadowRoot =>
    read(node, 'nodeType') === Node.DOCUMENT_FRAGMENT_NODE && 'host' in node;
  const isHtmlElement = (node: Node, name: string): node is HTMLElement =>
    isElement(node) &&
    read(node, 'localName') === name &&
    read(node, 'namespaceURI') === htmlNamespace;
  const attributeOf = (element: Element, name: string): string =>
    Element.prototype.getAttribute.call(element, name) ?? '';

  const voids = new Set(
    'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
      ' ',
    ),
  );
  const rawTexts = new Set(
    'style script xmp iframe noembed noframes plaintext noscript'.split(' '),
  );
  const sometimesLeftOut = new Set(['style', 'link', 'meta', 'base']);
  const urlAttributes = 'href src action formaction poster data cite background longdesc'.split(
    ' ',
  );
  const linked = [...urlAttributes, 'srcset', 'imagesrcset'].map((name) => `[${name}]`).join(',');
  const htmlNamespace = 'http://www.w3.org/1999/xhtml';

  const frameIndexes = new Map<Node, number>();
  const closedRoots = new Map<Node, ShadowRoot>();
  given.forEach((node, index) => {
    if (index < options.frames) return void frameIndexes.set(node, index);
    const root = rootOf(node);
    if (isShadowRoot(root)) closedRoots.set(root.host, root);
  });

  let isCut = false;
  const roots = new Map<Node, ShadowRoot>();
  /**
   * Elements that are written here, because a node below them differs from the browser's
   * serialization.
   */
  const open = new Set<Node>();
  const markAncestors = (from: Node): void => {
    for (let node: Node | null = from; node !== null && !open.has(node);) {
      open.add(node);
      node = read<Node | null>(node, 'parentNode');
    }
  };
  const scopes: (Document | ShadowRoot)[] = [document];
  for (let scope = scopes.pop(); scope !== undefined; scope = scopes.pop()) {
    const isShadow = isShadowRoot(scope);
    const { prototype } = isShadow ? DocumentFragment : Document;
    for (const element of Reflect.get(prototype, 'querySelectorAll').call(scope, '*')) {
      const root = closedRoots.get(element) ?? read<ShadowRoot | null>(element, 'shadowRoot');
      if (root !== null && roots.size >= options.maxShadowRoots) isCut = true;
      else if (root !== null) {
        roots.set(element, root);
        scopes.push(root);
        markAncestors(element);
      }
      const isSpecial =
        frameIndexes.has(element) ||
        (isShadow && isHtmlElement(element, 'slot')) ||
        ((isShadow || options.isInner) && isLeftOut(element)) ||
        (options.isInner && Element.prototype.matches.call(element, linked));
      if (isSpecial) markAncestors(element);
    }
  }

  const pieces: string[] = [];
  const parts: string[] = [];
  const cuts: number[] = [];
  let length = 0;
  let visited = 0;
  const write = (text: string): void => {
    length += text.length;
    pieces.push(text);
  };
  const base = read<string>(document, 'baseURI');

  const start = startNodes();
  const stack: { nodes: ArrayLike<Node>; next: number; end: string; isShadow: boolean }[] = [
    { nodes: start, next: 0, end: '', isShadow: false },
  ];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const node = level.nodes[level.next];
    level.next += 1;
    if (node === undefined) {
      write(level.end);
      stack.pop();
      continue;
    }
    visited += 1;
    if (length > options.maxCharacters) return stopped('characters');
    if (visited > options.maxNodes) return stopped('nodes');
    if (!isElement(node)) writeLeaf(node);
    else if (frameIndexes.has(node)) cutAt(node);
    else if (!open.has(node)) write(read<string>(node, 'outerHTML'));
    else enter(node, level.isShadow);
  }
  if (length > options.maxCharacters) return stopped('characters');
  parts.push(pieces.join(''));
  return { parts, frames: cuts, length, isCut };

  function stopped(limit: 'characters' | 'nodes'): FlatDocument {
    return { parts: [], frames: [], length, limit, isCut };
  }

  function startNodes(): ArrayLike<Node> {
    if (!options.isInner) {
      const type = read<Node | null>(document, 'doctype');
      const root = read<Node | null>(document, 'documentElement');
      return [type, root].filter((node) => node !== null);
    }
    const body = read<Element | null>(document, 'body');
    return body === null ? [] : childrenOf(body);
  }

  /** The rendered children of an element: its shadow root replaces its own children. */
  function childrenOf(element: Element): ArrayLike<Node> {
    return read<NodeListOf<ChildNode>>(roots.get(element) ?? element, 'childNodes');
  }

  function enter(element: Element, isShadow: boolean): void {
    if ((isShadow || options.isInner) && isLeftOut(element)) return;
    const root = roots.get(element);
    if (isHtmlElement(element, 'slot') && isShadowRoot(rootOf(element))) {
      const assigned = HTMLSlotElement.prototype.assignedNodes.call(element);
      // Slotted nodes belong to the tree around, whose styles are the page's own.
      const nodes = assigned.length > 0 ? assigned : childrenOf(element);
      const [first] = [nodes[0]];
      const isInShadow = first !== undefined && isShadowRoot(rootOf(first));
      return void stack.push({ nodes, next: 0, end: '', isShadow: isInShadow });
    }
    const isHtml = read<string | null>(element, 'namespaceURI') === htmlNamespace;
    const name = read<string>(element, isHtml ? 'localName' : 'tagName');
    write(`<${name}`);
    for (const { name: key, value } of read<NamedNodeMap>(element, 'attributes')) {
      write(` ${key}="${escapeValue(options.isInner ? absolute(key, value, isHtml) : value)}"`);
    }
    write('>');
    if (isHtml && voids.has(name)) return;
    const isInShadow = root !== undefined || isShadow;
    stack.push({ nodes: childrenOf(element), next: 0, end: `</${name}>`, isShadow: isInShadow });
  }

  function cutAt(frame: Element): void {
    const { width, height } = Element.prototype.getBoundingClientRect.call(frame);
    const isVisible = Element.prototype.checkVisibility.call(frame, { visibilityProperty: true });
    if (!isVisible || width < 2 || height < 2) return write(read<string>(frame, 'outerHTML'));
    parts.push(pieces.splice(0).join(''));
    cuts.push(frameIndexes.get(frame) ?? 0);
  }

  function writeLeaf(node: Node): void {
    const type = read<number>(node, 'nodeType');
    if (type === Node.DOCUMENT_TYPE_NODE) {
      const { name, publicId, systemId } = node as DocumentType;
      write(`<!DOCTYPE ${name}`);
      if (publicId !== '') write(` PUBLIC "${publicId}"`);
      else if (systemId !== '') write(' SYSTEM');
      if (systemId !== '') write(` "${systemId}"`);
      write('>');
    } else if (type === Node.COMMENT_NODE) write(`<!--${(node as Comment).data}-->`);
    else if (type === Node.TEXT_NODE || type === Node.CDATA_SECTION_NODE) {
      const { data } = node as Text;
      const parent = read<Node | null>(node, 'parentNode');
      const name = parent !== null && isElement(parent) ? read<string>(parent, 'localName') : '';
      const isRaw = parent !== null && rawTexts.has(name) && isHtmlElement(parent, name);
      write(isRaw ? data : escapeText(data));
    }
  }

  function escapeText(text: string): string {
    return text
      .replaceAll('&', '&amp;')
      .replaceAll('\u00a0', '&nbsp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
  }

  function escapeValue(text: string): string {
    return escapeText(text).replaceAll('"', '&quot;');
  }

  /** Style rules of a shadow root or a frame do not apply outside of it; `base` would affect the whole page. */
  function isLeftOut(element: Element): boolean {
    const name = read<string>(element, 'localName');
    if (!sometimesLeftOut.has(name) || !isHtmlElement(element, name)) return false;
    if (name === 'style') return true;
    if (name === 'link') return /\bstylesheet\b/i.test(attributeOf(element, 'rel'));
    if (!options.isInner) return false;
    return name === 'base' || attributeOf(element, 'http-equiv') !== '';
  }

  function absolute(key: string, value: string, isHtml: boolean): string {
    if (key === 'srcset' || key === 'imagesrcset') {
      return value.replace(
        /([,\s]*)(\S*[^,\s])([^,]*)/g,
        (_, before: string, url: string, after: string) => before + resolved(url) + after,
      );
    }
    if (!urlAttributes.includes(key) && key !== 'xlink:href') return value;
    // In a drawing, `#name` is a part of the same drawing.
    return !isHtml && value.startsWith('#') ? value : resolved(value);
  }

  function resolved(url: string): string {
    if (/^\s*[a-z][a-z0-9+.-]*:/i.test(url)) return url;
    try {
      return new URL(url, base).href;
    } catch {
      return url;
    }
  }
}

// Runs in a frame: counts the nodes of its document and its shadow roots.

/**
 * Elements, texts and comments of the document, at most `maxNodes`; `given` are in closed roots.
 */
export function countNodes(maxNodes: number, ...given: Node[]): number {
  const shadowOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get;
  const scopes: Node[] = [];
  const element = Reflect.get(Document.prototype, 'documentElement', document) as Element | null;
  if (element !== null) scopes.push(element);
  const closed = new Set(given.map((node) => Node.prototype.getRootNode.call(node)));
  // Not by instanceof, as in `flattenDocument`.
  const typeOf = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeType')?.get;
  const isOfType = (node: Node, type: number): boolean => typeOf?.call(node) === type;
  for (const scope of closed) {
    if (isOfType(scope, Node.DOCUMENT_FRAGMENT_NODE) && 'host' in scope) scopes.push(scope);
  }
  const kinds = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT;
  let count = 0;
  for (let scope = scopes.pop(); scope !== undefined; scope = scopes.pop()) {
    const walker = Document.prototype.createTreeWalker.call(document, scope, kinds);
    // A shadow root is not a node of these kinds; the walk begins below it.
    const isRoot = isOfType(scope, Node.ELEMENT_NODE);
    let node = isRoot ? walker.currentNode : walker.nextNode();
    for (; node !== null && count < maxNodes; node = walker.nextNode()) {
      count += 1;
      const isElement = isOfType(node, Node.ELEMENT_NODE);
      const shadow = isElement ? (shadowOf?.call(node) as ShadowRoot | null) : null;
      if (shadow !== null && !closed.has(shadow)) scopes.push(shadow);
    }
  }
  return count;
}

// Runs in a page: reads its HTML if there is nothing to flatten.

/** `html` is empty if it is longer than allowed; `length` is its length. */
export type PlainPage = AnswerOf<typeof plainSample>;

export const plainSample = {
  html: '',
  length: 0,
  /** Elements, texts and comments outside of shadow roots. */
  nodes: 0,
};

/**
 * Reads through the getters of the prototypes: names in the page, such as
 * `<img name=documentElement>`, shadow properties of the document in every world.
 */
export function readPlainPage(maxCharacters: number): PlainPage {
  const root = Reflect.get(Document.prototype, 'documentElement', document) as Element | null;
  if (root === null) return { html: '', length: 0, nodes: 0 };
  const type = Reflect.get(Document.prototype, 'doctype', document);
  let head = '';
  if (type !== null) {
    const { name, publicId, systemId } = type;
    head = `<!DOCTYPE ${name}`;
    if (publicId !== '') head += ` PUBLIC "${publicId}"`;
    else if (systemId !== '') head += ' SYSTEM';
    if (systemId !== '') head += ` "${systemId}"`;
    head += '>';
  }
  const html = head + Reflect.get(Element.prototype, 'outerHTML', root);
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
