/**
 * Generators of documentation, and where their pages have what: `content` selects the main content with
 * its title, `chrome` what the generator adds to it (links to sources, buttons, links to other pages),
 * `title` the title of the page. `languages` are classes of a `pre` that name a language without a
 * prefix; `code` selects code that is in no `pre`, `layout` tables that
 * are none.
 */
export const generators = {
  alabaster: { content: '[role=main]' },
  'sphinx-classic': { content: '[role=main]' },
  pydoctheme: { content: '[role=main]' },
  pallets: { content: '[role=main]' },
  furo: { content: '[role=main]' },
  'sphinx-django': { content: '#bd .yui-b > .section, #bd .yui-b > section, #bd .yui-g' },
  zzzeeksphinx: { content: '#docs-body' },
  'sphinx-rtd': { content: '[role=main]', chrome: 'footer' },
  sphinx13: { content: '[role=main]' },
  doxygen: {
    content: 'div.headertitle, div.contents',
    chrome: '.ingroups, .summary, .dyncontent, div.toc, .permalink, .lineno, .ttc, .memSeparator',
    title: '.headertitle .title',
    code: 'div.fragment',
    layout: '.memname, .mlabels',
  },
  'gtk-doc': {
    content: 'div.refentry, div.chapter, div.section, div.part, body > div.sect1',
    chrome: '.gallery_image, .listing_lines',
    title: '.refnamediv h2, .titlepage .title',
  },
  'gi-docgen': {
    content: '#main',
    chrome: 'a.srclink, a.anchor, .toggle-wrapper > h4 > a',
    title: 'header h1, h1',
  },
  javadoc: { content: 'main', chrome: '.sub-nav', title: 'h1' },
  rustdoc: {
    content: '#main-content',
    chrome:
      'a.srclink, a.src, a.anchor, .tooltip, a.test-arrow, .hideme, #copy-path, #toggle-all-docs, .notable-traits',
    title: 'h1',
    languages: ['rust'],
  },
  mdbook: { content: '#content main', title: 'h1, h2' },
  mkdocs: { content: '[role=main], #main-content', chrome: '.badges' },
  'mkdocs-rtd': { content: '[role=main]', chrome: 'footer' },
  'mkdocs-material': { content: 'article.md-content__inner', chrome: '.md-content__button' },
  nodejs: {
    content: '#apicontent',
    chrome: 'a.mark, .js-flavor-selector',
    title: 'h2',
  },
  yard: {
    content: '#content',
    chrome:
      '.toggleSource, .showSource, pre.lines, .summary_toggle, a.inheritanceTree, .viewsource',
    languages: ['ruby'],
  },
  rdoc: {
    content: 'main',
    chrome: '.method-click-advice',
    languages: ['ruby'],
  },
  asciidoctor: { content: '#header > h1, #content', title: '#header > h1' },
  asciidoc: {
    content: '#header > h1, #header > h2, #header > .sectionbody, #content',
    title: '#header > h1',
  },
  docbook: {
    content:
      'div.refentry, body > div.sect1, body > div.sect2, body > div.section, body > div.chapter, body > div.appendix, body > div.reference',
    title: '.titlepage .title, .refnamediv h2',
  },
  texinfo: {
    content: 'body',
    chrome: '.header, .nav-panel, hr, .footnotes-heading',
    title: 'h1,h2,h3,h4',
  },
  haddock: {
    content: '#module-header .caption, #description, #interface',
    chrome: '.selflink, a.link',
    title: '#module-header .caption',
  },
  crystal: {
    content: '.main-content',
    chrome: '.method-permalink, .view-source, .anchor',
    languages: ['crystal'],
  },
  ldoc: { content: '#content', languages: ['lua'] },
  nim: {
    content: 'h1.title, #content',
    chrome: '.search-results, .sourceLink, .nimSrc, .link-seesrc',
    title: 'h1.title',
  },
  scribble: { content: 'div.main', chrome: '.navsettop, .navsetbottom, .versionbox' },
  pldoc: { content: 'body', chrome: '.navbar, table.nav, .edit, .comments' },
  scaladoc: {
    content: '#definition h1, #signature, #comment, #template, #inheritedMembers',
    chrome: '#mbrsel, .permalink',
    title: '#definition h1',
  },
  qdoc: { content: '.mainContent', chrome: '.sidebar', languages: ['cpp', 'qml', 'js'] },
  erlang: { content: '#content', chrome: '.ghlink, .ghlink-before' },
  man2html: { content: 'body', chrome: '.nav' },
  'r-vignette': { content: 'body', chrome: '#TOC', languages: ['r'] },
  odoc: { content: '.odoc-preamble, .odoc-content', chrome: '.source_link, a.anchor' },
  apache: {
    content: '#page-content',
    chrome: '.toplang, .bottomlang, #quickview, .top, .comments_area, #comments_section',
    title: 'h1',
  },
};
