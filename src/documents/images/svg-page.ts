/** Makes a document from an SVG drawing: its title, its description and its text. */
import { readXml, trimmedXmlText, xmlChildren, type XmlElement } from '../../content/html/xml.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { filePage } from '../../content/parsers/file-parser.ts';
import type { ParseContext } from '../../content/parsers/parser.ts';
import { imageContent } from './image-page.ts';

/** Undefined for a file that is not SVG. Throws `PARSE_LIMIT` for more elements than allowed. */
export async function svgPage(
  snapshot: Snapshot,
  context: ParseContext,
  source: string,
): Promise<HtmlPage | undefined> {
  const { root, warning } = readXml(source, {
    nodes: context.limits.nodes,
    isFolded: true,
    endsWhereDeep: true,
  });
  if (root?.name !== 'svg') return undefined;
  const [title, description] = ['title', 'desc'].map(
    (name) => oneLine(trimmedXmlText(xmlChildren(root, name)[0])) || undefined,
  );
  const content = imageContent(snapshot.url, {
    kind: 'SVG',
    mediaType: 'image/svg+xml',
    bytes: snapshot.body.length,
    ...sizeOf(root),
    notes: { title, description },
    texts: textsOf(root).map(oneLine).filter(Boolean),
  });
  const warnings = warning === undefined ? [] : [warning];
  return filePage(snapshot, context, { ...content, warnings }, source);
}

/** The size in pixels, else by the view box. */
function sizeOf({ attributes }: XmlElement): Record<'width' | 'height', number | undefined> {
  const [, , wide, high] = (attributes['viewBox'] ?? '').trim().split(/[\s,]+/);
  const pixels = (given: string | undefined, box: string | undefined): number | undefined => {
    const [, digits = ''] = /^\s*(\d{1,9}(?:\.\d{1,9})?)(?:px)?\s*$/.exec(given ?? box ?? '') ?? [];
    return digits === ''
      ? given === undefined
        ? undefined
        : pixels(undefined, box)
      : Math.round(Number(digits));
  };
  return { width: pixels(attributes['width'], wide), height: pixels(attributes['height'], high) };
}

/** The text elements in document order, without a title or a script inside. */
function textsOf(root: XmlElement): string[] {
  const texts: string[] = [];
  const waiting: XmlElement[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (hidden.has(next.name)) continue;
    if (next.name === 'text') {
      const parts = next.children.map((child) =>
        typeof child === 'string'
          ? child
          : hidden.has(child.name)
            ? ''
            : ` ${trimmedXmlText(child)}`,
      );
      texts.push(parts.join(''));
      continue;
    }
    waiting.push(
      ...next.children
        .filter((child): child is XmlElement => typeof child !== 'string')
        .toReversed(),
    );
  }
  return texts;
}

const hidden: ReadonlySet<string> = new Set([
  'title',
  'desc',
  'script',
  'style',
  'metadata',
  'defs',
]);
