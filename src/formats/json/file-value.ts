/** The value of a page that is data itself: JSON as it says, XML by its names. */
import { readXml } from '../../html/read-xml.ts';
import type { XmlElement } from '../../html/xml-tree.ts';
import type { Page } from '../../model/page.ts';

/** A file that is data. */
export interface FileValue {
  readonly value: unknown;
}

/** Elements, attributes and texts of an XML file that are read. */
const mostNodes = 1_000_000;

/** Undefined for other pages, and for what does not parse. */
export function fileValue({ kind, mediaType, source }: Page): FileValue | undefined {
  // Feeds and drawings are pages.
  if (kind !== 'text') return undefined;
  try {
    if (/^(?:application|text)\/json$|\+json$/.test(mediaType))
      return { value: JSON.parse(source) };
    if (!/^(?:application|text)\/xml$|\+xml$/.test(mediaType)) return undefined;
    const { root } = readXml(source, { nodes: mostNodes });
    return root === undefined ? undefined : { value: valueOf(root) };
  } catch {
    return undefined;
  }
}

/**
 * A text where an element has nothing else; else an object of its attributes (`@id`), its elements,
 * repeated ones as lists, and the text beside them (`#text`).
 */
function valueOf({ attributes, children }: XmlElement): unknown {
  const entries = new Map<string, unknown>();
  const repeated = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith('xmlns')) entries.set(`@${name}`, value);
  }
  const texts: string[] = [];
  for (const child of children) {
    if (typeof child === 'string') {
      texts.push(child);
      continue;
    }
    const { name } = child;
    const value = valueOf(child);
    const list = repeated.get(name);
    if (list !== undefined) list.push(value);
    else if (entries.has(name)) {
      const both = [entries.get(name), value];
      repeated.set(name, both);
      entries.set(name, both);
    } else entries.set(name, value);
  }
  const text = texts.join('').trim();
  if (entries.size === 0) return text;
  if (text !== '') entries.set('#text', text);
  return Object.fromEntries(entries);
}
