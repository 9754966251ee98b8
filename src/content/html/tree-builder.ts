/** Builds the tree of a page from its tokens as browsers do (HTML Standard, 13.2.6), within limits. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { foreignTag, htmlTags, Is, isQuirky, ordinaryTag, svgNames, type Tag } from './tags.ts';
import {
  type Attributes,
  attributeIn,
  noAttributes,
  TreeComment,
  TreeDocument,
  TreeElement,
  type TreeNode,
  TreeText,
} from './tree.ts';

const bounds = {
  attributesOfElement: 1_000, // far above what people and programs write
  searched: 1_024, // open elements examined in a search, innermost first: linear time on deep pages
  reopened: 64, // formatting elements that are reconstructed at one position
};

/** The greatest size and depth of a document. */
export interface ParseLimits {
  /** Elements, texts and comments; more are an error. */
  readonly nodes: number;
  /** Levels of elements, `html` being the first; what is nested deeper becomes a sibling, as in Chromium. */
  readonly depth: number;
  /** Attributes of all elements together; further ones are dropped. Not counted when left out. */
  readonly attributes?: number;
}

/** The insertion modes of the standard, except for those of framesets, which are read like any other page. */
type Mode =
  | 'before html'
  | 'before head'
  | 'in head'
  | 'in head noscript'
  | 'after head'
  | 'in body'
  | 'in table'
  | 'in caption'
  | 'in column group'
  | 'in table body'
  | 'in row'
  | 'in cell'
  | 'in template'
  | 'after body'
  | 'after after body';

/** An entry of the list of active formatting elements. */
interface Formatting {
  element: TreeElement;
  readonly tag: Tag;
  readonly attributes: Attributes;
}

const htmlTag = knownTag('html');
const headTag = knownTag('head');
const bodyTag = knownTag('body');
const pTag = knownTag('p');
const aTag = knownTag('a');
const buttonTag = knownTag('button');
const captionTag = knownTag('caption');
const colgroupTag = knownTag('colgroup');
const ddTag = knownTag('dd');
const dtTag = knownTag('dt');
const liTag = knownTag('li');
const nobrTag = knownTag('nobr');
const optgroupTag = knownTag('optgroup');
const optionTag = knownTag('option');
const rtcTag = knownTag('rtc');
const rubyTag = knownTag('ruby');
const selectTag = knownTag('select');
const tableTag = knownTag('table');
const tbodyTag = knownTag('tbody');
const tdTag = knownTag('td');
const templateTag = knownTag('template');
const thTag = knownTag('th');
const trTag = knownTag('tr');

/** Elements whose content is not rendered. */
const unshown: ReadonlySet<string> = new Set(['noscript', 'template']);

/** Builds one document. */
export class TreeBuilder {
  readonly document: TreeDocument = new TreeDocument();
  readonly #limits: ParseLimits;
  /** The deepest level; below html and body there is always one. */
  readonly #depth: number;
  /** The stack of open elements, each with its tag and its level in the tree. */
  readonly #open: TreeElement[] = [this.document.documentElement];
  readonly #tags: Tag[] = [htmlTag];
  readonly #levels: number[] = [1];
  #mode: Mode = 'before html';
  readonly #templateModes: Mode[] = [];
  /** The list of active formatting elements. Undefined is a marker: the start of a cell, caption, object or template. */
  readonly #formatting: (Formatting | undefined)[] = [];
  /** The formatting elements that are in the stack of open elements. */
  readonly #openFormatting = new Set<TreeElement>();
  #form: TreeElement | undefined;
  /** The open noscript of a head, which keeps its content. */
  #headNoscript: TreeElement | undefined;
  #openParagraphs = 0;
  #isFostering = false;
  #isQuirky = true;
  #dropsNewline = false;
  /** Pending text in a table: blank text stays there, other text is foster-parented. */
  #tableText = '';
  #nodes = 0;
  #attributes = 0;
  /** Attributes that html, head and body got from their tags. */
  #merged = 0;
  readonly #cut = { depth: false, attributes: false, attributesOfElement: false };

  constructor(limits: ParseLimits) {
    this.#limits = limits;
    this.#depth = Math.max(limits.depth, 3);
  }

  /** One sentence for each limit that was reached, with the option to raise. */
  get warnings(): string[] {
    const { depth, attributes } = this.#limits;
    const warnings: string[] = [];
    if (this.#cut.depth) {
      warnings.push(
        `The page nests elements deeper than ${depth} levels; deeper ones stand side by side. Raise limits.depth to keep more levels.`,
      );
    }
    if (this.#cut.attributesOfElement) {
      warnings.push(
        `The page has an element with more than ${bounds.attributesOfElement} attributes; only those were read.`,
      );
    }
    if (this.#cut.attributes) {
      warnings.push(
        `The page has more than ${attributes} attributes; the others were left out. Raise limits.attributes to read them.`,
      );
    }
    return warnings;
  }

  doctype(text: string): void {
    if (this.#mode === 'before html') this.#isQuirky = isQuirky(text);
  }

  /** A start tag. */
  open(name: string, tag: Tag, attributes: Attributes, isSelfClosing: boolean): void {
    if (this.#tableText !== '') this.#flushTableText();
    this.#dropsNewline = false;
    const around = this.#tag.is;
    if ((around & (Is.foreign | Is.raw)) !== 0) {
      if ((around & Is.raw) !== 0) this.#pop();
      else if (!this.#readsHtml(name)) {
        this.#startInForeign(name, tag, attributes, isSelfClosing);
        return;
      }
    }
    if (this.#mode === 'in body') this.#startInBody(name, tag, attributes);
    else this.#start(this.#mode, name, tag, attributes);
    if (isSelfClosing && (tag.rule === 'svg' || tag.rule === 'math')) this.#pop();
  }

  /** An end tag. */
  close(name: string, tag: Tag): void {
    if (this.#tableText !== '') this.#flushTableText();
    this.#dropsNewline = false;
    const around = this.#tag.is;
    if ((around & (Is.foreign | Is.raw)) !== 0) {
      if ((around & Is.raw) !== 0) {
        this.#pop();
        return;
      }
      if (this.#endInForeign(name, tag)) return;
    }
    this.#end(this.#mode, name, tag);
  }

  text(source: string): void {
    let data = source;
    if (this.#dropsNewline) {
      this.#dropsNewline = false;
      data = data.replace(/^\r?\n/, '');
    }
    if (data === '') return;
    const isRaw = (this.#tag.is & (Is.foreign | Is.raw)) !== 0 && !this.#isAtPoint;
    if (isRaw) this.#appendText(data);
    else if (this.#mode === 'in body') {
      this.#reopen();
      this.#appendText(data);
    } else this.#textIn(this.#mode, data);
  }

  comment(data: string): void {
    if (this.#tableText !== '') this.#flushTableText();
    this.#dropsNewline = false;
    this.#count();
    const node = new TreeComment(this.document, data);
    const { document } = this;
    switch (this.#mode) {
      case 'before html':
        document.insertBefore(node, document.documentElement);
        return;
      case 'before head':
        document.documentElement.insertBefore(node, document.head);
        return;
      case 'after head':
        document.documentElement.insertBefore(node, document.body);
        return;
      case 'after body':
        append(document.documentElement, node);
        return;
      case 'after after body':
        append(document, node);
        return;
      default:
        this.#insertAt(node, this.#open.length - 1);
    }
  }

  end(): void {
    if (this.#tableText !== '') this.#flushTableText();
  }

  takesAttribute(inElement: number): boolean {
    if (inElement >= bounds.attributesOfElement) this.#cut.attributesOfElement = true;
    else if (this.#attributes >= (this.#limits.attributes ?? Infinity)) this.#cut.attributes = true;
    else {
      this.#attributes += 1;
      return true;
    }
    return false;
  }

  /** True in SVG or MathML, where the tokenizer must not read raw text. */
  get isInForeignContent(): boolean {
    return (this.#tag.is & Is.foreign) !== 0 && !this.#isAtPoint;
  }

  // Start tags.

  #start(mode: Mode, name: string, tag: Tag, attributes: Attributes): void {
    switch (mode) {
      case 'in body':
      case 'in head noscript':
        this.#startInBody(name, tag, attributes);
        return;
      case 'in cell':
      case 'in caption':
        if (tag.rule === 'cell' || tag.rule === 'table part') {
          const opened = mode === 'in caption' ? captionTag : undefined;
          if (opened === undefined ? this.#closeCell() : this.#closeCaption())
            this.#start(this.#mode, name, tag, attributes);
          return;
        }
        this.#startInBody(name, tag, attributes);
        return;
      case 'in row':
        if (tag.rule === 'cell') {
          this.#clearTo(Is.row | Is.tableContext);
          this.#insert(tag.name, tag, attributes);
          this.#mode = 'in cell';
          this.#formatting.push(undefined);
        } else if (tag.rule === 'table part') {
          if (this.#closeRow()) this.#start(this.#mode, name, tag, attributes);
        } else this.#startInTable(name, tag, attributes);
        return;
      case 'in table body':
        this.#startInTableBody(name, tag, attributes);
        return;
      case 'in table':
        this.#startInTable(name, tag, attributes);
        return;
      case 'in column group':
        if (tag.name === 'col') this.#insertVoid(tag.name, attributes);
        else if (tag.rule === 'template') this.#startInHead(tag, attributes);
        else if (tag.rule === 'html') this.#mergeHtml(attributes);
        else if (this.#tag === colgroupTag) {
          this.#pop();
          this.#mode = 'in table';
          this.#start('in table', name, tag, attributes);
        }
        return;
      case 'before html':
      case 'before head':
        this.#startBeforeHead(name, tag, attributes);
        return;
      case 'in head':
        if (tag.rule === 'html') this.#mergeHtml(attributes);
        else if (tag.rule !== 'head' && !this.#startInHead(tag, attributes)) {
          this.#leaveHead();
          this.#start('after head', name, tag, attributes);
        }
        return;
      case 'after head':
        this.#startAfterHead(name, tag, attributes);
        return;
      case 'in template':
        this.#startInTemplate(name, tag, attributes);
        return;
      case 'after body':
      case 'after after body':
        if (tag.rule !== 'html') this.#mode = 'in body';
        this.#startInBody(name, tag, attributes);
        return;
    }
  }

  #startBeforeHead(name: string, tag: Tag, attributes: Attributes): void {
    this.#mode = 'before head';
    if (tag.rule === 'html') {
      this.#mergeHtml(attributes);
      return;
    }
    this.#push(this.document.head, headTag, 2);
    this.#mode = 'in head';
    if (tag.rule === 'head') this.#merge(this.document.head, attributes);
    else this.#start('in head', name, tag, attributes);
  }

  #leaveHead(): void {
    this.#pop();
    this.#mode = 'after head';
  }

  #startAfterHead(name: string, tag: Tag, attributes: Attributes): void {
    switch (tag.rule) {
      case 'html':
        this.#mergeHtml(attributes);
        return;
      case 'body':
        this.#merge(this.document.body, attributes);
        this.#enterBody();
        return;
      case 'head':
        return;
      case 'meta':
      case 'raw':
      case 'template':
        if (tag.name === 'iframe' || tag.name === 'noembed') break;
        this.#push(this.document.head, headTag, 2);
        this.#startInHead(tag, attributes);
        this.#remove(this.document.head);
        return;
      default:
        break;
    }
    this.#enterBody();
    this.#startInBody(name, tag, attributes);
  }

  #enterBody(): void {
    this.#push(this.document.body, bodyTag, 2);
    this.#mode = 'in body';
  }

  /** False for an element that does not belong in a head. */
  #startInHead(tag: Tag, attributes: Attributes): boolean {
    switch (tag.rule) {
      case 'meta':
        this.#insertVoid(tag.name, attributes);
        return true;
      case 'raw':
        if (tag.name === 'iframe' || tag.name === 'noembed') return false;
        this.#insert(tag.name, tag, attributes);
        return true;
      case 'noscript':
        this.#headNoscript = this.#insert(tag.name, tag, attributes);
        this.#formatting.push(undefined);
        this.#mode = 'in head noscript';
        return true;
      case 'template':
        this.#insert(tag.name, tag, attributes);
        this.#formatting.push(undefined);
        this.#mode = 'in template';
        this.#templateModes.push('in template');
        return true;
      default:
        return false;
    }
  }

  /** A template in the noscript of a head is left first. */
  get #isInHeadNoscript(): boolean {
    const noscript = this.#headNoscript;
    if (noscript === undefined || this.#templateModes.length > 0) return false;
    return this.#open.includes(noscript);
  }

  /** Closes the noscript of a head and all elements in it. */
  #leaveHeadNoscript(): void {
    while (this.#top !== this.#headNoscript) this.#pop();
    this.#pop();
    this.#headNoscript = undefined;
    this.#clearFormatting();
    this.#mode = 'in head';
  }

  #startInBody(name: string, tag: Tag, attributes: Attributes): void {
    switch (tag.rule) {
      case 'ordinary':
        this.#reopen();
        this.#insert(tag === ordinaryTag ? name : tag.name, tag, attributes);
        return;
      case 'block':
        this.#closeParagraph();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'a': {
        const earlier = this.#lastFormatting(aTag);
        if (earlier !== undefined) {
          this.#adopt(aTag);
          this.#forget(earlier);
          if (this.#openFormatting.has(earlier.element)) this.#remove(earlier.element);
        }
        this.#startFormatting(tag, attributes);
        return;
      }
      case 'formatting':
        this.#startFormatting(tag, attributes);
        return;
      case 'li':
        this.#closeItem(liTag, liTag);
        this.#closeParagraph();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'void':
        this.#reopen();
        this.#insertVoid(tag.name, attributes);
        return;
      case 'br':
      case 'input':
        if (tag.rule === 'input' && this.#isInScope(selectTag)) this.#popTo(selectTag);
        this.#reopen();
        this.#insertVoid(tag.name, attributes);
        return;
      case 'p':
        this.#closeParagraph();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'heading':
        this.#closeParagraph();
        if ((this.#tag.is & Is.heading) !== 0) this.#pop();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'meta':
      case 'param':
        this.#insertVoid(tag.name, attributes);
        return;
      case 'raw':
        this.#insert(tag.name, tag, attributes);
        return;
      case 'table':
        if (!this.#isQuirky) this.#closeParagraph();
        this.#insert(tag.name, tag, attributes);
        this.#mode = 'in table';
        return;
      case 'button':
        if (this.#isInScope(buttonTag)) {
          this.#impliedEnds();
          this.#popTo(buttonTag);
        }
        this.#reopen();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'dd':
        this.#closeItem(ddTag, dtTag);
        this.#closeParagraph();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'option':
      case 'optgroup':
        if (this.#isInScope(selectTag))
          this.#impliedEnds(tag === optionTag ? optgroupTag : undefined);
        else if (this.#tag === optionTag) this.#pop();
        this.#reopen();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'select':
        if (this.#isInScope(selectTag)) {
          this.#popTo(selectTag);
          return;
        }
        this.#reopen();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'hr':
        this.#closeParagraph();
        if (this.#isInScope(selectTag)) this.#impliedEnds();
        this.#insertVoid(tag.name, attributes);
        return;
      case 'form':
        if (this.#form !== undefined && this.#templateModes.length === 0) return;
        this.#closeParagraph();
        this.#setForm(this.#insert(tag.name, tag, attributes));
        return;
      case 'pre':
        this.#closeParagraph();
        this.#insert(tag.name, tag, attributes);
        this.#dropsNewline = true;
        return;
      case 'textarea':
        this.#insert(tag.name, tag, attributes);
        this.#dropsNewline = true;
        return;
      case 'noscript':
        this.#insert(tag.name, tag, attributes);
        return;
      case 'object':
        this.#reopen();
        this.#insert(tag.name, tag, attributes);
        this.#formatting.push(undefined);
        return;
      case 'nobr':
        this.#reopen();
        if (this.#isInScope(nobrTag)) {
          this.#adopt(nobrTag);
          this.#reopen();
        }
        this.#startFormatting(tag, attributes);
        return;
      case 'svg':
      case 'math': {
        const kind = tag.rule === 'svg' ? Is.svg : Is.math;
        this.#reopen();
        this.#insert(
          tag.name,
          foreignTag(kind, tag.name, attributeIn(attributes, 'encoding')),
          attributes,
        );
        return;
      }
      case 'rb':
        if (this.#isInScope(rubyTag)) this.#impliedEnds();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'rt':
        if (this.#isInScope(rubyTag)) this.#impliedEnds(rtcTag);
        this.#insert(tag.name, tag, attributes);
        return;
      case 'xmp':
        this.#closeParagraph();
        this.#reopen();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'plaintext':
        this.#closeParagraph();
        this.#insert(tag.name, tag, attributes);
        return;
      case 'template':
        this.#startInHead(tag, attributes);
        return;
      case 'html':
        this.#mergeHtml(attributes);
        return;
      case 'body':
        if (this.#isInHeadNoscript) {
          this.#leaveHeadNoscript();
          this.#start('in head', name, tag, attributes);
        } else if (this.#templateModes.length === 0) this.#merge(this.document.body, attributes);
        return;
      case 'head':
      case 'cell':
      case 'table part':
        return;
    }
  }

  #startFormatting(tag: Tag, attributes: Attributes): void {
    this.#reopen();
    const element = this.#insert(tag.name, tag, attributes);
    this.#remember({ element, tag, attributes });
  }

  #setForm(form: TreeElement): void {
    if (this.#templateModes.length === 0) this.#form = form;
  }

  #startInTable(name: string, tag: Tag, attributes: Attributes): void {
    switch (tag.rule) {
      case 'table part':
        this.#clearTo(Is.tableContext);
        if (tag === captionTag) {
          this.#formatting.push(undefined);
          this.#insert(tag.name, tag, attributes);
          this.#mode = 'in caption';
        } else if (tag === colgroupTag) {
          this.#insert(tag.name, tag, attributes);
          this.#mode = 'in column group';
        } else if (tag.name === 'col') {
          this.#insert('colgroup', colgroupTag, noAttributes);
          this.#mode = 'in column group';
          this.#insertVoid(tag.name, attributes);
        } else if (tag === trTag) {
          this.#insert('tbody', tbodyTag, noAttributes);
          this.#mode = 'in table body';
          this.#startInTableBody(name, tag, attributes);
        } else {
          this.#insert(tag.name, tag, attributes);
          this.#mode = 'in table body';
        }
        return;
      case 'cell':
        this.#clearTo(Is.tableContext);
        this.#insert('tbody', tbodyTag, noAttributes);
        this.#mode = 'in table body';
        this.#startInTableBody(name, tag, attributes);
        return;
      case 'table':
        if (!this.#isInScope(tableTag, Is.tableScope)) return;
        this.#popTo(tableTag);
        this.#resetMode();
        this.#start(this.#mode, name, tag, attributes);
        return;
      case 'form':
        if (this.#form !== undefined || this.#templateModes.length > 0) return;
        this.#form = this.#insert(tag.name, tag, attributes);
        this.#pop();
        return;
      case 'input':
        if (attributeIn(attributes, 'type')?.toLowerCase() === 'hidden') {
          this.#insertVoid(tag.name, attributes);
          return;
        }
        break;
      case 'raw':
        if (tag.name === 'style' || tag.name === 'script') {
          this.#insert(tag.name, tag, attributes);
          return;
        }
        break;
      case 'template':
        this.#startInHead(tag, attributes);
        return;
      default:
        break;
    }
    this.#isFostering = true;
    this.#startInBody(name, tag, attributes);
    this.#isFostering = false;
  }

  #startInTableBody(name: string, tag: Tag, attributes: Attributes): void {
    if (tag === trTag) {
      this.#clearTo(Is.section | Is.tableContext);
      this.#insert(tag.name, tag, attributes);
      this.#mode = 'in row';
    } else if (tag.rule === 'cell') {
      this.#clearTo(Is.section | Is.tableContext);
      this.#insert('tr', trTag, noAttributes);
      this.#mode = 'in row';
      this.#start('in row', name, tag, attributes);
    } else if (tag.rule === 'table part') {
      if (this.#closeSection()) this.#startInTable(name, tag, attributes);
    } else this.#startInTable(name, tag, attributes);
  }

  #startInTemplate(name: string, tag: Tag, attributes: Attributes): void {
    if (tag.rule !== 'noscript' && this.#startInHead(tag, attributes)) return;
    let mode: Mode = 'in body';
    if (tag.rule === 'cell') mode = 'in row';
    else if (tag === trTag) mode = 'in table body';
    else if (tag.name === 'col') mode = 'in column group';
    else if (tag.rule === 'table part') mode = 'in table';
    this.#templateModes[this.#templateModes.length - 1] = mode;
    this.#mode = mode;
    this.#start(mode, name, tag, attributes);
  }

  // End tags.

  #end(mode: Mode, name: string, tag: Tag): void {
    switch (mode) {
      case 'in body':
      case 'in head noscript':
        this.#endInBody(name, tag);
        return;
      case 'in cell':
        if (tag.rule === 'cell') {
          if (this.#isInScope(tag, Is.tableScope)) this.#closeCell(tag);
        } else if (this.#isTablePart(tag)) {
          if (this.#isInScope(tag, Is.tableScope) && this.#closeCell())
            this.#end(this.#mode, name, tag);
        } else if (!this.#isIgnoredInTable(tag)) this.#endInBody(name, tag);
        return;
      case 'in caption':
        if (tag === captionTag) this.#closeCaption();
        else if (tag === tableTag) {
          if (this.#closeCaption()) this.#end(this.#mode, name, tag);
        } else if (!this.#isIgnoredInTable(tag) && !this.#isTablePart(tag) && tag.rule !== 'cell')
          this.#endInBody(name, tag);
        return;
      case 'in row':
        if (tag === trTag) this.#closeRow();
        else if (tag === tableTag || (tag.is & Is.section) !== 0) {
          if ((tag === tableTag || this.#isInScope(tag, Is.tableScope)) && this.#closeRow())
            this.#end(this.#mode, name, tag);
        } else this.#endInTable(name, tag);
        return;
      case 'in table body':
        if ((tag.is & Is.section) !== 0) {
          if (this.#isInScope(tag, Is.tableScope)) this.#closeSection();
        } else if (tag === tableTag) {
          if (this.#closeSection()) this.#end(this.#mode, name, tag);
        } else this.#endInTable(name, tag);
        return;
      case 'in table':
        this.#endInTable(name, tag);
        return;
      case 'in column group':
        if (tag === templateTag) this.#endTemplate();
        else if (tag.name !== 'col' && this.#tag === colgroupTag) {
          this.#pop();
          this.#mode = 'in table';
          if (tag !== colgroupTag) this.#end('in table', name, tag);
        }
        return;
      case 'in template':
        if (tag === templateTag) this.#endTemplate();
        return;
      case 'before html':
      case 'before head':
        if (tag.rule !== 'head' && !this.#opensBody(tag)) return;
        this.#startBeforeHead('head', headTag, noAttributes);
        this.#end('in head', name, tag);
        return;
      case 'in head':
        if (tag === templateTag) this.#endTemplate();
        else if (tag.rule === 'head') this.#leaveHead();
        else if (this.#opensBody(tag)) {
          this.#leaveHead();
          this.#end('after head', name, tag);
        }
        return;
      case 'after head':
        if (tag === templateTag) this.#endTemplate();
        else if (this.#opensBody(tag)) {
          this.#enterBody();
          this.#endInBody(name, tag);
        }
        return;
      case 'after body':
        if (tag.rule === 'html') this.#mode = 'after after body';
        else {
          this.#mode = 'in body';
          this.#endInBody(name, tag);
        }
        return;
      case 'after after body':
        this.#mode = 'in body';
        this.#endInBody(name, tag);
        return;
    }
  }

  #opensBody(tag: Tag): boolean {
    return tag.rule === 'body' || tag.rule === 'html' || tag.rule === 'br';
  }

  #isTablePart(tag: Tag): boolean {
    return tag === tableTag || tag === trTag || (tag.is & Is.section) !== 0;
  }

  #isIgnoredInTable(tag: Tag): boolean {
    return (
      tag.rule === 'body' ||
      tag.rule === 'html' ||
      (tag.rule === 'table part' && !this.#isTablePart(tag))
    );
  }

  #endInTable(name: string, tag: Tag): void {
    if (tag === tableTag) {
      if (!this.#isInScope(tableTag, Is.tableScope)) return;
      this.#popTo(tableTag);
      this.#resetMode();
    } else if (tag === templateTag) this.#endTemplate();
    else if (tag.rule !== 'cell' && tag.rule !== 'table part' && !this.#isIgnoredInTable(tag)) {
      this.#isFostering = true;
      this.#endInBody(name, tag);
      this.#isFostering = false;
    }
  }

  #endInBody(name: string, tag: Tag): void {
    if (this.#isInHeadNoscript) {
      const isOver = tag.rule === 'noscript';
      if (isOver || tag.rule === 'head' || tag.rule === 'body' || tag.rule === 'html') {
        this.#leaveHeadNoscript();
        if (!isOver) this.#end('in head', name, tag);
        return;
      }
    }
    switch (tag.rule) {
      case 'block':
      case 'button':
      case 'pre':
      case 'select':
        if (this.#tag === tag) this.#pop();
        else if (this.#isInScope(tag)) {
          this.#impliedEnds();
          this.#popTo(tag);
        }
        return;
      case 'a':
      case 'formatting':
      case 'nobr':
        this.#adopt(tag);
        return;
      case 'li':
        if (this.#isInScope(tag, Is.scope | Is.listScope)) {
          this.#impliedEnds(tag);
          this.#popTo(tag);
        }
        return;
      case 'p':
        if (this.#openParagraphs === 0 || !this.#isInScope(pTag, Is.scope | Is.buttonScope)) {
          this.#insert('p', pTag, noAttributes);
        }
        this.#closeParagraph();
        return;
      case 'dd':
        if (this.#isInScope(tag)) {
          this.#impliedEnds(tag);
          this.#popTo(tag);
        }
        return;
      case 'heading':
        this.#endHeading();
        return;
      case 'form':
        this.#endForm(tag);
        return;
      case 'object':
        if (this.#isInScope(tag)) {
          this.#impliedEnds();
          this.#popTo(tag);
          this.#clearFormatting();
        }
        return;
      case 'br':
        this.#startInBody('br', tag, noAttributes);
        return;
      case 'template':
        this.#endTemplate();
        return;
      case 'body':
      case 'html':
        if (this.#templateModes.length > 0 || !this.#isInScope(bodyTag)) return;
        this.#mode = tag.rule === 'body' ? 'after body' : 'after after body';
        return;
      default:
        this.#endOther(name, tag);
    }
  }

  /** Closes the innermost element of the name, unless a special element is between. */
  #endOther(name: string, tag: Tag): void {
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      const one = this.#tags[at];
      if (one === tag && (tag !== ordinaryTag || this.#open[at]?.localName === name)) {
        this.#impliedEnds(tag);
        while (this.#open.length > at) this.#pop();
        return;
      }
      if (one !== undefined && (one.is & Is.special) !== 0) return;
    }
  }

  #endHeading(): void {
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      const is = this.#tags[at]?.is ?? 0;
      if ((is & Is.heading) !== 0) {
        while (this.#open.length > at) this.#pop();
        return;
      }
      if ((is & Is.scope) !== 0) return;
    }
  }

  #endForm(tag: Tag): void {
    if (this.#templateModes.length > 0) {
      if (!this.#isInScope(tag)) return;
      this.#impliedEnds();
      this.#popTo(tag);
      return;
    }
    const form = this.#form;
    this.#form = undefined;
    if (form === undefined || !this.#isInScope(tag, Is.scope, form)) return;
    this.#impliedEnds();
    this.#remove(form);
  }

  #endTemplate(): void {
    if (this.#templateModes.length === 0) return;
    while (this.#tag !== templateTag) this.#pop();
    this.#pop();
    this.#clearFormatting();
    this.#resetMode();
  }

  // Text.

  #textIn(mode: Mode, data: string): void {
    switch (mode) {
      case 'in table':
      case 'in table body':
      case 'in row':
        if ((this.#tag.is & Is.fostering) !== 0) this.#tableText += data;
        else this.#textInBody(data);
        return;
      case 'before html':
      case 'before head': {
        const rest = data.replace(/^[\t\n\f\r ]+/, '');
        if (rest === '') return;
        this.#startBeforeHead('head', headTag, noAttributes);
        this.#textIn('in head', rest);
        return;
      }
      case 'in head':
      case 'after head':
      case 'in column group': {
        const [blank = ''] = /^[\t\n\f\r ]*/.exec(data) ?? [];
        if (blank !== '') {
          if (mode === 'after head') this.#textBeforeBody(blank);
          else this.#appendText(blank);
        }
        if (blank.length === data.length) return;
        const rest = data.slice(blank.length);
        if (mode === 'in head') {
          this.#leaveHead();
          this.#textIn('after head', rest);
        } else if (mode === 'after head') {
          this.#enterBody();
          this.#textInBody(rest);
        } else if (this.#tag === colgroupTag) {
          this.#pop();
          this.#mode = 'in table';
          this.#textIn('in table', rest);
        }
        return;
      }
      case 'after body':
      case 'after after body':
        if (/[^\t\n\f\r ]/.test(data)) this.#mode = 'in body';
        this.#textInBody(data);
        return;
      default:
        this.#textInBody(data);
    }
  }

  #textInBody(data: string): void {
    this.#reopen();
    this.#appendText(data);
  }

  #textBeforeBody(data: string): void {
    const { documentElement, body } = this.document;
    const last = body.previousSibling;
    if (last instanceof TreeText) last.data += data;
    else {
      this.#count();
      documentElement.insertBefore(new TreeText(this.document, data), body);
    }
  }

  #flushTableText(): void {
    const data = this.#tableText;
    this.#tableText = '';
    if (/[^\t\n\f\r ]/.test(data)) {
      this.#isFostering = true;
      this.#textInBody(data);
      this.#isFostering = false;
    } else this.#appendText(data);
  }

  #appendText(data: string): void {
    const top = this.#open.length - 1;
    const table = this.#isFostering ? this.#fosterTable() : undefined;
    let parent: TreeNode = this.#top;
    let last = parent.lastChild;
    if (table !== undefined) {
      if (table.localName === 'table') last = table.previousSibling;
      else last = table.lastChild;
    } else if ((this.#levels[top] ?? 0) >= this.#depth && parent.nextSibling !== null) {
      // An element in it was too deep and became a sibling: the text follows that element.
      parent = parent.parentNode ?? parent;
      last = parent.lastChild;
    }
    if (last instanceof TreeText) {
      last.data += data;
      return;
    }
    this.#count();
    const node = new TreeText(this.document, data);
    if (table === undefined) append(parent, node);
    else if (table.localName === 'table') table.parentNode?.insertBefore(node, table);
    else append(table, node);
  }

  // SVG and MathML.

  /** True where a start tag in SVG or MathML follows the rules of HTML. */
  #readsHtml(name: string): boolean {
    const { is } = this.#tag;
    if ((is & Is.htmlPoint) !== 0) return true;
    if ((is & Is.mathTextPoint) !== 0) return name !== 'mglyph' && name !== 'malignmark';
    return name === 'svg' && this.#top.localName === 'annotation-xml';
  }

  #startInForeign(name: string, tag: Tag, attributes: Attributes, isSelfClosing: boolean): void {
    const isFont =
      name === 'font' &&
      ['color', 'face', 'size'].some((one) => attributeIn(attributes, one) !== undefined);
    if ((tag.is & Is.foreignEnd) !== 0 || isFont) {
      this.#leaveForeign();
      this.#start(this.#mode, name, tag, attributes);
      return;
    }
    const kind = this.#tag.is & Is.foreign;
    const adjusted = kind === Is.svg ? (svgNames.get(name) ?? name) : name;
    this.#insert(
      adjusted,
      foreignTag(kind, adjusted, attributeIn(attributes, 'encoding')),
      attributes,
    );
    if (isSelfClosing) this.#pop();
  }

  #leaveForeign(): void {
    while ((this.#tag.is & Is.foreign) !== 0 && !this.#isAtPoint) this.#pop();
  }

  get #isAtPoint(): boolean {
    return (this.#tag.is & (Is.htmlPoint | Is.mathTextPoint)) !== 0;
  }

  /** False if the end tag is left to the rules of HTML. */
  #endInForeign(name: string, tag: Tag): boolean {
    if (name === 'br' || name === 'p') {
      this.#leaveForeign();
      return false;
    }
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      if (((this.#tags[at]?.is ?? 0) & Is.foreign) === 0) {
        this.#end(this.#mode, name, tag);
        return true;
      }
      if (this.#open[at]?.localName.toLowerCase() === name) {
        while (this.#open.length > at) this.#pop();
        return true;
      }
    }
    return true;
  }

  // Open elements.

  get #top(): TreeElement {
    return this.#open[this.#open.length - 1] ?? this.document.documentElement;
  }

  get #tag(): Tag {
    return this.#tags[this.#tags.length - 1] ?? htmlTag;
  }

  get #searchedFrom(): number {
    return Math.max(0, this.#open.length - bounds.searched);
  }

  #insert(name: string, tag: Tag, attributes: Attributes): TreeElement {
    const element = this.#create(name, attributes);
    this.#push(element, tag, this.#insertAt(element, this.#open.length - 1));
    return element;
  }

  #insertVoid(name: string, attributes: Attributes): void {
    this.#insertAt(this.#create(name, attributes), this.#open.length - 1);
  }

  #create(name: string, attributes: Attributes): TreeElement {
    this.#count();
    return new TreeElement(this.document, name, attributes);
  }

  /** Inserts a new node into an open element or at the foster parent. Returns its level in the tree. */
  #insertAt(node: TreeNode, at: number): number {
    const table = this.#isFostering ? this.#fosterTable() : undefined;
    if (table !== undefined) {
      const level = this.#levels[this.#open.lastIndexOf(table)] ?? this.#depth;
      if (table.localName === 'table') {
        table.parentNode?.insertBefore(node, table);
        return level;
      }
      append(table, node);
      return Math.min(level + 1, this.#depth);
    }
    let parent: TreeNode = this.#open[at] ?? this.document.documentElement;
    let level = (this.#levels[at] ?? 1) + 1;
    if (level > this.#depth && node instanceof TreeElement) this.#cut.depth = true;
    // Unrendered elements need a level for their content, which would otherwise be rendered beside them.
    const isRendered = !(node instanceof TreeElement && unshown.has(node.localName));
    const deepest = isRendered ? this.#depth : Math.max(this.#depth - 1, 3);
    for (; level > deepest; level -= 1) parent = parent.parentNode ?? parent;
    append(parent, node);
    return level;
  }

  /** The table before which a foster-parented node is inserted, or the template that gets it; undefined without foster parenting. */
  #fosterTable(): TreeElement | undefined {
    if ((this.#tag.is & Is.fostering) === 0) return undefined;
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      const tag = this.#tags[at];
      if (tag === tableTag || tag === templateTag) return this.#open[at];
    }
    return undefined;
  }

  #push(element: TreeElement, tag: Tag, level: number): void {
    this.#open.push(element);
    this.#tags.push(tag);
    this.#levels.push(level);
    if (tag === pTag) this.#openParagraphs += 1;
  }

  #pop(): void {
    if (this.#open.length === 1) return;
    const element = this.#open.pop();
    const tag = this.#tags.pop();
    this.#levels.pop();
    if (tag === undefined || element === undefined) return;
    if (tag === pTag) this.#openParagraphs -= 1;
    else if (tag === templateTag) this.#templateModes.pop();
    else if ((tag.is & Is.formatting) !== 0) this.#openFormatting.delete(element);
  }

  #popTo(tag: Tag): void {
    while (this.#open.length > 1 && this.#tag !== tag) this.#pop();
    this.#pop();
  }

  /** Removes an element from anywhere in the stack of open elements. */
  #remove(element: TreeElement): void {
    const at = this.#open.lastIndexOf(element);
    if (at < 0) return;
    const tag = this.#tags[at];
    this.#open.splice(at, 1);
    this.#tags.splice(at, 1);
    this.#levels.splice(at, 1);
    if (tag === pTag) this.#openParagraphs -= 1;
    this.#openFormatting.delete(element);
  }

  #isInScope(tag: Tag, barrier: number = Is.scope, element?: TreeElement): boolean {
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      const one = this.#tags[at];
      if (one === tag && (element === undefined || this.#open[at] === element)) return true;
      if (one !== undefined && (one.is & barrier) !== 0) return false;
    }
    return false;
  }

  /** Generates implied end tags, except for `except`. */
  #impliedEnds(except?: Tag): void {
    while ((this.#tag.is & Is.impliedEnd) !== 0 && this.#tag !== except) this.#pop();
  }

  #closeParagraph(): void {
    if (this.#openParagraphs === 0) return;
    if (this.#tag === pTag) this.#pop();
    else if (this.#isInScope(pTag, Is.scope | Is.buttonScope)) this.#popTo(pTag);
  }

  /** Closes the open list item (or dd, dt). */
  #closeItem(one: Tag, other: Tag): void {
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      const tag = this.#tags[at];
      if (tag === one || tag === other) {
        while (this.#open.length > at) this.#pop();
        return;
      }
      if (tag !== undefined && (tag.is & (Is.special | Is.address)) === Is.special) return;
    }
  }

  #clearTo(context: number): void {
    while ((this.#tag.is & context) === 0) this.#pop();
  }

  #closeCell(tag?: Tag): boolean {
    const cell = tag ?? (this.#isInScope(tdTag, Is.tableScope) ? tdTag : thTag);
    if (!this.#isInScope(cell, Is.tableScope)) return false;
    this.#popTo(cell);
    this.#clearFormatting();
    this.#mode = 'in row';
    return true;
  }

  #closeCaption(): boolean {
    if (!this.#isInScope(captionTag, Is.tableScope)) return false;
    this.#popTo(captionTag);
    this.#clearFormatting();
    this.#mode = 'in table';
    return true;
  }

  #closeRow(): boolean {
    if (!this.#isInScope(trTag, Is.tableScope)) return false;
    this.#clearTo(Is.row | Is.tableContext);
    this.#pop();
    this.#mode = 'in table body';
    return true;
  }

  #closeSection(): boolean {
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      const is = this.#tags[at]?.is ?? 0;
      if ((is & Is.section) !== 0) {
        this.#clearTo(Is.section | Is.tableContext);
        this.#pop();
        this.#mode = 'in table';
        return true;
      }
      if ((is & Is.tableScope) !== 0) return false;
    }
    return false;
  }

  #resetMode(): void {
    this.#mode = this.#modeHere();
  }

  #modeHere(): Mode {
    for (let at = this.#open.length - 1; at >= this.#searchedFrom; at -= 1) {
      const tag = this.#tags[at];
      if (tag === tdTag || tag === thTag) return 'in cell';
      if (tag === trTag) return 'in row';
      if (tag === captionTag) return 'in caption';
      if (tag === colgroupTag) return 'in column group';
      if (tag === tableTag) return 'in table';
      if (tag === templateTag) return this.#templateModes.at(-1) ?? 'in body';
      if (tag === headTag) return 'in head';
      if (tag === bodyTag) return 'in body';
      if (tag !== undefined && (tag.is & Is.section) !== 0) return 'in table body';
      if (this.#open[at] === this.#headNoscript) return 'in head noscript';
      if (at === 0) return 'after head';
    }
    return 'in body';
  }

  // Formatting elements: those still open at the end of a block are reconstructed in the next.

  #remember(entry: Formatting): void {
    const list = this.#formatting;
    let same = 0;
    let first = list.length;
    let earliest = -1;
    for (let at = list.length - 1; at >= 0; at -= 1) {
      const other = list[at];
      if (other === undefined) break;
      first = at;
      if (other.tag === entry.tag && haveSameAttributes(other.attributes, entry.attributes)) {
        same += 1;
        earliest = at;
      }
    }
    if (same >= 3) list.splice(earliest, 1);
    else if (list.length - first >= bounds.reopened) list.splice(first, 1);
    list.push(entry);
    this.#openFormatting.add(entry.element);
  }

  /** The last formatting element of the name after the last marker. */
  #lastFormatting(tag: Tag): Formatting | undefined {
    for (let at = this.#formatting.length - 1; at >= 0; at -= 1) {
      const entry = this.#formatting[at];
      if (entry === undefined) return undefined;
      if (entry.tag === tag) return entry;
    }
    return undefined;
  }

  #forget(entry: Formatting): void {
    const at = this.#formatting.lastIndexOf(entry);
    if (at >= 0) this.#formatting.splice(at, 1);
  }

  /** Clears the list up to the last marker. */
  #clearFormatting(): void {
    while (this.#formatting.length > 0 && this.#formatting.pop() !== undefined);
  }

  /** The attributes of a copy count too: one tag may be copied into each paragraph. */
  #copyOf(attributes: Attributes): Attributes {
    let count = 0;
    while (2 * count < attributes.length && this.takesAttribute(count)) count += 1;
    return 2 * count < attributes.length ? attributes.slice(0, 2 * count) : attributes;
  }

  /** Reconstructs the active formatting elements (13.2.4.3). */
  #reopen(): void {
    const list = this.#formatting;
    let at = list.length - 1;
    for (; at >= 0; at -= 1) {
      const entry = list[at];
      if (entry === undefined || this.#openFormatting.has(entry.element)) break;
    }
    for (at += 1; at < list.length; at += 1) {
      const entry = list[at];
      if (entry === undefined) return;
      entry.element = this.#insert(entry.tag.name, entry.tag, this.#copyOf(entry.attributes));
      this.#openFormatting.add(entry.element);
    }
  }

  /** The adoption agency algorithm (13.2.6.4.7): closes a formatting element across open blocks inside of it. */
  #adopt(tag: Tag): void {
    if (this.#tag === tag) {
      const isLast = this.#formatting.at(-1)?.element === this.#top;
      if (isLast) this.#formatting.pop();
      if (isLast || !this.#isRemembered(this.#top)) {
        this.#pop();
        return;
      }
    }
    for (let round = 0; round < 8; round += 1) {
      const entry = this.#lastFormatting(tag);
      if (entry === undefined) {
        if (round === 0) this.#endOther(tag.name, tag);
        return;
      }
      const { element } = entry;
      if (element === this.#top) {
        this.#pop();
        this.#forget(entry);
        return;
      }
      if (!this.#openFormatting.has(element)) {
        this.#forget(entry);
        return;
      }
      if (!this.#isInScope(tag, Is.scope, element)) return;
      const index = this.#open.lastIndexOf(element);
      let furthest = index + 1;
      while (furthest < this.#open.length && ((this.#tags[furthest]?.is ?? 0) & Is.special) === 0)
        furthest += 1;
      // Beyond the depth limit, where levels are flattened, nothing is moved.
      if (furthest === this.#open.length || (this.#levels.at(-1) ?? 0) >= this.#depth) {
        while (this.#open.length > index) this.#pop();
        this.#forget(entry);
        return;
      }
      this.#moveOut(entry, index, furthest);
    }
  }

  #isRemembered(element: TreeElement): boolean {
    for (let at = this.#formatting.length - 1; at >= 0; at -= 1) {
      const entry = this.#formatting[at];
      if (entry?.element === element) return true;
    }
    return false;
  }

  /**
   * Moves the furthest block out of the formatting element at `index`, and wraps its content in a copy of
   * that element.
   */
  #moveOut(entry: Formatting, index: number, furthest: number): void {
    const block = this.#open[furthest];
    const around = this.#open[index - 1];
    if (block === undefined || around === undefined) return;
    let bookmark = this.#formatting.lastIndexOf(entry);
    let last: TreeElement = block;
    let at = furthest;
    let blockAt = furthest;
    for (let inner = 1; at - 1 > index; inner += 1) {
      at -= 1;
      const node = this.#open[at];
      const tag = this.#tags[at];
      if (node === undefined || tag === undefined) break;
      let found = this.#openFormatting.has(node)
        ? this.#formatting.findLastIndex((one) => one?.element === node)
        : -1;
      if (inner > 3 && found >= 0) {
        this.#formatting.splice(found, 1);
        if (found < bookmark) bookmark -= 1;
        found = -1;
      }
      const copied = this.#formatting[found];
      if (copied === undefined) {
        this.#remove(node);
        blockAt -= 1;
        continue;
      }
      const copy = this.#create(tag.name, this.#copyOf(copied.attributes));
      this.#openFormatting.delete(node);
      this.#openFormatting.add(copy);
      copied.element = copy;
      this.#open[at] = copy;
      if (last === block) bookmark = found + 1;
      copy.appendChild(last);
      last = copy;
    }
    last.unlink();
    if (((this.#tags[index - 1]?.is ?? 0) & Is.fostering) === 0) around.appendChild(last);
    else this.#insertBeforeTable(last, index - 1);
    const copy = this.#create(entry.tag.name, this.#copyOf(entry.attributes));
    for (let child = block.firstChild; child !== null; child = block.firstChild) {
      child.unlink();
      append(copy, child);
    }
    append(block, copy);
    const old = this.#formatting.lastIndexOf(entry);
    this.#formatting.splice(old, 1);
    if (old < bookmark) bookmark -= 1;
    this.#formatting.splice(bookmark, 0, { ...entry, element: copy });
    this.#remove(entry.element);
    const level = this.#levels[blockAt - 1] ?? this.#depth;
    this.#open.splice(blockAt, 0, copy);
    this.#tags.splice(blockAt, 0, entry.tag);
    this.#levels.splice(blockAt, 0, level + 1);
    this.#openFormatting.add(copy);
  }

  #insertBeforeTable(node: TreeElement, from: number): void {
    for (let at = from; at >= 0; at -= 1) {
      const table = this.#open[at];
      if (this.#tags[at] === templateTag) {
        table?.appendChild(node);
        return;
      }
      if (this.#tags[at] !== tableTag || table === undefined) continue;
      table.parentNode?.insertBefore(node, table);
      return;
    }
  }

  #mergeHtml(attributes: Attributes): void {
    if (this.#templateModes.length === 0) this.#merge(this.document.documentElement, attributes);
  }

  #merge(element: TreeElement, attributes: Attributes): void {
    this.#count();
    const present = new Set(element.attributes.map(({ name }) => name));
    for (let at = 0; at < attributes.length; at += 2) {
      const name = attributes[at] as string;
      if (present.has(name)) continue;
      if (this.#merged >= bounds.attributesOfElement) {
        this.#cut.attributesOfElement = true;
        return;
      }
      this.#merged += 1;
      element.setAttribute(name, attributes[at + 1] as string);
    }
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes <= this.#limits.nodes) return;
    throw new PagewrightError(
      'PARSE_LIMIT',
      `The page has more than ${this.#limits.nodes} nodes. Raise limits.nodes to read it.`,
    );
  }
}

function knownTag(name: string): Tag {
  return htmlTags.get(name) ?? ordinaryTag;
}

function haveSameAttributes(one: Attributes, other: Attributes): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 2) {
    if (attributeIn(other, one[at] as string) !== one[at + 1]) return false;
  }
  return true;
}

/**
 * Appends a new node without the checks and unlinking of `appendChild`, which a node without a parent does
 * not need.
 */
function append(parent: TreeNode, node: TreeNode): void {
  const last = parent.lastChild;
  node.parentNode = parent;
  node.previousSibling = last;
  if (last === null) parent.firstChild = node;
  else last.nextSibling = node;
  parent.lastChild = node;
}
