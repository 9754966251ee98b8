/** Logo, favicon and preview picture, and the name of the site. */
import { checkAnswer } from '../../../actions/check-answer.ts';
import type { IsolatedWorld } from '../../../actions/isolated-world.ts';
import type { BrandImages } from '../../../model/branding.ts';
import { chooseBrandName, titlePart } from './choose-brand-name.ts';
import { chooseLogo, isHome, type LogoCandidate, strongLogo } from './choose-logo.ts';
import type { IconRecord, IdentityRecords } from './identity-records.ts';
import { collectIdentity } from './in-page/collect-identity.ts';
import { serializeSvg } from './in-page/serialize-svg.ts';
import { readOrganization } from './read-json-ld.ts';
import { toHex } from './color.ts';
import { readColors } from './read-colors.ts';
import type { SchemeReading } from './read-scheme.ts';
import { withoutUndefined } from './without-undefined.ts';
import { canParseUrl } from '../../../url/can-parse-url.ts';

/** Who the page belongs to. */
export interface Identity {
  readonly brandName: string | undefined;
  /** What a meta element names, as `#rrggbb`. */
  readonly themeColor: string | undefined;
  readonly images: BrandImages;
}

/** Characters of a logo that is drawn inline, as SVG or as a `data:` URL. */
const logoLimit = 50_000;
const limits = { pictures: 300, url: logoLimit, jsonLd: 200_000 };

/** Reads them. */
export async function readImages(
  world: IsolatedWorld,
  { held, records }: SchemeReading,
): Promise<Identity> {
  const identity = checkAnswer(
    await world.callOn(held, collectIdentity, limits),
    sample,
    'identity',
  );
  const organization = readOrganization(identity.jsonLd);
  const brandName = chooseBrandName(identity, organization.name);
  const seen = chooseLogo(identity, records, brandName);
  const seenUrl = seen && (await urlOf(seen, held, world));
  const named = absolute(organization.logo, identity.url);
  const isStrong = seen !== undefined && seen.score >= strongLogo && seenUrl !== undefined;
  const logo = isStrong ? seenUrl : (named ?? seenUrl);
  const isSeen = logo !== undefined && logo === seenUrl;
  const { href = '', alt = '' } = isSeen ? (seen?.picture ?? {}) : {};
  const theme = (await readColors(world, [identity.themeColor])).get(identity.themeColor);
  const touchIcon = best(identity.icons.filter(({ rel }) => rel.includes('apple-touch-icon')));
  return {
    brandName: brandName ?? (alt === '' ? undefined : titlePart(identity.title, alt)),
    themeColor: theme && toHex(theme),
    images: withoutUndefined({
      logo: logo ?? touchIcon,
      logoHref: isHome(href, identity.url) ? href : undefined,
      logoAlt: alt || undefined,
      favicon: best(identity.icons.filter(({ rel }) => !rel.includes('apple-touch-icon'))),
      ogImage: identity.ogImage || undefined,
    }),
  };
}

async function urlOf(
  { picture }: LogoCandidate,
  held: SchemeReading['held'],
  world: IsolatedWorld,
): Promise<string | undefined> {
  if (picture.kind !== 'svg') return picture.url || undefined;
  const svg = await world.callOn(held, serializeSvg, { box: picture.box, limit: logoLimit });
  if (typeof svg !== 'string' || svg === '') return undefined;
  return `data:image/svg+xml,${encodeURIComponent(await plainColors(svg, world))}`;
}

/** What draws SVG outside of browsers knows no `oklch()`. */
async function plainColors(svg: string, world: IsolatedWorld): Promise<string> {
  const written = /(?<= (?:fill|stroke|stop-color)=")[a-z-]+\([^"]*\)(?=")/g;
  const colors = await readColors(world, svg.match(written) ?? []);
  return svg.replace(written, (css) => {
    const color = colors.get(css);
    if (color === undefined) return css;
    return color[3] === 1 ? toHex(color) : `rgba(${color.join()})`;
  });
}

function absolute(url: string | undefined, base: string): string | undefined {
  if (url === undefined || !canParseUrl(url, base)) return undefined;
  const { href, protocol } = new URL(url, base);
  return /^https?:$/.test(protocol) ? href : undefined;
}

/** A drawing before pixels, then the largest; the last of equals wins, as in browsers. */
function best(icons: readonly IconRecord[]): string | undefined {
  const size = ({ sizes, type, href }: IconRecord): number => {
    if (type.includes('svg') || sizes === 'any' || /\.svg($|\?)/.test(href)) return 10_000;
    return Number.parseInt(sizes, 10) || 0;
  };
  const usable = icons.filter(({ href }) => href !== '');
  return usable.reduce<IconRecord | undefined>(
    (top, icon) => (top !== undefined && size(top) > size(icon) ? top : icon),
    undefined,
  )?.href;
}

const sample: IdentityRecords = {
  ...{ url: '', title: '', siteName: '', applicationName: '', themeColor: '', ogImage: '' },
  icons: [{ rel: '', href: '', sizes: '', type: '' }],
  jsonLd: [''],
  pictures: [{ box: 0, kind: 'img', url: '', alt: '', href: '', names: '' }],
};
