/** Which picture is the site's own logo, and not that of a partner, an award or a search icon. */
import { registrableDomain } from '../../../url/registrable-domain.ts';
import type { IdentityRecords, PictureRecord } from './identity-records.ts';
import type { StyleRecords } from './style-records.ts';
import { canParseUrl } from '../../../url/can-parse-url.ts';

/** A picture and how much speaks for it. */
export interface LogoCandidate {
  readonly picture: PictureRecord;
  readonly score: number;
}

/** Two signs out of: links home, in the header, called a logo. */
export const strongLogo = 60;

const others =
  /partner|award|sponsor|client|customer|payment|badge|certif|trust|press|as-seen|testimonial|flag|avatar|app-?store|google-?play|visa|mastercard|paypal/;
const icons =
  /search|menu|cart|basket|hamburger|arrow|chevron|close|social|facebook|twitter|instagram|linkedin|youtube|account|user|icon-/;

/** The picture that most likely is the logo; undefined when none has any sign of it. */
export function chooseLogo(
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

/** True for the start page of the same site, also in one language: `/`, `/en/`, `/index.html`. */
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
  if (box.place === 'header') score += 30;
  else if (box.y < 200) score += 15;
  if (/logo|brand|wordmark/.test(names)) score += 30;
  if (brandName !== undefined && plain(names).includes(plain(brandName))) score += 15;
  if (others.test(names)) score -= 60;
  if (icons.test(names)) score -= 40;
  if (box.place === 'footer') score -= 20;
  else if (box.y > 1500) score -= 30;
  if (box.width > width * 0.6 || box.height > 300) score -= 40;
  // Arrows and crosses of an interface; a logo of this size has its name beside it.
  if (kind === 'svg' && box.width <= 24 && box.height <= 24) score -= 20;
  return score;
}

/** Letters and digits only: "Fern Hill" is in "fernhill-logo". */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
