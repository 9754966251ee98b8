/** Presentations (.pptx; ECMA-376, part 1, PresentationML): slide after slide. */
import { escapeText } from '../../../html/escape.ts';
import {
  xmlChild,
  xmlChildren,
  type XmlElement,
  xmlElements,
  xmlText,
} from '../../../html/xml-tree.ts';
import type { FileContent, ReadFile } from '../../file-parser.ts';
import { OpenPackage, relationOf } from '../open-xml/open-package.ts';
import { BlockWriter } from '../writing/block-writer.ts';
import { HtmlBudget } from '../writing/html-budget.ts';
import { Pictures } from '../writing/pictures.ts';
import { type Placeholders, readPlaceholders } from './placeholders.ts';
import { SlideReader } from './slide-reader.ts';

/** Slides of one file; further ones are left out with a warning. */
const mostSlides = 2_000;

/** Each slide is a heading with what stands on it, and its notes as a quotation. */
export const readPptx: ReadFile = async ({ body }, context): Promise<FileContent> => {
  const { limits } = context;
  const file = new OpenPackage(body, context);
  const name = await file.mainPart();
  const presentation = await file.part(name);
  const relations = await file.relations(name);
  const reading: Reading = {
    file,
    budget: new HtmlBudget(limits.text),
    pictures: new Pictures(),
    layouts: new Map(),
  };
  const ids = xmlChildren(xmlChild(presentation, 'p:sldIdLst'), 'p:sldId');
  const slides: string[] = [];
  const hidden: number[] = [];
  for (const [index, { attributes }] of ids.slice(0, mostSlides).entries()) {
    const part = relations.get(attributes['r:id'] ?? '')?.target;
    const slide = part === undefined ? undefined : await file.part(part);
    if (part === undefined || slide === undefined) continue;
    if (slide.attributes['show'] === '0') hidden.push(index + 1);
    else slides.push(await readSlide(reading, part, slide, index + 1));
  }
  const warnings = [
    ...(hidden.length > 0 ? [`Hidden slides were left out: ${hidden.join(', ')}.`] : []),
    ...(ids.length > mostSlides ? [`Only the first ${mostSlides} slides were read.`] : []),
  ];
  return { ...(await file.properties()), html: slides.join(''), numPages: slides.length, warnings };
};

interface Reading {
  readonly file: OpenPackage;
  readonly budget: HtmlBudget;
  readonly pictures: Pictures;
  /** What the layouts and masters say, by the name of the layout. */
  readonly layouts: Map<string, Placeholders>;
}

async function readSlide(
  reading: Reading,
  part: string,
  slide: XmlElement,
  number: number,
): Promise<string> {
  const { file, budget, pictures } = reading;
  const relations = await file.relations(part);
  const layout = relationOf(relations, 'slideLayout')?.target ?? '';
  const placeholders = reading.layouts.get(layout) ?? (await readPlaceholders(file, layout));
  reading.layouts.set(layout, placeholders);
  const diagrams = await diagramTexts(file, slide, relations);
  const reader = new SlideReader({ file, relations, placeholders, pictures, budget, diagrams });
  const { title, html } = reader.read(xmlChild(slide, 'p:cSld', 'p:spTree'));
  const blocks = new BlockWriter(budget);
  blocks.heading(2, title === '' ? `Slide ${number}` : title);
  blocks.add(html);
  blocks.add(await readNotes(reading, relationOf(relations, 'notesSlide')?.target));
  return blocks.finish();
}

async function readNotes(
  { file, budget, pictures }: Reading,
  part: string | undefined,
): Promise<string> {
  const notes = part === undefined ? undefined : await file.part(part);
  if (part === undefined || notes === undefined) return '';
  const relations = await file.relations(part);
  const reader = new SlideReader({
    ...{ file, relations, pictures, budget, diagrams: new Map() },
    placeholders: { bullets: () => false },
    onlyBody: true,
  });
  const { html } = reader.read(xmlChild(notes, 'p:cSld', 'p:spTree'));
  return html === '' ? '' : `<blockquote><p><strong>Notes:</strong></p>${html}</blockquote>`;
}

/** The texts of diagrams, which are in parts of their own, by the id that names the part. */
async function diagramTexts(
  file: OpenPackage,
  slide: XmlElement,
  relations: Awaited<ReturnType<OpenPackage['relations']>>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { attributes } of xmlElements(slide, 'dgm:relIds')) {
    const id = attributes['r:dm'] ?? '';
    const part = relations.get(id)?.target;
    if (part === undefined || texts.has(id)) continue;
    const items: string[] = [];
    for (const text of xmlElements(await file.part(part), 'dgm:t')) {
      const content = [...xmlElements(text, 'a:t')].map(xmlText).join('');
      if (content.trim() !== '') items.push(`<li>${escapeText(content.trim())}</li>`);
    }
    texts.set(id, items.length === 0 ? '' : `<ul>${items.join('')}</ul>`);
  }
  return texts;
}
