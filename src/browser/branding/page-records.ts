/**
 * The plain records that functions in the page return: painted boxes, controls, head and pictures.
 */

/** Limits of the collector. */
export interface StyleLimits {
  /** Elements whose style is read. */
  readonly elements: number;
  /** Milliseconds after which the collector returns its partial result. */
  readonly time: number;
  /** Pixels from the top of the page. */
  readonly height: number;
  /** Names of third-party elements, as sources of regular expressions. */
  readonly consent: string;
  readonly advertisement: string;
  readonly success: string;
  readonly warning: string;
  readonly error: string;
}

/** The page at one moment. Colours are indexes into `colors`, fonts into `fonts`. */
export interface StyleRecords {
  readonly prefersDark: boolean;
  /** `color-scheme` of the root element, or of a meta element. */
  readonly declaredScheme: string;
  /** The measured part, in px. */
  readonly width: number;
  readonly height: number;
  /** True if a limit was reached. */
  readonly isCut: boolean;
  /** Computed colours as CSS. */
  readonly colors: readonly string[];
  readonly fonts: readonly FontRecord[];
  readonly boxes: readonly BoxRecord[];
  /** The count of each padding, margin and gap, in px. */
  readonly distances: readonly (readonly [pixels: number, count: number])[];
}

export interface FontRecord {
  /** The computed `font-family`, at most 300 characters. */
  readonly stack: string;
  readonly size: number;
  readonly weight: number;
  /** In px; 0 for `normal`. */
  readonly lineHeight: number;
}

/** The parts of a page. */
export type PageRegion = '' | 'header' | 'main' | 'footer';

/** A painted element, cut to its visible part, in px of the page. */
export interface BoxRecord {
  /** The nearest ancestor with a record, -1 for none. */
  readonly parent: number;
  readonly tag: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Higher paints over lower; among equals, later over earlier. */
  readonly layer: number;
  /** The opacity of the element times the opacities of its ancestors. */
  readonly opacity: number;
  /** -1 if there is none. */
  readonly background: number;
  /** CSS of a gradient, `image` for a picture, empty for neither. */
  readonly picture: string;
  readonly color: number;
  /** Characters of the element's own text. */
  readonly characters: number;
  readonly font: number;
  /** -1 if there is none. */
  readonly border: number;
  /** Pixels that the border covers. */
  readonly borderArea: number;
  /** Top left, in px. */
  readonly radius: number;
  readonly region: PageRegion;
  /** 1 to 6 inside a heading, else 0. */
  readonly heading: number;
  /** Inside `code`, `pre`, `kbd` or `samp`. */
  readonly isCode: boolean;
  /** 0 outside a link, 1 inside, 2 inside a link with text around it. */
  readonly link: number;
  /** The meaning in the names of the element or of its ancestors. */
  readonly mood: '' | 'success' | 'warning' | 'error';
}

/** A button or a text field. */
export interface ControlRecord {
  readonly kind: 'button' | 'input';
  /** Its index in `boxes`. */
  readonly box: number;
  /** At most 60 characters. */
  readonly label: string;
  /** Class and id, lower-case, at most 200 characters. */
  readonly names: string;
  readonly isSubmit: boolean;
  readonly isDisabled: boolean;
}

/** Computed styles of one control, in the browser's notation. */
export interface ControlStyle {
  readonly background: string;
  readonly backgroundImage: string;
  readonly color: string;
  readonly opacity: number;
  /** Colour, style and width of the sides: top, right, bottom, left. */
  readonly borders: readonly (readonly [color: string, style: string, width: number])[];
  /** Top left, top right, bottom right, bottom left, in px. */
  readonly radii: readonly number[];
  readonly shadow: string;
  readonly outline: readonly [color: string, style: string, width: number];
  readonly padding: readonly number[];
  readonly fontStack: string;
  readonly fontSize: number;
  readonly fontWeight: number;
}

// The page's statements about its owner: plain records of its head and of pictures that may be its logo.

/** The page's own metadata; texts are trimmed, URLs absolute, empty if there is none. */
export interface IdentityRecords {
  readonly url: string;
  readonly title: string;
  readonly siteName: string;
  readonly applicationName: string;
  readonly themeColor: string;
  readonly ogImage: string;
  readonly icons: readonly IconRecord[];
  /** Texts of JSON-LD blocks. */
  readonly jsonLd: readonly string[];
  readonly pictures: readonly PictureRecord[];
}

/** A `link` element that names an icon. */
export interface IconRecord {
  readonly rel: string;
  readonly href: string;
  readonly sizes: string;
  readonly type: string;
}

/** A picture of the page. */
export interface PictureRecord {
  /** Its index in `boxes`. */
  readonly box: number;
  readonly kind: 'img' | 'svg' | 'background';
  /** Empty for an inline SVG. */
  readonly url: string;
  readonly alt: string;
  /** The target of the link around it. */
  readonly href: string;
  /** Names of the element and of its ancestors, lower-case. */
  readonly names: string;
}
