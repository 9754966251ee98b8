/** Reads the runs of a DOCX paragraph: marks, links, pictures, formulas and notes. */
import { xmlChild, type XmlElement, xmlElements, xmlText } from '../../../content/html/xml.ts';
import { isOnByValue, type OpenPackage, type Relations } from '../open-package.ts';
import { formula } from '../mathml.ts';
import { imageElement } from '../pictures.ts';
import { symbolOf } from '../symbol-fonts.ts';
import { linkOf, type WordFields } from '../word-fields.ts';
import {
  type HtmlBudget,
  noteReference,
  type InlineWriter,
  type RunMarks,
} from '../html-writer.ts';
import {
  chosenAlternative,
  type DocxNumbering,
  type DocxStyles,
  isTransparent,
} from './docx-styles.ts';

/** The contents of a paragraph besides its text. */
export interface InlineFindings {
  /** Text boxes with their own paragraphs, which are written after it. */
  readonly boxes: XmlElement[];
  /** Charts as HTML, which are written after it. */
  readonly charts: string[];
  /** The first bookmark in it that is the target of a link. */
  id: string | undefined;
}

/** Reads the content of paragraphs into a writer. */
export class InlineReader {
  readonly #parts: DocxParts;
  readonly #out: InlineWriter;
  readonly #found: InlineFindings;

  constructor(parts: DocxParts, out: InlineWriter, found: InlineFindings) {
    this.#parts = parts;
    this.#out = out;
    this.#found = found;
  }

  /** Reads the children of a paragraph, or of an element in it. */
  read(parent: XmlElement, href: string | undefined): void {
    for (const node of parent.children) if (typeof node !== 'string') this.#one(node, href);
  }

  #one(element: XmlElement, href: string | undefined): void {
    const { name, attributes } = element;
    if (name === 'w:r') this.#run(element, href);
    else if (name === 'w:hyperlink') this.read(element, this.#linkOf(element) ?? href);
    else if (name === 'w:fldSimple') {
      this.read(element, linkOf(attributes['w:instr'] ?? '') ?? href);
    } else if (isTransparent(name)) this.read(element, href);
    else if (name === 'w:sdt') {
      const content = xmlChild(element, 'w:sdtContent');
      if (content !== undefined) this.read(content, href);
    } else if (name === 'mc:AlternateContent') {
      const chosen = chosenAlternative(element);
      if (chosen !== undefined) this.read(chosen, href);
    } else if (name === 'w:bookmarkStart') this.#anchor(attributes['w:name']);
    else if (name === 'm:oMathPara') this.#formulas(element);
    else if (name === 'm:oMath') this.#out.html(formula(element, false));
  }

  #linkOf(element: XmlElement): string | undefined {
    const { 'r:id': id, 'w:anchor': anchor } = element.attributes;
    const target = id === undefined ? undefined : this.#parts.relations.get(id)?.target;
    if (target === undefined) return anchor === undefined ? undefined : `#${anchor}`;
    return anchor === undefined || target.includes('#') ? target : `${target}#${anchor}`;
  }

  #anchor(name: string | undefined): void {
    if (name !== undefined && this.#parts.targets.has(name)) this.#found.id ??= name;
  }

  /** Formulas alone in a paragraph are display formulas. */
  #formulas(element: XmlElement): void {
    for (const one of xmlElements(element, 'm:oMath')) {
      this.#out.html(formula(one, true));
    }
  }

  #run(run: XmlElement, href: string | undefined): void {
    const format = readRunFormat(xmlChild(run, 'w:rPr'));
    if (format.isHidden) {
      // Field characters count even in hidden text.
      for (const node of run.children) if (typeof node !== 'string') this.#fieldMark(node);
      return;
    }
    const { styles, fields } = this.#parts;
    const style = styles.of(format.style);
    const { struck, superscript, subscript } = format;
    const bold = format.bold ?? style.bold;
    const italic = format.italic ?? style.italic;
    const code = style.kind === 'code';
    for (const node of run.children) {
      if (typeof node === 'string' || node.name === 'w:rPr') continue;
      if (this.#fieldMark(node) || fields.isHidden) continue;
      // A field that begins or ends within the run changes the link target.
      const target = href ?? fields.href;
      this.#piece(node, { bold, italic, struck, superscript, subscript, code, href: target });
    }
  }

  #fieldMark({ name, attributes, children }: XmlElement): boolean {
    const { fields } = this.#parts;
    if (name === 'w:fldChar') fields.mark(attributes['w:fldCharType']);
    else if (name === 'w:instrText') {
      fields.instruct(children.filter((node) => typeof node === 'string').join(''));
    } else return false;
    return true;
  }

  #piece(element: XmlElement, marks: RunMarks): void {
    const { name, attributes } = element;
    switch (name) {
      case 'w:t':
        return this.#out.text(xmlText(element), marks);
      case 'w:tab':
      case 'w:ptab':
        return this.#out.text('\t', marks);
      case 'w:br':
      case 'w:cr':
        return attributes['w:type'] === undefined || attributes['w:type'] === 'textWrapping'
          ? this.#out.lineBreak()
          : undefined;
      case 'w:noBreakHyphen':
        return this.#out.text('\u2011', marks);
      case 'w:sym':
        return this.#out.text(symbolOf(attributes['w:font'], attributes['w:char']), marks);
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        return this.#note(name, attributes['w:id']);
      case 'mc:AlternateContent': {
        const chosen = chosenAlternative(element);
        for (const node of chosen?.children ?? []) {
          if (typeof node !== 'string') this.#piece(node, marks);
        }
        return;
      }
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        return this.#drawing(element, marks);
      case 'w:ruby':
        for (const run of xmlElements(xmlChild(element, 'w:rubyBase'), 'w:r')) {
          this.#run(run, marks.href);
        }
    }
  }

  #note(name: string, id: string | undefined): void {
    if (id === undefined) return;
    const { notes } = this.#parts;
    const part = name === 'w:footnoteReference' ? 'footnotes' : 'endnotes';
    const key = `${part} ${id}`;
    const number = notes.get(key) ?? notes.size + 1;
    notes.set(key, number);
    this.#out.html(noteReference(number));
  }

  /** Reads pictures, and boxes with text. A drawing has no text, but may have a description. */
  #drawing(drawing: XmlElement, marks: RunMarks): void {
    let description = '';
    let isDecoration = false;
    const boxes = outermost(drawing, 'w:txbxContent');
    this.#found.boxes.push(...boxes);
    const inBoxes = new Set(boxes.flatMap((box) => [...xmlElements(box)]));
    const own = [...xmlElements(drawing)].filter((element) => !inBoxes.has(element));
    for (const { name, attributes } of own) {
      if (name === 'wp:docPr') description = attributes['descr'] ?? attributes['title'] ?? '';
      else if (name === 'v:shape') description ||= attributes['alt'] ?? '';
      else if (/(?:^|:)decorative$/.test(name)) isDecoration = attributes['val'] !== '0';
    }
    if (isDecoration) return;
    let hasChart = false;
    for (const { attributes } of own.filter(({ name }) => name === 'c:chart')) {
      const chart = this.#parts.charts.get(attributes['r:id'] ?? '') ?? '';
      hasChart ||= chart !== '';
      this.#found.charts.push(chart);
    }
    for (const { name, attributes } of own) {
      if (name !== 'a:blip' && name !== 'v:imagedata') continue;
      const id = attributes['r:embed'] ?? attributes['r:link'] ?? attributes['r:id'];
      if (id === undefined) continue;
      hasChart = true;
      const { relations, file } = this.#parts;
      this.#out.html(file.picture(description, relations.get(id)), marks);
    }
    if (!hasChart && boxes.length === 0 && description.trim() !== '') {
      this.#out.html(imageElement(description, 'data:,'), marks);
    }
  }
}

/** Elements of this name that are not nested in another one. */
function outermost(root: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const inner = new Set<XmlElement>();
  for (const element of xmlElements(root, name)) {
    if (inner.has(element)) continue;
    found.push(element);
    for (const one of xmlElements(element, name)) inner.add(one);
  }
  return found;
}

// The run properties (`w:rPr`), read in one pass: a document has as many of them as words.

/** The format of a run; undefined if not set. */
interface RunFormat {
  readonly style: string | undefined;
  readonly isHidden: boolean;
  readonly bold: boolean | undefined;
  readonly italic: boolean | undefined;
  readonly struck: boolean;
  readonly superscript: boolean;
  readonly subscript: boolean;
}

const plainRun: RunFormat = {
  style: undefined,
  isHidden: false,
  bold: undefined,
  italic: undefined,
  struck: false,
  superscript: false,
  subscript: false,
};

/** The format of a run, given its `w:rPr`. */
function readRunFormat(element: XmlElement | undefined): RunFormat {
  if (element === undefined) return plainRun;
  let { style, isHidden, bold, italic, struck, superscript, subscript } = plainRun;
  for (const node of element.children) {
    if (typeof node === 'string') continue;
    const value = node.attributes['w:val'];
    switch (node.name) {
      case 'w:rStyle':
        style = value;
        break;
      case 'w:vanish':
        isHidden = isOnByValue(value);
        break;
      case 'w:b':
        bold = isOnByValue(value);
        break;
      case 'w:i':
        italic = isOnByValue(value);
        break;
      case 'w:strike':
      case 'w:dstrike':
        struck ||= isOnByValue(value);
        break;
      case 'w:vertAlign':
        superscript ||= value === 'superscript';
        subscript ||= value === 'subscript';
        break;
      case 'w:position':
        // In half points; some programs only shift the text.
        superscript ||= Number(value) >= 2;
        subscript ||= Number(value) <= -2;
    }
  }
  return { style, isHidden, bold, italic, struck, superscript, subscript };
}

// State shared by the readers of a DOCX.

/** The parts of a document. */
export interface DocxParts {
  readonly file: OpenPackage;
  readonly styles: DocxStyles;
  readonly numbering: DocxNumbering;
  readonly budget: HtmlBudget;
  /** The charts of the document as HTML, by the ids of their relations. */
  readonly charts: ReadonlyMap<string, string>;
  /** Relations of the current part: notes have their own. */
  readonly relations: Relations;
  readonly fields: WordFields;
  /** Names of bookmarks that are targets of links. */
  readonly targets: ReadonlySet<string>;
  /** The numbers of notes, by part and id, in the order of their references. */
  readonly notes: Map<string, number>;
}

/** The targets of internal links in a tree. */
export function linkTargets(tree: XmlElement): ReadonlySet<string> {
  const targets = new Set<string>();
  for (const { name, attributes, children } of xmlElements(tree)) {
    const anchor = attributes['w:anchor'];
    if (name === 'w:hyperlink' && anchor !== undefined) targets.add(anchor);
    if (name !== 'w:instrText') continue;
    const [text] = children;
    const link = typeof text === 'string' ? linkOf(text) : undefined;
    if (link?.startsWith('#') === true) targets.add(link.slice(1));
  }
  return targets;
}
