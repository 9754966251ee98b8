/** Void elements, end tags that HTML implies, and the names of SVG elements. */

/** Elements without content and end tag. */
export const voidElements: ReadonlySet<string> = new Set(
  (
    'area base basefont br col command embed frame hr img input isindex keygen link meta param ' +
    'source track wbr'
  ).split(' '),
);

const paragraphEnders =
  'address article aside blockquote details div dl fieldset figcaption figure footer form header ' +
  'hr main nav ol p pre section table ul';

/** Start tags, and the open elements that they end. */
const impliedEnds: readonly (readonly [starts: string, ends: string])[] = [
  ['tr', 'tr th td'],
  ['th', 'th'],
  ['td', 'thead th td'],
  ['body', 'head link script'],
  ['a', 'a'],
  ['li', 'li'],
  [paragraphEnders, 'p'],
  ['h1 h2 h3 h4 h5 h6', 'h1 h2 h3 h4 h5 h6 p'],
  [
    'select input output button datalist textarea',
    'input option optgroup select button datalist textarea',
  ],
  ['option', 'option'],
  ['optgroup', 'optgroup option'],
  ['dd dt', 'dd dt'],
  ['rt rp', 'rt rp'],
  ['tbody tfoot', 'thead tbody'],
];

/** By start tag: the elements that end when they are the innermost open ones. */
export const endsBefore: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  impliedEnds.flatMap(([starts, ends]) => {
    const ended = new Set(ends.split(' '));
    return starts.split(' ').map((name) => [name, ended] as const);
  }),
);

/** Elements of HTML that end a drawing or a formula which is still open (HTML Standard, 13.2.6.5). */
export const foreignEnds: ReadonlySet<string> = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol ' +
    'p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

/** Elements of SVG and MathML that hold HTML; `foreignObject` as it is written after adjustment. */
export const htmlIntegrationPoints: ReadonlySet<string> = new Set(
  'mi mo mn ms mtext annotation-xml foreignObject desc title'.split(' '),
);

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
