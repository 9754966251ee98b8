/** Documents of word processors (.docx; ECMA-376, part 1, WordprocessingML). */
import { xmlChild, xmlChildren, type XmlElement } from '../../../html/xml-tree.ts';
import type { FileContent, ReadFile } from '../../file-parser.ts';
import { OpenPackage, relationOf, type Relations } from '../open-xml/open-package.ts';
import { HtmlBudget } from '../writing/html-budget.ts';
import { Pictures } from '../writing/pictures.ts';
import { BodyReader, titleOf } from './body-reader.ts';
import { type DocumentParts, linkTargets } from './document-parts.ts';
import { Fields } from './fields.ts';
import { Numbering } from './numbering.ts';
import { Styles } from './styles.ts';

/**
 * The text as it is shown with all changes accepted: insertions are kept, deletions left out, and so
 * are comments, headers and footers. Notes follow the text.
 */
export const readDocx: ReadFile = async ({ body: bytes }, context): Promise<FileContent> => {
  const { limits } = context;
  const file = new OpenPackage(bytes, context);
  const name = await file.mainPart();
  const relations = await file.relations(name);
  const related = async (kind: string): Promise<XmlElement | undefined> => {
    const relation = relationOf(relations, kind);
    return relation === undefined ? undefined : file.part(relation.target);
  };
  const document = await file.part(name);
  const parts: DocumentParts = {
    file,
    relations,
    styles: new Styles(await related('styles')),
    numbering: new Numbering(await related('numbering')),
    pictures: new Pictures(),
    budget: new HtmlBudget(limits.text),
    fields: new Fields(),
    targets: document === undefined ? new Set() : linkTargets(document),
    notes: new Map(),
  };
  const body = xmlChild(document, 'w:body');
  const text = body === undefined ? '' : new BodyReader(parts).read(body);
  const notes = await readNotes(parts, relations);
  const properties = await file.properties();
  return {
    ...properties,
    html: text + notes,
    title: properties.title ?? titleOf(body, parts),
    language: properties.language ?? parts.styles.language,
  };
};

/** Notes that the text names, in its order; a note may name another. */
async function readNotes(parts: DocumentParts, relations: Relations): Promise<string> {
  const items: string[] = [];
  const byId = new Map<string, { element: XmlElement; relations: Relations }>();
  for (const part of ['footnotes', 'endnotes']) {
    const name = relationOf(relations, part)?.target;
    if (name === undefined) continue;
    const own = await file(parts, name);
    for (const element of xmlChildren(own.tree)) {
      byId.set(`${part} ${element.attributes['w:id'] ?? ''}`, {
        element,
        relations: own.relations,
      });
    }
  }
  for (const [key, number] of parts.notes) {
    const found = byId.get(key);
    const own = { ...parts, relations: found?.relations ?? relations, fields: new Fields() };
    const html = found === undefined ? '' : new BodyReader(own).read(found.element);
    items.push(`<li id="note-${number}">${html}</li>`);
  }
  return items.length === 0
    ? ''
    : `<section class="footnotes"><ol>${items.join('')}</ol></section>`;
}

async function file(
  parts: DocumentParts,
  name: string,
): Promise<{ tree: XmlElement | undefined; relations: Relations }> {
  return { tree: await parts.file.part(name), relations: await parts.file.relations(name) };
}
