/** Tables of element names: void elements, blocks, the parsing rules of HTML elements, SVG elements, quirky document types. */

/** Elements without content and end tag. */
export const voidElements: ReadonlySet<string> = new Set(
  (
    'area base basefont bgsound br col command embed frame hr img input isindex keygen link meta param ' +
    'source track wbr'
  ).split(' '),
);

/** True for h1 to h6. */
export function isHeadingName(name: string): boolean {
  return name.length === 2 && name >= 'h1' && name <= 'h6';
}

/** Elements that the HTML standard's rendering section displays as blocks, tables or list items. */
export const blockElements: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li ' +
    'listing main menu nav ol optgroup option p plaintext pre search section summary table tbody ' +
    'td tfoot th thead tr ul xmp'
  ).split(' '),
);

/** The rule for a start tag in a body, or for an end tag (HTML Standard, 13.2.6.4.7). */
export type TagRule =
  | 'a'
  | 'block'
  | 'body'
  | 'br'
  | 'button'
  | 'cell'
  | 'dd'
  | 'form'
  | 'formatting'
  | 'head'
  | 'heading'
  | 'hr'
  | 'html'
  | 'input'
  | 'li'
  | 'math'
  | 'meta'
  | 'nobr'
  | 'noscript'
  | 'object'
  | 'optgroup'
  | 'option'
  | 'ordinary'
  | 'p'
  | 'param'
  | 'plaintext'
  | 'pre'
  | 'raw'
  | 'rb'
  | 'rt'
  | 'select'
  | 'svg'
  | 'table'
  | 'table part'
  | 'template'
  | 'textarea'
  | 'void'
  | 'xmp';

/** The parsing rules of a name. One object for each known name, so that tags are compared by identity. */
export interface Tag {
  readonly name: string;
  readonly rule: TagRule;
  /** Bits of `Is`. */
  readonly is: number;
}

/** Groups of elements that the standard names (13.2.4.2 and 13.2.6). */
export const Is = {
  special: 1,
  scope: 2,
  listScope: 4,
  buttonScope: 8,
  tableScope: 16,
  /** The end tag may be left out. */
  impliedEnd: 32,
  formatting: 64,
  /** Content of these is foster-parented: put before the table. */
  fostering: 128,
  /** table, template, html: with `section` or `row`, the context to which the stack is cleared for rows and cells. */
  tableContext: 256,
  section: 512,
  row: 1024,
  /** Raw text or RCDATA: the tokenizer gives text only. */
  raw: 2048,
  svg: 4096,
  math: 8192,
  foreign: 12288,
  htmlPoint: 16384,
  mathTextPoint: 32768,
  /** Ends open SVG and MathML elements. */
  foreignEnd: 65536,
  heading: 131072,
  address: 262144,
  thoroughlyImplied: 524288,
} as const;

const rules: Partial<Record<TagRule, string>> = {
  block:
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure ' +
    'footer header hgroup main menu nav ol search section summary ul',
  heading: 'h1 h2 h3 h4 h5 h6',
  pre: 'pre listing',
  dd: 'dd dt',
  formatting: 'b big code em font i s small strike strong tt u',
  object: 'applet marquee object',
  void: 'area embed frame img keygen wbr',
  param: 'param source track',
  meta: 'base basefont bgsound link meta',
  raw: 'title style script noframes noembed iframe',
  rb: 'rb rtc',
  rt: 'rt rp',
  cell: 'td th',
  'table part': 'caption col colgroup tbody tfoot thead tr',
};

const ownRules =
  'a body br button form head hr html input li math nobr noscript optgroup option p plaintext ' +
  'select svg table template textarea xmp';

const groups: readonly (readonly [bits: number, names: string])[] = [
  [
    Is.special,
    'address applet area article aside base basefont bgsound blockquote body br button caption ' +
      'center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form ' +
      'frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link ' +
      'listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre ' +
      'script search section select source style summary table tbody td template textarea tfoot th ' +
      'thead title tr track ul wbr xmp',
  ],
  [Is.scope, 'applet caption html table td th marquee object select template'],
  [Is.listScope, 'ol ul'],
  [Is.buttonScope, 'button'],
  [Is.tableScope | Is.tableContext, 'html table template'],
  [Is.impliedEnd, 'dd dt li optgroup option p rb rp rt rtc'],
  [
    Is.thoroughlyImplied,
    'caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr',
  ],
  [Is.formatting, 'a b big code em font i nobr s small strike strong tt u'],
  [Is.fostering, 'table tbody tfoot thead tr'],
  [Is.section, 'tbody tfoot thead'],
  [Is.row, 'tr'],
  [Is.raw, 'title style script noframes noembed iframe textarea xmp'],
  [Is.heading, 'h1 h2 h3 h4 h5 h6'],
  [Is.address, 'address div p'],
  [
    Is.foreignEnd,
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li ' +
      'listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  ],
];

/** The HTML elements that have rules, by name. */
export const htmlTags: ReadonlyMap<string, Tag> = buildTags();

function buildTags(): Map<string, Tag> {
  const ruleOf = new Map<string, TagRule>();
  for (const [rule, names] of Object.entries(rules)) {
    for (const name of names.split(' ')) ruleOf.set(name, rule as TagRule);
  }
  for (const name of ownRules.split(' ')) ruleOf.set(name, name as TagRule);
  const bits = new Map<string, number>([...ruleOf.keys()].map((name) => [name, 0]));
  for (const [bit, names] of groups) {
    for (const name of names.split(' ')) bits.set(name, (bits.get(name) ?? 0) | bit);
  }
  const tags = new Map<string, Tag>();
  for (const [name, is] of bits) {
    tags.set(name, { name, is, rule: ruleOf.get(name) ?? 'ordinary' });
  }
  return tags.set('image', { name: 'img', is: 0, rule: 'void' });
}

const mathTextPoints = new Set('mi mo mn ms mtext'.split(' '));
const svgHtmlPoints = new Set('foreignObject desc title'.split(' '));
const noTag = { name: '', rule: 'ordinary' } as const;

/** A name without rules. */
export const ordinaryTag: Tag = { ...noTag, is: 0 };
const svgTag: Tag = { ...noTag, is: Is.svg };
const svgPoint: Tag = { ...noTag, is: Is.svg | Is.htmlPoint | Is.special | Is.scope };
const mathTag: Tag = { ...noTag, is: Is.math };
const mathText: Tag = { ...noTag, is: Is.math | Is.mathTextPoint | Is.special | Is.scope };
const annotation: Tag = { ...noTag, is: Is.math | Is.special | Is.scope };
const htmlAnnotation: Tag = { ...noTag, is: annotation.is | Is.htmlPoint };

/** The rules of an element of SVG or MathML; `encoding` is its attribute of that name. */
export function foreignTag(kind: number, name: string, encoding: string | undefined): Tag {
  if (kind === Is.svg) return svgHtmlPoints.has(name) ? svgPoint : svgTag;
  if (mathTextPoints.has(name)) return mathText;
  if (name !== 'annotation-xml') return mathTag;
  return /^(?:text\/html|application\/xhtml\+xml)$/i.test(encoding ?? '')
    ? htmlAnnotation
    : annotation;
}

/** HTML standard, 13.2.6.5: names of SVG elements that are not all lower-case, by the lower-case name. */
export const svgNames: ReadonlyMap<string, string> = new Map(
  (
    'altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend ' +
    'feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting ' +
    'feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR ' +
    'feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight ' +
    'feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient ' +
    'radialGradient textPath'
  )
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
);

/** True for the document types of quirks mode, and for none: a table then stays in its paragraph (HTML Standard, 13.2.6.4.1). */
export function isQuirky(doctype: string): boolean {
  const [, name = '', kind = '', first = '', second] =
    /^doctype\s*([^\s>]*)\s*(public|system)?\s*(?:["']([^"']*)["']\s*(?:["']([^"']*)["'])?)?/i.exec(
      doctype,
    ) ?? [];
  if (name.toLowerCase() !== 'html') return true;
  if (kind === '') return false;
  const system = kind.toLowerCase() === 'system' ? first : second;
  if (/^http:\/\/www\.ibm\.com\/data\/dtd\/v11\/ibmxhtml1-transitional\.dtd$/i.test(system ?? ''))
    return true;
  if (kind.toLowerCase() === 'system') return false;
  if (/^-\/\/W3C\/\/DTD HTML 4\.01 (?:frameset|transitional)\/\//i.test(first))
    return system === undefined;
  return quirkyPublicId.test(first);
}

const quirkyPublicId = new RegExp(
  '^(?:html$|-/W3C/DTD HTML 4\\.0 Transitional/EN$|-//W3O//DTD W3 HTML (?:Strict )?3\\.0|\\+//Silmaril//|-//AS//|-//AdvaSoft Ltd//|-//IETF//DTD HTML|-//Metrius//|' +
    "-//Microsoft//DTD Internet Explorer|-//Netscape Comm\\. Corp\\.//|-//O'Reilly and Associates//|" +
    '-//SQ//|-//SoftQuad (?:Software)?//|-//Spyglass//|-//Sun Microsystems Corp\\.//|' +
    '-//W3C//DTD HTML (?:3|4\\.0 (?:Frameset|Transitional)//|Experimental)|-//W3C//DTD W3 HTML|-//W3O//|-//WebTechs//)',
  'i',
);
