/** The branding of a page in the shape of the SDK: lengths are CSS texts. */
import type { BrandComponent, Branding } from '../../core/model/branding.ts';

/** Values by role; further roles may follow. */
type ByRole<Role extends string, Value> = { [Name in Role]?: Value } & {
  [role: string]: Value | undefined;
};

/** The look of a site. Fields that the page does not show are absent. */
export interface BrandingProfile {
  colorScheme?: 'light' | 'dark';
  brandName?: string;
  logo?: string | null;
  fonts?: { family: string; [key: string]: unknown }[];
  colors?: ByRole<
    | ('primary' | 'secondary' | 'accent' | 'background' | 'textPrimary' | 'textSecondary')
    | ('link' | 'success' | 'warning' | 'error'),
    string
  >;
  typography?: {
    fontFamilies?: ByRole<'primary' | 'heading' | 'code', string>;
    fontStacks?: ByRole<'primary' | 'heading' | 'body' | 'paragraph', string[]>;
    fontSizes?: ByRole<'h1' | 'h2' | 'h3' | 'body' | 'small', string>;
    lineHeights?: ByRole<'heading' | 'body', number>;
    fontWeights?: ByRole<'light' | 'regular' | 'medium' | 'bold', number>;
  };
  spacing?: {
    baseUnit?: number;
    borderRadius?: string;
    [key: string]: number | string | Record<string, number> | undefined;
  };
  components?: {
    buttonPrimary?: ComponentStyle;
    buttonSecondary?: ComponentStyle;
    input?: ComponentStyle;
    [key: string]: unknown;
  };
  images?: ByRole<'logo' | 'favicon' | 'ogImage', string | null>;
  [key: string]: unknown;
}

/** The look of a button or a text field, as CSS. */
type ComponentStyle = ByRole<
  'background' | 'textColor' | 'borderColor' | 'borderRadius' | 'focusBorderColor' | 'shadow',
  string
>;

/** The profile of the SDK; fields that it lacks (`palette`, `gradients`, `schemes`) are as in pagewright. */
export function brandingProfile(branding: Branding): BrandingProfile {
  const { logo, colors, fonts, typography, spacing, components, images, ...rest } = branding;
  const { baseUnit, borderRadius } = spacing;
  const { fontFamilies, fontStacks, fontSizes, lineHeights, fontWeights } = typography;
  return {
    ...known(rest),
    logo: logo ?? null,
    fonts: fonts.map((font) => ({ ...font })),
    colors: known(colors),
    typography: {
      fontFamilies: known(fontFamilies),
      fontStacks: mapped(fontStacks, (stack) => [...stack]),
      fontSizes: mapped(fontSizes, pixels),
      lineHeights: known(lineHeights),
      fontWeights: known(fontWeights),
    },
    spacing: known({ baseUnit, borderRadius: borderRadius && pixels(borderRadius) }),
    components: mapped(components, componentStyle),
    images: known(images),
  };
}

function componentStyle(component: BrandComponent): ComponentStyle {
  const { background, textColor, borderColor, borderRadius = 0, shadow, states } = component;
  return known({
    background,
    textColor,
    borderColor,
    borderRadius: pixels(borderRadius),
    focusBorderColor: states?.focus?.borderColor ?? states?.focus?.outlineColor,
    shadow,
  });
}

function pixels(length: number): string {
  return `${length}px`;
}

/** Without undefined values. */
function known<Values extends object>(values: Values): Record<string, ValueOf<Values>> {
  return mapped(values, (value) => value);
}

type ValueOf<Values> = Exclude<Values[keyof Values], undefined>;

function mapped<Values extends object, Mapped>(
  values: Values,
  change: (value: ValueOf<Values>) => Mapped,
): Record<string, Mapped> {
  const entries = Object.entries(values) as [string, ValueOf<Values> | undefined][];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, change(value)]])),
  );
}
