/** XML that is well formed, careless or hostile, as a tree. */
import { describe, expect, it } from 'vitest';
import {
  readXml,
  xmlChild,
  xmlChildren,
  type XmlElement,
  type XmlReading,
  xmlText,
} from '../../../src/content/html/xml.ts';

const read = (source: string, reading: Partial<XmlReading> = {}): XmlElement | undefined =>
  readXml(source, { nodes: 1_000_000, ...reading }).root;
const prefixes = new Map([['urn:known', 'k']]);

describe('readXml', () => {
  it('reads elements, attributes, texts, entities and CDATA', () => {
    const root = read(
      '<?xml version="1.0"?><!-- c --><a x="1&amp;2" y=\'3\'>t&lt;&#x41;<b/><![CDATA[<raw>&amp;]]></a>',
    );
    expect(root?.name).toBe('a');
    expect({ ...root?.attributes }).toEqual({ x: '1&2', y: '3' });
    expect(root?.children.map((node) => (typeof node === 'string' ? node : node.name))).toEqual([
      't<A',
      'b',
      '<raw>&amp;',
    ]);
  });

  it('goes on after bare ampersands, missing ends and ends without a start', () => {
    const root = read('<a><b>x & y &nbsp;</c></b><d>z</a>');
    expect(xmlText(xmlChild(root, 'b'))).toBe('x & y &nbsp;');
    expect(xmlText(xmlChild(root, 'd'))).toBe('z');
  });

  it('loses no more than one tag or comment to a missing end', () => {
    const root = read('<a><!-- <b>1</b><c d="x><e>2</e></c><f g="<">3</f><h>4</h></a>');
    expect(xmlText(xmlChild(root, 'b'))).toBe('1');
    expect(xmlText(xmlChild(root, 'c', 'e'))).toBe('2');
    expect(xmlText(xmlChild(root, 'h'))).toBe('4');
  });

  it('reads values without quotes, attributes without a value, numbers of windows-1252', () => {
    const root = read('<a b=1 c d="&#146;">&#x96;&#0;&AMP;</a>');
    expect({ ...root?.attributes }).toEqual({ b: '1', c: '', d: '’' });
    expect(xmlText(root)).toBe('–&#0;&');
  });

  it('says when the root was cut off, and nothing of what follows a whole one', () => {
    const reading = { nodes: 100 };
    expect(readXml('<a><b>x', reading).warning).toBe('The XML ends before its root element does.');
    expect(readXml('<a/><b/>', reading)).toMatchObject({ warning: undefined, root: { name: 'a' } });
    expect(readXml('<a></a>&x;<b>', reading).warning).toBeUndefined();
    expect(readXml('words', reading)).toEqual({ root: undefined, warning: undefined });
  });

  it('takes nothing of a document type for content, whatever stands in it', () => {
    const doctype =
      '<!DOCTYPE a [<!ENTITY x "<evil>&y;</evil>"><!ENTITY y SYSTEM "file:///etc/passwd">]>';
    const root = read(`${doctype}<a>&x;&y;</a>`);
    expect(root?.name).toBe('a');
    expect(xmlText(root)).toBe('&x;&y;');
    expect(read('<!DOCTYPE html PUBLIC "-//x" "y"><a>[</a>')?.name).toBe('a');
  });

  it('knows namespaces by their names, within the element that declares them', () => {
    const root = read(
      '<z:a xmlns:z="urn:known" z:at="1"><b xmlns="urn:known"><z:c xmlns:z="urn:other"/><d/></b><d/></z:a>',
      { prefixes },
    );
    expect(root?.name).toBe('k:a');
    expect(root?.attributes['k:at']).toBe('1');
    const inner = xmlChildren(xmlChild(root, 'k:b')).map(({ name }) => name);
    expect(inner).toEqual(['z:c', 'k:d']);
    expect(xmlChildren(root).map(({ name }) => name)).toEqual(['k:b', 'd']);
  });

  it('folds names and leaves out the prefix of the root where that is asked for', () => {
    const root = read('<S:Root><S:One/><t:Two/></S:Root>', { isFolded: true });
    expect([root?.name, ...xmlChildren(root).map(({ name }) => name)]).toEqual([
      'root',
      'one',
      't:two',
    ]);
  });

  it('has names of prototypes as names', () => {
    const root = read('<a __proto__="1" constructor="2" __proto__="3"/>');
    expect(root?.attributes['__proto__']).toBe('1');
    expect(root?.attributes['constructor']).toBe('2');
    expect(read('<a/>')?.attributes['toString']).toBeUndefined();
  });

  it('puts what is nested too deep side by side, or ends there', () => {
    const deep = `<a>${'<b>'.repeat(100_000)}x`;
    let depth = 0;
    for (let at = read(deep); at !== undefined; at = xmlChild(at, 'b')) depth += 1;
    expect(depth).toBeLessThan(300);
    const { warning } = readXml(deep, { nodes: 1_000_000, endsWhereDeep: true });
    expect(warning).toMatch(/nests its elements too deep/);
  });

  it.each([
    ['elements', '<b/>'.repeat(2_000)],
    ['texts', 'x<!-- -->'.repeat(10) + '<b/>x'.repeat(1_000)],
    ['attributes', `<b ${'c="d" '.repeat(2_000)}/>`],
  ])('refuses more %s than are allowed', (_, content) => {
    expect(() => read(`<a>${content}</a>`, { nodes: 1_000 })).toThrow(/more than 1000 elements/);
  });

  it.each([
    ['declarations', '<b xmlns:c="urn:known">'.repeat(5_000)],
    ['prefixes', Array.from({ length: 5_000 }, (_, at) => `<b xmlns:p${at}="urn:known">`).join('')],
    ['ends', '</b>'.repeat(100_000)],
    ['openers of comments', '<!--'.repeat(100_000)],
    ['document types', '<!DOCTYPE a ['.repeat(50_000)],
  ])('ends for a great many %s', (_, content) => {
    expect(read(`<a>${content}`, { prefixes })?.name).toBe('a');
  });
});
