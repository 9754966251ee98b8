/** XMP packets and IPTC records: what photographers and agencies write into pictures. */
import { readXml } from '../../html/read-xml.ts';
import { trimmedXmlText, xmlChildren, type XmlElement } from '../../html/xml-tree.ts';
import { looseText, type PictureNotes } from './picture.ts';

/** Characters of a packet; most of a large one is the history of an editing program. */
const packetLimit = 500_000;
const nodeLimit = 50_000;

const prefixes: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
]);

/** The Dublin Core part of an XMP packet. */
export function readXmp(bytes: Uint8Array): PictureNotes | undefined {
  const packet = Buffer.from(bytes.subarray(0, packetLimit)).toString('utf8');
  let root: XmlElement | undefined;
  try {
    ({ root } = readXml(packet.slice(packet.indexOf('<')), {
      nodes: nodeLimit,
      prefixes,
    }));
  } catch {
    // Too many elements: the picture is still one.
    return undefined;
  }
  if (root === undefined) return undefined;
  const [rdf = root] = xmlChildren(root, 'rdf:RDF');
  const about = xmlChildren(rdf, 'rdf:Description');
  const values = (name: string): string[] =>
    about.flatMap((description) =>
      xmlChildren(description, name).flatMap((element) => listed(element).map(trimmedXmlText)),
    );
  const first = (name: string): string | undefined => values(name).find(Boolean);
  return {
    title: first('dc:title'),
    description: first('dc:description'),
    author: values('dc:creator').join(', '),
    copyright: first('dc:rights'),
    keywords: values('dc:subject').join(', '),
  };
}

/** The items of a list, or the element itself. */
function listed(element: XmlElement): XmlElement[] {
  const items = xmlChildren(element, 'rdf:Alt', 'rdf:Seq', 'rdf:Bag').flatMap((list) =>
    xmlChildren(list, 'rdf:li'),
  );
  return items.length === 0 ? [element] : items;
}

/** The IPTC record in the resources that Photoshop keeps in a JPEG's APP13. */
export function readIptc(segment: Uint8Array): PictureNotes | undefined {
  const view = Buffer.from(segment.buffer, segment.byteOffset, segment.length);
  if (view.toString('latin1', 0, 14) !== 'Photoshop 3.0\0') return undefined;
  for (let at = 14; at + 12 <= view.length && view.toString('latin1', at, at + 4) === '8BIM';) {
    const kind = view.readUInt16BE(at + 4);
    const nameLength = view.readUInt8(at + 6) + 1;
    const start = at + 6 + nameLength + (nameLength % 2);
    if (start + 4 > view.length) return undefined;
    const size = view.readUInt32BE(start);
    const content = view.subarray(start + 4, start + 4 + size);
    if (kind === 0x0404) return readRecords(content);
    at = start + 4 + size + (size % 2);
  }
  return undefined;
}

function readRecords(view: Buffer): PictureNotes {
  const values = new Map<number, string[]>();
  for (let at = 0; at + 5 <= view.length && view[at] === 0x1c;) {
    const size = view.readUInt16BE(at + 3);
    // A size with the highest bit set is written with more bytes: nothing that is wanted is as long.
    if (size > 0x7fff) break;
    const kind = view[at + 2] ?? 0;
    const value = looseText(view.subarray(at + 5, at + 5 + size));
    if (view[at + 1] === 2) values.set(kind, [...(values.get(kind) ?? []), value].slice(0, 100));
    at += 5 + size;
  }
  const joined = (kind: number): string | undefined => values.get(kind)?.join(', ');
  return {
    title: joined(5) ?? joined(105),
    description: joined(120),
    author: joined(80),
    copyright: joined(116),
    keywords: joined(25),
  };
}
