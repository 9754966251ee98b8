/**
 * html5lib's cases of tree construction (fixtures/html-parsing). Our parser is deliberately smaller
 * than the standard's: no case may throw or grow, and the text has to be the standard's nearly always.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type DomNode, isElement, isText } from '../../src/html/dom.ts';
import { parseHtml } from '../../src/html/parse.ts';

interface Case {
  readonly file: string;
  readonly source: string;
  /** Text nodes in document order, those of scripts, styles, templates and foreign parts left out. */
  readonly text: string;
  /** Names of the elements in document order. */
  readonly elements: string;
}

/** Elements whose content is no text of the page. */
const opaque = new Set([
  'script',
  'style',
  'template',
  'title',
  'textarea',
  'noscript',
  'noframes',
  'iframe',
  'noembed',
  'xmp',
  'plaintext',
]);

const folder = new URL('../../fixtures/html-parsing/', import.meta.url);
const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.dat'))
  .sort()
  .flatMap((name) => readCases(name, readFileSync(new URL(name, folder), 'utf8')));

function readCases(file: string, content: string): Case[] {
  return content.split(/^#data\n/m).flatMap((block) => {
    const [, source, rest] = /^([^]*?)\n#errors\n([^]*)$/.exec(block) ?? [];
    const tree = rest?.split(/^#document\n/m)[1];
    if (source === undefined || tree === undefined || block.includes('#document-fragment'))
      return [];
    return [{ file, source, ...readTree(tree) }];
  });
}

function readTree(tree: string): { text: string; elements: string } {
  let text = '';
  const elements: string[] = [];
  /** The depth of the opaque element that is open. */
  let hidden = Infinity;
  let open = false;
  for (const line of tree.split('\n')) {
    const [, indent = '', node] = /^\| ( *)(.*)$/s.exec(line) ?? [];
    if (node === undefined) {
      // A text may have line ends in it.
      if (open) text += `\n${line.replace(/"$/, '')}`;
      open &&= !line.endsWith('"');
      continue;
    }
    open = false;
    if (indent.length <= hidden) hidden = Infinity;
    const name = /^<(?:(?:svg|math) )?([^\s>!?][^>]*)>$/.exec(node)?.[1];
    if (name !== undefined) {
      elements.push(name.toLowerCase());
      if (opaque.has(name) && hidden === Infinity) hidden = indent.length;
    } else if (node.startsWith('"') && hidden === Infinity) {
      text += node.slice(1).replace(/"$/, '');
      open = node.length === 1 || !node.endsWith('"');
    }
  }
  return { text, elements: elements.join(' ') };
}

/** Walks without recursion, as everything that walks a page has to. */
function ourTree(source: string): { text: string; elements: string; nodes: number } {
  const document = parseHtml(source, { nodes: 100_000, depth: 500 });
  let text = '';
  let nodes = 0;
  const elements: string[] = [];
  const stack: DomNode[] = [document.documentElement];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    nodes++;
    if (isElement(node)) {
      elements.push(node.localName);
      if (opaque.has(node.localName)) continue;
      for (let child = node.lastChild; child !== null; child = child.previousSibling)
        stack.push(child);
    } else if (isText(node)) text += node.data;
  }
  return { text, elements: elements.join(' '), nodes };
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');

describe('html5lib tree construction', () => {
  test('there are as many cases as ever', () => {
    expect(cases.length).toBeGreaterThan(1_200);
  });

  test('no case throws, and each gives html, head and body within the size of its source', () => {
    for (const { source } of cases) {
      const { elements, nodes } = ourTree(source);
      expect(elements.startsWith('html head')).toBe(true);
      expect(elements).toContain('body');
      expect(nodes).toBeLessThanOrEqual(source.length + 10);
    }
  });

  const share = (isSame: (one: Case) => boolean): number =>
    cases.filter(isSame).length / cases.length;

  // What differs: script in script, NUL, CDATA in SVG, plaintext in a select.
  test('the text is that of the standard in 93 of 100 cases', () => {
    const same = share(({ source, text }) => squeezed(ourTree(source).text) === squeezed(text));
    expect(same).toBeGreaterThanOrEqual(0.93);
  });

  // What differs: foster parents, the adoption agency, tbody and colgroup that are implied.
  test('the elements are those of the standard in 70 of 100 cases', () => {
    const same = share(({ source, elements }) => ourTree(source).elements === elements);
    expect(same).toBeGreaterThanOrEqual(0.7);
  });
});

test('a paragraph ends a drawing that nobody closed, but not what is written in the drawing', () => {
  const open = parseHtml('<svg><g><path><p>The page.</p>', { nodes: 100, depth: 500 });
  expect(open.body.lastChild?.textContent).toBe('The page.');
  expect(open.querySelector('svg p')).toBeNull();
  const inside = parseHtml('<svg><foreignObject><p>A label.</p></foreignObject></svg>', {
    nodes: 100,
    depth: 500,
  });
  expect(inside.querySelector('svg p')?.textContent).toBe('A label.');
});
