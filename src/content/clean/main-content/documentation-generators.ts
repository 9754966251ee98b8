/** Elements in the pages of documentation generators: ids as `#id`, classes as `.class`, `main` by tag or role. */

/** A generator, or several that use the same names. */
export interface Generator {
  /** Elements with the content and the title. */
  readonly boxes: readonly string[];
  /** Elements of which its pages have at least one. */
  readonly signs: readonly string[];
  /** Elements in the boxes that are not content. */
  readonly additions?: readonly string[];
}

export const generators: readonly Generator[] = [
  // Docusaurus, VitePress, VuePress, Starlight, Material for MkDocs, Node.js
  {
    boxes: [
      '.theme-doc-markdown',
      '.vp-doc',
      '.theme-default-content',
      '.sl-markdown-content',
      '.md-content__inner',
      '#apicontent',
    ],
    signs: [
      '.theme-doc-sidebar-container',
      '.theme-doc-breadcrumbs',
      '.theme-doc-footer',
      '.VPContent',
      '.VPDoc',
      '.theme-container',
      '.sidebar-pane',
      '.md-main',
      '#column1',
    ],
    additions: ['.md-content__button'],
  },
  // rustdoc
  {
    boxes: ['#main-content'],
    signs: ['.rustdoc-toggle', '.docblock'],
    additions: [
      '.srclink',
      '.src',
      '.since',
      '.notable-traits',
      '.hideme',
      '.test-arrow',
      '.tooltip',
      '#copy-path',
      '.rustdoc-breadcrumbs',
    ],
  },
  // javadoc, RDoc
  {
    boxes: ['main'],
    signs: ['.member-signature', '.class-description', '.method-detail', '.documentation-section'],
    additions: ['.sub-nav', '.method-click-advice'],
  },
  // Sphinx in its themes, MkDocs, mdBook
  {
    boxes: ['main'],
    signs: [
      '.sphinxsidebar',
      '.documentwrapper',
      '.rst-content',
      '.bd-article',
      '#furo-main-content',
      '.sidebar-drawer',
      '.wy-nav-content',
      '.bs-sidebar',
      '.sidebar-scrollbox',
    ],
    additions: ['.viewcode-link', '.viewcode-back'],
  },
  // SQLAlchemy
  { boxes: ['#docs-body'], signs: ['#docs-body'], additions: ['.viewcode-link'] },
  // doxygen
  {
    boxes: ['.headertitle', '.contents'],
    signs: ['.memitem', '.memberdecls', '#doc-content', '.headertitle'],
    additions: ['.ingroups', '.dyncontent', '.permalink', '.ttc', '.lineno'],
  },
  // gi-docgen
  { boxes: ['#main'], signs: ['.toggle-wrapper'], additions: ['.srclink'] },
  // GTK-Doc, DocBook
  {
    boxes: ['.refentry', '.chapter', '.appendix', '.sect1', '.sect2', '.section'],
    signs: ['.refnamediv', '.titlepage'],
  },
  // Crystal
  {
    boxes: ['.main-content'],
    signs: ['.type-name', '.entry-detail'],
    additions: ['.method-permalink', '.view-source'],
  },
  // Haddock
  {
    boxes: ['#module-header', '#description', '#interface'],
    signs: ['#interface'],
    additions: ['.info', '.link', '.selflink'],
  },
  // odoc
  { boxes: ['.odoc-preamble', '.odoc-content'], signs: ['.odoc-preamble'] },
  // Scaladoc
  {
    boxes: ['#definition', '#signature', '#comment', '#template'],
    signs: ['#linearization', '#mbrsel'],
    additions: ['#mbrsel', '.permalink', '#owner'],
  },
  // Scribble
  {
    boxes: ['.main'],
    signs: ['.tocset'],
    additions: ['.navsettop', '.navsetbottom', '.versionbox'],
  },
  // Nim
  { boxes: ['.title', '#content'], signs: ['#global-links'], additions: ['.link-seesrc'] },
  // YARD
  {
    boxes: ['#content'],
    signs: ['#filecontents', '.method_details', '.box_info'],
    additions: ['.showSource', '.toggleSource', '.summary_toggle', '.inheritanceTree'],
  },
  // AsciiDoc, TypeDoc, ExDoc
  {
    boxes: ['#header', '#content', '.col-content', '.content-inner'],
    signs: ['.sectionbody', '.tsd-panel', '.exdoc-page'],
    additions: ['#reference-version'],
  },
  // LDoc, Erlang
  { boxes: ['#content'], signs: ['.function_list', '.module_list', '.innertube'] },
  // QDoc
  {
    boxes: ['.mainContent'],
    signs: ['.qml', '.cpp', '.qmlproto', '.memproto', '.navigationbar'],
    additions: ['.sidebar'],
  },
];

/** Lists of the headings of a page. */
export const contentsMarks: readonly string[] = [
  '.toc',
  '#toc',
  '#TOC',
  '.contents',
  '#table-of-contents',
];

/** All ids and classes above, without their sign. */
export const generatorNames: ReadonlySet<string> = new Set(
  [
    ...generators.flatMap(({ boxes, signs, additions = [] }) => [...boxes, ...signs, ...additions]),
    ...contentsMarks,
  ].flatMap((mark) => (mark === 'main' ? [] : [mark.slice(1)])),
);
