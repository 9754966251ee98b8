/** A page of a presentation of OpenDocument. */
import { xmlChild, xmlChildren, type XmlElement } from '../../../html/xml-tree.ts';
import type { BlockWriter } from '../writing/block-writer.ts';
import { ContentReader } from './content-reader.ts';
import type { OdfParts } from './odf-parts.ts';

/** A heading, what stands on the page, and its notes as a quotation. */
export function writeSlide(
  page: XmlElement,
  number: number,
  parts: OdfParts,
  blocks: BlockWriter,
): void {
  let title = '';
  const contents: string[] = [];
  for (const shape of xmlChildren(page)) {
    if (shape.name === 'presentation:notes') continue;
    const kind = shape.attributes['presentation:class'];
    if (kind === 'title' && title === '') {
      const box = xmlChild(shape, 'draw:text-box') ?? shape;
      title = new ContentReader(parts).readLine(box);
    } else if (!/^(?:date-time|footer|header|page-number|page)$/.test(kind ?? '')) {
      contents.push(new ContentReader(parts).readShape(shape));
    }
  }
  blocks.heading(2, title === '' ? `Slide ${number}` : title);
  blocks.add(contents.join(''));
  const notes = xmlChildren(xmlChild(page, 'presentation:notes'))
    .filter(({ attributes }) => attributes['presentation:class'] === 'notes')
    .map((shape) => new ContentReader(parts).readShape(shape))
    .join('');
  if (notes !== '') blocks.add(`<blockquote><p><strong>Notes:</strong></p>${notes}</blockquote>`);
}
