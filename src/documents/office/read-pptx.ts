/** Reads presentations (.pptx; ECMA-376, part 1, PresentationML) slide by slide: texts, tables and pictures. */
import { escapeText } from '../../content/html/serialize.ts';
import {
  xmlChild,
  xmlChildren,
  type XmlElement,
  xmlElements,
  xmlText,
} from '../../content/html/xml.ts';
import type { FileContent, ReadFile } from '../../content/parsers/file-parser.ts';
import { formula } from './mathml.ts';
import { OpenPackage, relationOf, type Relations } from './open-package.ts';
import { imageElement } from './pictures.ts';
import { chartWarnings, readCharts } from './read-charts.ts';
import { BlockWriter, HtmlBudget, InlineWriter, titleText, writeSlide } from './html-writer.ts';
import { inCell, type TableCell, writeTable } from './table-writer.ts';

const mostSlides = 2_000; // slides of one file; further ones are left out with a warning

/** Each slide is a heading with its content, and its notes as a quotation. */
export const readPptx: ReadFile = async ({ body }, context): Promise<FileContent> => {
  const { limits } = context;
  const file = new OpenPackage(body, context);
  const name = await file.mainPart();
  const presentation = await file.part(name);
  const relations = await file.relations(name);
  const reading: PresentationContext = {
    file,
    budget: new HtmlBudget(limits.text),
    layouts: new Map(),
    warnings: new Set(),
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
    ...reading.warnings,
    ...(hidden.length > 0 ? [`Hidden slides were left out: ${hidden.join(', ')}.`] : []),
    ...(ids.length > mostSlides ? [`Only the first ${mostSlides} slides were read.`] : []),
  ];
  return { ...(await file.properties()), html: slides.join(''), numPages: slides.length, warnings };
};

interface PresentationContext {
  readonly file: OpenPackage;
  readonly budget: HtmlBudget;
  /** The placeholders of layouts and masters, by the name of the layout. */
  readonly layouts: Map<string, Placeholders>;
  readonly warnings: Set<string>;
}

async function readSlide(
  reading: PresentationContext,
  part: string,
  slide: XmlElement,
  number: number,
): Promise<string> {
  const { file, budget } = reading;
  const relations = await file.relations(part);
  const layout = relationOf(relations, 'slideLayout')?.target ?? '';
  const placeholders = reading.layouts.get(layout) ?? (await readPlaceholders(file, layout));
  reading.layouts.set(layout, placeholders);
  const diagrams = await diagramTexts(file, slide, relations);
  const charts = await readCharts(file, relations, budget);
  for (const warning of chartWarnings(charts)) reading.warnings.add(`Slide ${number}: ${warning}`);
  const shared = { file, relations, placeholders, budget };
  const reader = new SlideReader({ ...shared, diagrams, charts });
  const content = reader.read(xmlChild(slide, 'p:cSld', 'p:spTree'));
  const notes = await readNotes(reading, relationOf(relations, 'notesSlide')?.target);
  const blocks = new BlockWriter(budget);
  writeSlide(number, { ...content, notes }, blocks);
  return blocks.finish();
}

async function readNotes(
  { file, budget }: PresentationContext,
  part: string | undefined,
): Promise<string> {
  const notes = part === undefined ? undefined : await file.part(part);
  if (part === undefined || notes === undefined) return '';
  const relations = await file.relations(part);
  const reader = new SlideReader({
    file,
    relations,
    budget,
    diagrams: new Map(),
    charts: new Map(),
    placeholders: { bullets: () => false },
    onlyBody: true,
  });
  return reader.read(xmlChild(notes, 'p:cSld', 'p:spTree')).html;
}

/** The texts of diagrams, which are in separate parts, by the id that refers to the part. */
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

// The content of a slide: texts, tables, pictures, in file order.

/** The context of a slide. */
interface SlideParts {
  readonly file: OpenPackage;
  readonly relations: Relations;
  readonly placeholders: Placeholders;
  readonly budget: HtmlBudget;
  /** The lists written for diagrams, by id. */
  readonly diagrams: ReadonlyMap<string, string>;
  /** The tables written for charts, by the ids of their relations. */
  readonly charts: ReadonlyMap<string, string>;
  /** Only the text of the body: the rest of a notes page repeats the slide. */
  readonly onlyBody?: boolean;
}

/** Placeholders without content of the slide. */
const furniture = /^(?:sldNum|dt|ftr|hdr|sldImg)$/;

/** Reads one slide. */
class SlideReader {
  readonly #parts: SlideParts;
  readonly #blocks: BlockWriter;
  #title = '';

  constructor(parts: SlideParts) {
    this.#parts = parts;
    this.#blocks = new BlockWriter(parts.budget);
  }

  /** The title as HTML, empty without one, and the rest. */
  read(tree: XmlElement | undefined): { readonly title: string; readonly html: string } {
    if (tree !== undefined) this.#shapes(tree);
    return { title: this.#title, html: this.#blocks.finish() };
  }

  #shapes(tree: XmlElement): void {
    for (const element of xmlChildren(tree)) {
      if (element.name === 'p:sp' || element.name === 'p:cxnSp') this.#shape(element);
      else if (this.#parts.onlyBody === true) continue;
      else if (element.name === 'p:grpSp') this.#shapes(element);
      else if (element.name === 'p:pic') this.#picture(element);
      else if (element.name === 'p:graphicFrame') this.#frame(element);
      else if (element.name === 'mc:AlternateContent') {
        const chosen = xmlChild(element, 'mc:Choice') ?? xmlChild(element, 'mc:Fallback');
        if (chosen !== undefined) this.#shapes(chosen);
      }
    }
  }

  #shape(shape: XmlElement): void {
    const placeholder = placeholderOf(shape);
    const body = xmlChild(shape, 'p:txBody');
    const isBody = placeholder !== undefined && placeholder.type === 'body';
    if (placeholder !== undefined && furniture.test(placeholder.type)) return;
    if (this.#parts.onlyBody === true && !isBody) return;
    if (body === undefined) return;
    if (/^(?:title|ctrTitle)$/.test(placeholder?.type ?? '') && this.#title === '') {
      // The lines of a title become one heading.
      this.#title = titleText(xmlChildren(body, 'a:p').map((line) => this.#runs(line)));
    } else this.#text(body, placeholder, this.#blocks);
  }

  #text(body: XmlElement, placeholder: Placeholder | undefined, blocks: BlockWriter): void {
    const styles = xmlChild(body, 'a:lstStyle');
    const numbers: number[] = [];
    for (const paragraph of xmlChildren(body, 'a:p')) {
      const html = this.#runs(paragraph);
      if (html === '') continue;
      const properties = xmlChild(paragraph, 'a:pPr');
      const level = Math.min(8, Math.max(0, Number(properties?.attributes['lvl'] ?? 0) || 0));
      const bullet =
        bulletOf(properties) ?? levelBullet(styles, level) ?? this.#inherited(placeholder, level);
      if (bullet === 'none') {
        numbers.length = 0;
        blocks.paragraph(html);
        continue;
      }
      const start = Number(xmlChild(properties, 'a:buAutoNum')?.attributes['startAt'] ?? 1) || 1;
      const number = (numbers[level] ?? start - 1) + 1;
      numbers.length = level;
      if (bullet === 'number') numbers[level] = number;
      blocks.item(html, { level, isOrdered: bullet === 'number', number });
    }
  }

  #inherited(placeholder: Placeholder | undefined, level: number): Bullet {
    if (placeholder === undefined) return 'none';
    return this.#parts.placeholders.bullets(placeholder, level) ? 'bullet' : 'none';
  }

  #runs(paragraph: XmlElement): string {
    const out = new InlineWriter(this.#parts.budget);
    for (const element of xmlChildren(paragraph)) {
      if (element.name === 'a:br') out.lineBreak();
      else if (element.name === 'a:r' || element.name === 'a:fld') this.#run(element, out);
      else if (/:m$|^mc:AlternateContent$/.test(element.name)) {
        for (const one of xmlElements(element, 'm:oMath')) out.html(formula(one, false));
      }
    }
    return out.finish();
  }

  #run(run: XmlElement, out: InlineWriter): void {
    const properties = xmlChild(run, 'a:rPr');
    const { attributes } = properties ?? {};
    const link = xmlChild(properties, 'a:hlinkClick')?.attributes['r:id'];
    const target = this.#parts.relations.get(link ?? '');
    const shift = Number(attributes?.['baseline'] ?? 0);
    out.text(xmlText(xmlChild(run, 'a:t')), {
      bold: isTrue(attributes?.['b']),
      italic: isTrue(attributes?.['i']),
      struck: /^(?:sng|dbl)Strike$/.test(attributes?.['strike'] ?? ''),
      superscript: shift > 0,
      subscript: shift < 0,
      // Links to other slides have no target outside the file.
      href: target?.isExternal === true ? target.target : undefined,
    });
  }

  #picture(picture: XmlElement): void {
    const { attributes } = xmlChild(picture, 'p:nvPicPr', 'p:cNvPr') ?? {};
    const alt = attributes?.['descr'] ?? attributes?.['title'] ?? '';
    for (const { name, attributes: own } of xmlElements(picture)) {
      if (/(?:^|:)decorative$/.test(name) && own['val'] !== '0') return;
    }
    const blip = xmlChild(picture, 'p:blipFill', 'a:blip');
    const { relations, file } = this.#parts;
    const id = blip?.attributes['r:embed'] ?? blip?.attributes['r:link'] ?? '';
    const html = file.picture(alt, relations.get(id));
    this.#blocks.paragraph(this.#parts.budget.spend(html));
  }

  #frame(frame: XmlElement): void {
    const graphic = xmlChild(frame, 'a:graphic', 'a:graphicData');
    const table = xmlChild(graphic, 'a:tbl');
    const diagram = xmlChild(graphic, 'dgm:relIds')?.attributes['r:dm'];
    const chart = this.#parts.charts.get(xmlChild(graphic, 'c:chart')?.attributes['r:id'] ?? '');
    const alt = xmlChild(frame, 'p:nvGraphicFramePr', 'p:cNvPr')?.attributes['descr'] ?? '';
    if (table !== undefined) this.#blocks.add(this.#table(table));
    else if (diagram !== undefined) {
      this.#blocks.add(this.#parts.budget.spend(this.#parts.diagrams.get(diagram) ?? ''));
    } else if (chart !== undefined && chart !== '') {
      this.#blocks.add(this.#parts.budget.spend(chart));
    } else if (alt !== '') this.#blocks.paragraph(imageElement(alt, 'data:,'));
  }

  #table(table: XmlElement): string {
    const rows = xmlChildren(table, 'a:tr').map((row) =>
      xmlChildren(row, 'a:tc')
        .filter(({ attributes: cell }) => !isTrue(cell['hMerge']) && !isTrue(cell['vMerge']))
        .map((cell): TableCell => {
          const blocks = new BlockWriter(this.#parts.budget);
          const body = xmlChild(cell, 'a:txBody');
          if (body !== undefined) this.#text(body, undefined, blocks);
          return {
            html: inCell(blocks.finish()),
            columns: Number(cell.attributes['gridSpan'] ?? 1) || 1,
            rows: Number(cell.attributes['rowSpan'] ?? 1) || 1,
          };
        }),
    );
    const hasHeader = isTrue(xmlChild(table, 'a:tblPr')?.attributes['firstRow']);
    return writeTable(rows, hasHeader && rows.length > 1 ? 1 : 0, this.#parts.budget);
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

// Bullets that a slide inherits from its layout and master.

/** A bullet, a number, or nothing before a paragraph. */
type Bullet = 'bullet' | 'number' | 'none';

/** The placeholder of a shape: `p:ph`. */
interface Placeholder {
  /** `title`, `body`, … */
  readonly type: string;
  readonly index: string | undefined;
}

/** The placeholders of a layout and its master. */
interface Placeholders {
  /** True when paragraphs of a placeholder have bullets at a level from 0. */
  bullets(placeholder: Placeholder, level: number): boolean;
}

/** The placeholder of a shape; undefined for the slide's own shapes. */
function placeholderOf(shape: XmlElement): Placeholder | undefined {
  const properties = shape.children.find(
    (node): node is XmlElement => typeof node !== 'string' && /^p:nv\w*Pr$/.test(node.name),
  );
  const found = xmlChild(properties, 'p:nvPr', 'p:ph');
  if (found === undefined) return undefined;
  const { type = 'body', idx: index } = found.attributes;
  return { type, index };
}

/** The bullet in a paragraph's properties; undefined without one. */
function bulletOf(properties: XmlElement | undefined): Bullet | undefined {
  if (xmlChild(properties, 'a:buNone') !== undefined) return 'none';
  if (xmlChild(properties, 'a:buAutoNum') !== undefined) return 'number';
  const isBullet = ['a:buChar', 'a:buBlip'].some((name) => xmlChild(properties, name));
  return isBullet ? 'bullet' : undefined;
}

/** The bullet of a list style at a level. */
function levelBullet(styles: XmlElement | undefined, level: number): Bullet | undefined {
  return bulletOf(xmlChild(styles, `a:lvl${level + 1}pPr`));
}

/** Reads a layout and its master. */
async function readPlaceholders(file: OpenPackage, layout: string): Promise<Placeholders> {
  const layoutTree = await file.part(layout);
  const master = relationOf(await file.relations(layout), 'slideMaster')?.target;
  const masterTree = master === undefined ? undefined : await file.part(master);
  const ofLayout = stylesByPlaceholder(layoutTree);
  const ofMaster = stylesByPlaceholder(masterTree);
  const bodyStyle = xmlChild(masterTree, 'p:txStyles', 'p:bodyStyle');
  return {
    bullets: ({ type, index }, level) => {
      const isBody = /^(?:body|obj|tbl|chart|dgm|media|clipArt|pic)$/.test(type);
      const bullet =
        levelBullet(ofLayout.get(`#${index ?? ''}`) ?? ofLayout.get(type), level) ??
        levelBullet(ofMaster.get(type === 'subTitle' ? 'body' : type), level) ??
        (isBody || type === 'subTitle' ? levelBullet(bodyStyle, level) : undefined);
      return bullet !== undefined && bullet !== 'none';
    },
  };
}

/** The list styles in the shapes of a layout, by index and by type. */
function stylesByPlaceholder(tree: XmlElement | undefined): ReadonlyMap<string, XmlElement> {
  const styles = new Map<string, XmlElement>();
  for (const shape of xmlElements(xmlChild(tree, 'p:cSld'), 'p:sp')) {
    const placeholder = placeholderOf(shape);
    if (placeholder === undefined) continue;
    // A shape without its own styles uses the master's, not another shape's of its type.
    const style = xmlChild(shape, 'p:txBody', 'a:lstStyle') ?? shape;
    const { type, index } = placeholder;
    if (index !== undefined && !styles.has(`#${index}`)) styles.set(`#${index}`, style);
    if (!styles.has(type)) styles.set(type, style);
  }
  return styles;
}
