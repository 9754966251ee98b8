/** The look of a site, as returned by the branding format. */

/**
 * Colours, fonts, components and logo of a rendered page. Colours are `#rrggbb`, lengths CSS
 * pixels. Features that the page does not show are absent; no value is guessed.
 */
export interface Branding {
  /** Whether the page's background is dark. */
  readonly colorScheme: 'light' | 'dark';
  readonly brandName?: string | undefined;
  /** A URL, or a `data:` URI of a logo that is drawn inline. */
  readonly logo?: string | undefined;
  readonly colors: BrandColors;
  /** Colours painted on the page, the largest area first; at most 24. */
  readonly palette: readonly PaletteColor[];
  /** Backgrounds other than flat colours, the largest area first; at most 8. */
  readonly gradients: readonly BrandGradient[];
  /** By the amount of text set in them; at most 8. */
  readonly fonts: readonly BrandFont[];
  readonly typography: BrandTypography;
  readonly spacing: BrandSpacing;
  readonly components: BrandComponents;
  readonly images: BrandImages;
  /** The page with a preference for light and for dark, if that changes its colours. */
  readonly schemes?: { readonly light: BrandScheme; readonly dark: BrandScheme } | undefined;
}

/** Colours by role. A translucent colour is blended with its background. */
export interface BrandColors {
  /** The brand colour: main button, header, links. */
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

/** The use of a colour. */
export type ColorUse = 'background' | 'text' | 'link' | 'border' | 'button';

/** A gradient in a background. */
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

/** Typography of the text. */
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
  /** The unit that paddings, margins and gaps are multiples of. */
  readonly baseUnit?: number | undefined;
  /** The usual corner radius; 0 if boxes are not rounded. */
  readonly borderRadius?: number | undefined;
}

/** Parts of the interface. */
export interface BrandComponents {
  readonly buttonPrimary?: BrandComponent | undefined;
  readonly buttonSecondary?: BrandComponent | undefined;
  readonly input?: BrandComponent | undefined;
}

/** The look of a button or a text field at rest, and the changes in other states. */
export interface BrandComponent extends ComponentLook {
  readonly padding: Sides;
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly fontWeight: number;
  /** The text on it. */
  readonly label?: string | undefined;
  /** Only the differences in that state; a state without differences is absent. */
  readonly states?:
    | {
        readonly hover?: ComponentLook | undefined;
        readonly focus?: ComponentLook | undefined;
        readonly disabled?: ComponentLook | undefined;
      }
    | undefined;
}

/** The look of a component; in a state only the differences. */
export interface ComponentLook {
  /** `transparent` if there is no background. */
  readonly background?: string | undefined;
  /** The gradient in place of a flat background, as CSS; `none` in a state that removes it. */
  readonly backgroundGradient?: string | undefined;
  readonly textColor?: string | undefined;
  readonly borderColor?: string | undefined;
  readonly borderWidth?: number | undefined;
  /** Of the top left corner. */
  readonly borderRadius?: number | undefined;
  /** Only if the corners differ. */
  readonly borderRadiusCorners?: Corners | undefined;
  /** The computed `box-shadow`, or `none` in a state that removes it. */
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

/** Pictures of the brand. */
export interface BrandImages {
  readonly logo?: string | undefined;
  /** The link target of the logo. */
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
