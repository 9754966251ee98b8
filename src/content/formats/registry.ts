/**
 * The built-in formats: one entry each. Every type about formats derives from this file, and the comments are the
 * docstrings of a document's properties.
 */
export {
  /** The values of attributes, one entry for each of the `selectors`. */
  attributes,
} from './attributes.ts';
export {
  /** The look of the rendered page: colors, fonts, spacing, components, logo and other images. */
  branding,
} from './captured-formats.ts';
export {
  /**
   * How the page differs from its last scrape in the client's `storage`; undefined if nothing may be stored, or if the
   * storage fails (`warning` says so).
   */
  changeTracking,
} from './change-tracking/index.ts';
export {
  /** Passages of the markdown for retrieval, each with its heading path and the number of its tokens. */
  chunks,
} from './chunks/index.ts';
export {
  /** The passages of the page that fit the `query` best, word for word. */
  highlights,
} from './highlights/index.ts';
export {
  /** The cleaned page as HTML, with absolute URLs. */
  html,
} from './html.ts';
export {
  /** The absolute URLs of the page's images, in document order, each once. */
  images,
} from './images.ts';
export {
  /** Data that fits the `schema`, and has its type. */
  json,
} from './json.ts';
export {
  /** The absolute URLs that the page links to (http and https), in document order, each once. */
  links,
} from './links.ts';
export {
  /** The content as GitHub-flavoured markdown, with absolute URLs. */
  markdown,
} from './markdown.ts';
export {
  /** The content as markdown for a language model: what readers of the page see, without hidden text. */
  modelText,
} from './model-text.ts';
export {
  /** The product that the page sells; null where it sells none. */
  product,
} from './product.ts';
export {
  /** The answer to the `question`, with quotes of the page. */
  question,
} from './question/index.ts';
export {
  /** The bytes of the response as base64, of any type; or what the client's `assets` returned for them. */
  rawBase64,
} from './raw-base64.ts';
export {
  /** The HTML as the server sent it, or as a browser rendered it. */
  rawHtml,
} from './html.ts';
export {
  /** The requests that the page made in the browser, in order. */
  requests,
} from './requests.ts';
export {
  /** A picture of the page: a `data:` URI, or what the client's `assets` returned for it. */
  screenshot,
} from './captured-formats.ts';
export {
  /** JSON-LD, microdata, RDFa, OpenGraph and Twitter cards of the page, parsed. */
  structuredData,
} from './structured-data.ts';
export {
  /** A summary of the page; `metadata.summaryMethod` says whether a model wrote it. */
  summary,
} from './summary/index.ts';
export {
  /** The page's data tables, with their captions, headers and rows; merged cells are repeated. */
  tables,
} from './tables.ts';
export {
  /** The captions, subtitles and transcripts of the page's video and sound, with times. */
  transcripts,
} from './transcripts/index.ts';
