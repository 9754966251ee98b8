/** Identity of a site: its name, logo, favicon and preview picture. */
import { checkAnswer, type IsolatedWorld } from '../actions/isolated-world.ts';
import type { BrandImages } from '../../core/model/branding.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { registrableDomain } from '../../core/url/registrable-domain.ts';
import { readColors, toHex } from './color.ts';
import { collectIdentity, serializeSvg } from './in-page/collect-identity.ts';
import {
  type IconRecord,
  type IdentityRecords,
  identitySample,
  type PictureRecord,
  type StyleRecords,
} from './page-records.ts';
import type { SchemeReading } from './read-scheme.ts';
import { compact } from '../../core/runtime/compact.ts';
import { parseJson } from '../../core/runtime/json.ts';

const limits = {
  logoCharacters: 50_000, // of an inline logo, as SVG or as a `data:` URL
  strongLogo: 60, // two signs out of: links home, in the header, called a logo
  things: 2000, // JSON-LD values visited, so that a deeply nested block ends
};

/** The identity of the page's site. */
export interface SiteIdentity {
  readonly brandName: string | undefined;
  /** The colour of a meta element, as `#rrggbb`. */
  readonly themeColor: string | undefined;
  readonly images: BrandImages;
}

const identityLimits = { pictures: 300, url: limits.logoCharacters, jsonLd: 200_000 };

/** Reads name and pictures. */
export async function readSiteIdentity(
  world: IsolatedWorld,
  { held, records }: SchemeReading,
): Promise<SiteIdentity> {
  const identity = checkAnswer(
    await world.call(collectIdentity, held, identityLimits),
    identitySample,
    'identity',
  );
  const organization = readOrganization(identity.jsonLd);
  const brandName = chooseBrandName(identity, organization.name);
  const seen = chooseLogo(identity, records, brandName);
  const seenUrl = seen && (await urlOf(seen, held, world));
  const named = absoluteUrl(organization.logo, identity.url);
  const isStrong = seen !== undefined && seen.score >= limits.strongLogo && seenUrl !== undefined;
  const logo = isStrong ? seenUrl : (named ?? seenUrl);
  const isSeen = logo !== undefined && logo === seenUrl;
  const { href = '', alt = '' } = isSeen ? (seen?.picture ?? {}) : {};
  const theme = (await readColors(world, [identity.themeColor])).get(identity.themeColor);
  const touchIcon = bestIcon(identity.icons.filter(({ rel }) => rel.includes('apple-touch-icon')));
  return {
    brandName: brandName ?? (alt === '' ? undefined : titlePart(identity.title, alt)),
    themeColor: theme && toHex(theme),
    images: compact({
      logo: logo ?? touchIcon,
      logoHref: isHome(href, identity.url) ? href : undefined,
      logoAlt: alt || undefined,
      favicon: bestIcon(identity.icons.filter(({ rel }) => !rel.includes('apple-touch-icon'))),
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
  const svg = await world.call(serializeSvg, held, picture.box, limits.logoCharacters);
  if (typeof svg !== 'string' || svg === '') return undefined;
  return `data:image/svg+xml,${encodeURIComponent(await plainColors(svg, world))}`;
}

/** Converts colours: SVG renderers outside browsers do not support `oklch()`. */
async function plainColors(svg: string, world: IsolatedWorld): Promise<string> {
  const written = /(?<= (?:fill|stroke|stop-color)=")[a-z-]+\([^"]*\)(?=")/g;
  const colors = await readColors(world, svg.match(written) ?? []);
  return svg.replace(written, (css) => {
    const color = colors.get(css);
    if (color === undefined) return css;
    return color[3] === 1 ? toHex(color) : `rgba(${color.join()})`;
  });
}

function absoluteUrl(url: string | undefined, base: string): string | undefined {
  if (url === undefined || !canParseUrl(url, base)) return undefined;
  const { href, protocol } = new URL(url, base);
  return /^https?:$/.test(protocol) ? href : undefined;
}

/** An SVG before bitmaps, then the largest; the last of equals wins, as in browsers. */
function bestIcon(icons: readonly IconRecord[]): string | undefined {
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

// Separates the site's own logo from partner logos, awards and search icons.

/** A picture and its score. */
interface LogoCandidate {
  readonly picture: PictureRecord;
  readonly score: number;
}

const foreignLogoWords =
  /partner|award|sponsor|client|customer|payment|badge|certif|trust|press|as-seen|testimonial|flag|avatar|app-?store|google-?play|visa|mastercard|paypal/;

const iconWords =
  /search|menu|cart|basket|hamburger|arrow|chevron|close|social|facebook|twitter|instagram|linkedin|youtube|account|user|icon-/;

/** The most likely logo; undefined if no picture has enough signs of it. */
function chooseLogo(
  { pictures, url }: IdentityRecords,
  records: StyleRecords,
  brandName: string | undefined,
): LogoCandidate | undefined {
  const scored = pictures.map((picture) => ({
    picture,
    score: scoreOf(picture, records, url, brandName),
  }));
  const [best] = scored.sort((one, other) => other.score - one.score);
  return best !== undefined && best.score >= 40 ? best : undefined;
}

/** True for the start page of the same site, also of a language version: `/`, `/en/`, `/index.html`. */
export function isHome(href: string, pageUrl: string): boolean {
  if (!canParseUrl(href) || !canParseUrl(pageUrl)) return false;
  const [target, page] = [new URL(href), new URL(pageUrl)];
  if (!/^https?:$/.test(target.protocol)) return false;
  if (registrableDomain(target.hostname) !== registrableDomain(page.hostname)) return false;
  return /^\/([a-z]{2}([-_][a-z]{2})?\/?)?((index|home|default)(\.\w+)?)?$/i.test(target.pathname);
}

function scoreOf(
  { box: index, href, names, kind }: PictureRecord,
  { boxes, width }: StyleRecords,
  pageUrl: string,
  brandName: string | undefined,
): number {
  const box = boxes[index];
  if (box === undefined || box.width < 12 || box.height < 8) return 0;
  let score = 0;
  if (isHome(href, pageUrl)) score += 40;
  if (box.region === 'header') score += 30;
  else if (box.y < 200) score += 15;
  if (/logo|brand|wordmark/.test(names)) score += 30;
  if (brandName !== undefined && plainLetters(names).includes(plainLetters(brandName))) score += 15;
  if (foreignLogoWords.test(names)) score -= 60;
  if (iconWords.test(names)) score -= 40;
  if (box.region === 'footer') score -= 20;
  else if (box.y > 1500) score -= 30;
  if (box.width > width * 0.6 || box.height > 300) score -= 40;
  // Arrows and crosses of a user interface; a logo of this size has its name beside it.
  if (kind === 'svg' && box.width <= 24 && box.height <= 24) score -= 20;
  return score;
}

/** Letters and digits only, so that "Fern Hill" matches "fernhill-logo". */
function plainLetters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

// The name of the site.

/** A title with its separators: "Notes | Marginalia", "Kestrelbase: logs that answer". */
const separators = /\s+[|–—·:-]\s+|:\s+/;

/**
 * The name in `og:site_name`, JSON-LD or `application-name`; else the part of
 * the title that the host name repeats.
 */
export function chooseBrandName(
  { siteName, applicationName, title, url }: IdentityRecords,
  organization: string | undefined,
): string | undefined {
  const declared = siteName || organization || applicationName;
  if (declared !== '') return declared.slice(0, 200);
  return canParseUrl(url) ? titlePart(title, new URL(url).hostname) : undefined;
}

/** The part of a title that other words of the page repeat, for example its host name. */
function titlePart(title: string, words: string): string | undefined {
  const parts = title.split(separators).map((part) => part.trim());
  return parts.find(
    (part) => plainLetters(part).length >= 3 && plainLetters(words).includes(plainLetters(part)),
  );
}

// The organisation in JSON-LD.

/** The properties of the organisation. */
export interface NamedOrganization {
  readonly name?: string | undefined;
  /** As written. */
  readonly logo?: string | undefined;
}

/** The first organisation or publisher of the page with a logo, else the first with a name. */
export function readOrganization(blocks: readonly string[]): NamedOrganization {
  const found: NamedOrganization[] = [];
  let seen = 0;
  for (const block of blocks) {
    const waiting: unknown[] = [parseJson(block)];
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) {
      if (seen++ > limits.things) break;
      if (Array.isArray(thing)) waiting.push(...(thing as unknown[]).slice(0, 200));
      if (typeof thing !== 'object' || thing === null || Array.isArray(thing)) continue;
      if (isOrganization(thing)) found.push({ name: textOf(thing, 'name'), logo: logoOf(thing) });
      // A product's brand or an event's sponsor is another organisation.
      for (const name of ['@graph', 'publisher', 'isPartOf', 'mainEntity', 'provider']) {
        const inner: unknown = Reflect.get(thing, name);
        if (typeof inner === 'object' && inner !== null) waiting.push(inner);
      }
    }
  }
  return found.find(({ logo }) => logo !== undefined) ?? found[0] ?? {};
}

function isOrganization(thing: object): boolean {
  const type: unknown = Reflect.get(thing, '@type');
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.some(
    (one) =>
      typeof one === 'string' &&
      /(Organization|Corporation|Business|Store|Restaurant|Brand|Airline|NGO|School|University|Hotel)$/.test(
        one,
      ),
  );
}

function logoOf(thing: object): string | undefined {
  const logo: unknown = Reflect.get(thing, 'logo');
  const first: unknown = Array.isArray(logo) ? logo[0] : logo;
  if (typeof first === 'string') return first || undefined;
  if (typeof first !== 'object' || first === null) return undefined;
  return textOf(first, 'contentUrl') ?? textOf(first, 'url') ?? textOf(first, '@id');
}

function textOf(thing: object, name: string): string | undefined {
  const value: unknown = Reflect.get(thing, name);
  return typeof value === 'string' && value.trim() !== '' && value.length < 3000
    ? value.trim()
    : undefined;
}
