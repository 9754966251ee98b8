/** Runs in a frame: how many nodes its document and its shadow roots have. */

/** Elements, texts and comments of the document, at most `maxNodes`; `given` are in closed roots. */
export function countNodes(maxNodes: number, ...given: Node[]): number {
  const shadowOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get;
  const scopes: Node[] = [];
  const root = Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement')?.get;
  const element = root?.call(document) as Element | null;
  if (element !== null) scopes.push(element);
  const closed = new Set(given.map((node) => Node.prototype.getRootNode.call(node)));
  for (const scope of closed) if (scope instanceof ShadowRoot) scopes.push(scope);
  const kinds = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT;
  let count = 0;
  for (let scope = scopes.pop(); scope !== undefined; scope = scopes.pop()) {
    const walker = Document.prototype.createTreeWalker.call(document, scope, kinds);
    // A shadow root is no node of these kinds; the walk begins below it.
    let node = scope instanceof Element ? walker.currentNode : walker.nextNode();
    for (; node !== null && count < maxNodes; node = walker.nextNode()) {
      count += 1;
      const shadow = node instanceof Element ? (shadowOf?.call(node) as ShadowRoot | null) : null;
      if (shadow !== null && !closed.has(shadow)) scopes.push(shadow);
    }
  }
  return count;
}
