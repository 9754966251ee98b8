/**
 * The plain records that functions in the page return: painted boxes, controls, head and pictures.
 */
import type { AnswerOf } from '../actions/isolated-world.ts';

/** Limits of the collector. */
export const styleLimits = {
  elements: 5000, // whose style is read
  time: 700, // milliseconds after which the collector returns its partial result
  height: 12_000, // pixels from the top of the page
  // Names of third-party elements and of messages, as sources of regular expressions.
  consent: [
    'cookie[-_]?(banner|bar|consent|notice|popup|modal|message|dialog|overlay|law|wall|policy-)',
    '(^|[\\s_-])(consent|gdpr|ccpa)[-_]?(banner|bar|popup|modal|notice|manager|overlay|dialog|root)',
    'onetrust|cookiebot|cybot|didomi|usercentrics|qc-cmp|truste|sp_message|fc-consent|cc-window',
    'cmp-?(container|banner|wrapper)|iubenda-cs|klaro|osano-cm|termly|borlabs',
  ].join('|'),
  advertisement: [
    '(^|[\\s_-])(ads?|adverts?|advertisement|sponsored)([\\s_-]|$)',
    'adsbygoogle|google_ads|gpt-ad|ad-?(slot|banner|container|wrapper|unit|box|placement)([\\s_-]|$)',
    'taboola|outbrain',
  ].join('|'),
  success: '(^|[\\s_-])(success|positive|in-?stock|valid)([\\s_-]|$)',
  warning: '(^|[\\s_-])(warning|warn|caution)([\\s_-]|$)',
  error: '(^|[\\s_-])(error|danger|invalid|negative|destructive)([\\s_-]|$)',
};

/** The font of some text. */
export type FontRecord = AnswerOf<typeof fontSample>;

export const fontSample = {
  /** The computed `font-family`, at most 300 characters. */
  stack: '',
  size: 0,
  weight: 0,
  /** In px; 0 for `normal`. */
  lineHeight: 0,
};

/** The parts of a page. */
export type PageRegion = '' | 'header' | 'main' | 'footer';

/** A painted element, cut to its visible part, in px of the page. */
export type BoxRecord = AnswerOf<typeof boxSample>;

export const boxSample = {
  /** The nearest ancestor with a record, -1 for none. */
  parent: 0,
  tag: '',
  x: 0,
  y: 0,
  width: 0,
  height: 0,
  /** Higher paints over lower; among equals, later over earlier. */
  layer: 0,
  /** The opacity of the element times the opacities of its ancestors. */
  opacity: 0,
  /** -1 if there is none. */
  background: 0,
  /** CSS of a gradient, `image` for a picture, empty for neither. */
  picture: '',
  color: 0,
  /** Characters of the element's own text. */
  characters: 0,
  font: 0,
  /** -1 if there is none. */
  border: 0,
  /** Pixels that the border covers. */
  borderArea: 0,
  /** Top left, in px. */
  radius: 0,
  region: '' as PageRegion,
  /** 1 to 6 inside a heading, else 0. */
  heading: 0,
  /** Inside `code`, `pre`, `kbd` or `samp`. */
  isCode: false,
  /** 0 outside a link, 1 inside, 2 inside a link with text around it. */
  link: 0,
  /** The meaning in the names of the element or of its ancestors. */
  mood: '' as '' | 'success' | 'warning' | 'error',
};

/** The page at one moment. Colours are indexes into `colors`, fonts into `fonts`. */
export type StyleRecords = AnswerOf<typeof stylesSample>;

export const stylesSample = {
  prefersDark: false,
  /** `color-scheme` of the root element, or of a meta element. */
  declaredScheme: '',
  /** The measured part, in px. */
  width: 0,
  height: 0,
  /** True if a limit was reached. */
  isCut: false,
  /** Computed colours as CSS. */
  colors: [''],
  fonts: [fontSample],
  boxes: [boxSample],
  /** The count of each padding, margin and gap, in px. */
  distances: [[0, 0]] as [pixels: number, count: number][],
};

/** A button or a text field. */
export type ControlRecord = AnswerOf<typeof controlSample>;

export const controlSample = {
  kind: 'button' as 'button' | 'input',
  /** Its index in `boxes`. */
  box: 0,
  /** At most 60 characters. */
  label: '',
  /** Class and id, lower-case, at most 200 characters. */
  names: '',
  isDisabled: false,
};

/** Computed styles of one control, in the browser's notation. */
export type ControlStyle = AnswerOf<typeof controlStyleSample>;

export const controlStyleSample = {
  background: '',
  backgroundImage: '',
  color: '',
  opacity: 0,
  /** Colour, style and width of the sides: top, right, bottom, left. */
  borders: [['', '', 0]] as [color: string, style: string, width: number][],
  /** Top left, top right, bottom right, bottom left, in px. */
  radii: [0],
  shadow: '',
  outline: ['', '', 0] as [color: string, style: string, width: number],
  padding: [0],
  fontStack: '',
  fontSize: 0,
  fontWeight: 0,
};

// The page's statements about its owner: plain records of its head and of pictures that may be its logo.

/** A `link` element that names an icon. */
export type IconRecord = AnswerOf<typeof iconSample>;

export const iconSample = {
  rel: '',
  href: '',
  sizes: '',
  type: '',
};

/** A picture of the page. */
export type PictureRecord = AnswerOf<typeof pictureSample>;

export const pictureSample = {
  /** Its index in `boxes`. */
  box: 0,
  kind: 'img' as 'img' | 'svg' | 'background',
  /** Empty for an inline SVG. */
  url: '',
  alt: '',
  /** The target of the link around it. */
  href: '',
  /** Names of the element and of its ancestors, lower-case. */
  names: '',
};

/** The page's own metadata; texts are trimmed, URLs absolute, empty if there is none. */
export type IdentityRecords = AnswerOf<typeof identitySample>;

export const identitySample = {
  url: '',
  title: '',
  siteName: '',
  applicationName: '',
  themeColor: '',
  ogImage: '',
  icons: [iconSample],
  /** Texts of JSON-LD blocks. */
  jsonLd: [''],
  pictures: [pictureSample],
};
