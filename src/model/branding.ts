/** The look of a site, as the branding format gives it. */

/**
 * Colours, fonts, components and logo of a page as it is rendered. Colours are `#rrggbb`, lengths
 * CSS pixels. What the page does not show is absent; nothing is guessed.
 */
export interface Branding {
  /** Whether the page's background is dark. */
  readonly colorScheme: 'light' | 'dark';
  readonly brandName?: string | undefined;
  /** A URL, or a `data:` URI of a logo that is drawn inline. */
  readonly logo?: string | undefined;
  readonly colors: BrandColors;
  /** What the page is painted with, the largest area first; at most 24 colours. */
  readonly palette: readonly PaletteColor[];
  /** Backgrounds that are no flat colour, the largest area first; at most 8. */
  readonly gradients: readonly BrandGradient[];
  /** By how much is written in them; at most 8. */
  readonly fonts: readonly BrandFont[];
  readonly typography: BrandTypography;
  readonly spacing: BrandSpacing;
  readonly components: BrandComponents;
  readonly images: BrandImages;
  /** The page for readers who prefer the one and the other, when that changes its colours. */
  readonly schemes?: { readonly light: BrandScheme; readonly dark: BrandScheme } | undefined;
}

/** Colours by their part. A translucent colour is what it looks like over what is behind it. */
export interface BrandColors {
  /** The colour that stands for the brand: main button, header, links. */
  readonly primary?: string | undefined;
  readonly secondary?: string | undefined;
  readonly accent?: string | undefined;
  readonly background?: string | undefined;
  readonly textPrimary?: string | undefined;
  readonly textSecondary?: string | undefined;
  readonly link?: string | undefined;
  readonly success?: string | undefined;
  readonly warning?: string | undefined;
  readonly error?: string | undefined;
}

/** One colour of the page. */
export interface PaletteColor {
  readonly color: string;
  /**
   * Share of the page that it covers, 0 to 1: backgrounds as painted over each other, borders by
   * their width, text by the ink of its letters (about an eighth of their squares).
   */
  readonly area: number;
  readonly uses: readonly ColorUse[];
}

/** What a colour is used for. */
export type ColorUse = 'background' | 'text' | 'link' | 'border' | 'button';

/** A gradient behind something. */
export interface BrandGradient {
  /** The computed `background-image`, at most 300 characters. */
  readonly css: string;
  /** Share of the page, 0 to 1. */
  readonly area: number;
}

/** One font family. */
export interface BrandFont {
  readonly family: string;
  readonly role?: 'body' | 'heading' | 'code' | undefined;
  /** Weights seen, ascending. */
  readonly weights: readonly number[];
}

/** How text is set. */
export interface BrandTypography {
  readonly fontFamilies: {
    readonly primary?: string | undefined;
    readonly heading?: string | undefined;
    readonly code?: string | undefined;
  };
  /** Each family with its fallbacks, in order. */
  readonly fontStacks: {
    readonly primary?: readonly string[] | undefined;
    readonly heading?: readonly string[] | undefined;
    readonly code?: readonly string[] | undefined;
  };
  readonly fontSizes: {
    readonly h1?: number | undefined;
    readonly h2?: number | undefined;
    readonly h3?: number | undefined;
    readonly body?: number | undefined;
    readonly small?: number | undefined;
  };
  /** Multiples of the font size; absent for `normal`. */
  readonly lineHeights: {
    readonly heading?: number | undefined;
    readonly body?: number | undefined;
  };
  readonly fontWeights: {
    /** Below 400. */
    readonly light?: number | undefined;
    /** 400 to 449. */
    readonly regular?: number | undefined;
    /** 450 to 599. */
    readonly medium?: number | undefined;
    /** 600 and more. */
    readonly bold?: number | undefined;
  };
}

/** Distances. */
export interface BrandSpacing {
  /** What paddings, margins and gaps are multiples of. */
  readonly baseUnit?: number | undefined;
  /** The usual radius of corners; 0 where boxes are not rounded. */
  readonly borderRadius?: number | undefined;
}

/** Parts of the interface. */
export interface BrandComponents {
  readonly buttonPrimary?: BrandComponent | undefined;
  readonly buttonSecondary?: BrandComponent | undefined;
  readonly input?: BrandComponent | undefined;
}

/** How a button or a text field looks when nobody touches it, and what changes then. */
export interface BrandComponent extends ComponentLook {
  readonly padding: Sides;
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly fontWeight: number;
  /** The text on it. */
  readonly label?: string | undefined;
  /** Only what is different in that state; a state that changes nothing is absent. */
  readonly states?:
    | {
        readonly hover?: ComponentLook | undefined;
        readonly focus?: ComponentLook | undefined;
        readonly disabled?: ComponentLook | undefined;
      }
    | undefined;
}

/** The look of a component; in a state only what changes. */
export interface ComponentLook {
  /** `transparent` where nothing is painted. */
  readonly background?: string | undefined;
  /** The gradient in place of a flat background, as CSS; `none` in a state that takes it away. */
  readonly backgroundGradient?: string | undefined;
  readonly textColor?: string | undefined;
  readonly borderColor?: string | undefined;
  readonly borderWidth?: number | undefined;
  /** Of the top left corner. */
  readonly borderRadius?: number | undefined;
  /** Only where the corners differ. */
  readonly borderRadiusCorners?: Corners | undefined;
  /** The computed `box-shadow`, or `none` in a state that takes it away. */
  readonly shadow?: string | undefined;
  /** Colour of the ring around it, such as that of keyboard focus. */
  readonly outlineColor?: string | undefined;
}

/** Radii of four corners in px. */
export interface Corners {
  readonly topLeft: number;
  readonly topRight: number;
  readonly bottomRight: number;
  readonly bottomLeft: number;
}

/** Lengths at four sides in px. */
export interface Sides {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** Pictures that stand for the brand. */
export interface BrandImages {
  readonly logo?: string | undefined;
  /** Where the logo links to. */
  readonly logoHref?: string | undefined;
  readonly logoAlt?: string | undefined;
  readonly favicon?: string | undefined;
  readonly ogImage?: string | undefined;
}

/** The page under one preference. */
export interface BrandScheme {
  readonly colors: BrandColors;
  /** Without states. */
  readonly components: BrandComponents;
}
