/** Serializes texts, attributes and trees as HTML, by the rules of the HTML standard (section 13.3). */
import { type DomNode, isElement, isText, NodeType, visitBelow } from './dom.ts';

/** The HTML of a node with its own tags. */
export function serializeNode(node: DomNode): string {
  const out: string[] = [];
  write(node, out);
  return out.join('');
}

/** The HTML between the node's tags. */
export function serializeChildren(parent: DomNode): string {
  const out: string[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) write(node, out);
  return out.join('');
}

const voidElements = new Set(
  'area base basefont bgsound br col embed frame hr img input link meta param source track wbr'.split(
    ' ',
  ),
);

/** Elements whose text is not escaped. */
const rawText = new Set('style script xmp iframe noembed noframes plaintext'.split(' '));

/** Not recursive: a changed tree may be deeper than the parser allows. */
function write(root: DomNode, out: string[]): void {
  open(root, out);
  visitBelow(
    root,
    (node) => open(node, out),
    (node) => close(node, out),
  );
  close(root, out);
}

function open(node: DomNode, out: string[]): true {
  if (isText(node)) {
    const raw = node.parentElement !== null && rawText.has(node.parentElement.localName);
    out.push(raw ? node.data : escapeText(node.data));
  } else if (node.nodeType === NodeType.comment) {
    out.push('<!--', node.textContent ?? '', '-->');
  } else if (isElement(node)) {
    out.push('<', node.localName);
    for (const { name, value } of node.attributes) {
      out.push(' ', name, '="', escapeAttribute(value), '"');
    }
    out.push('>');
  }
  return true;
}

function close(node: DomNode, out: string[]): void {
  if (isElement(node) && !voidElements.has(node.localName)) {
    out.push('</', node.localName, '>');
  }
}

// Text as HTML has it (HTML Standard, 13.3: escaping a string).

/** Escapes text between tags. */
export function escapeText(text: string): string {
  return /[&<>\u00a0]/.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('\u00a0', '&nbsp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
    : text;
}

/** Escapes text in double quotes. */
export function escapeAttribute(value: string): string {
  return /[&"\u00a0]/.test(value)
    ? value.replaceAll('&', '&amp;').replaceAll('\u00a0', '&nbsp;').replaceAll('"', '&quot;')
    : value;
}
