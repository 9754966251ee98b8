/** What the site calls itself. */
import type { IdentityRecords } from './identity-records.ts';
import { canParseUrl } from '../../../url/can-parse-url.ts';

/** A title with its separators: "Notes | Marginalia", "Kestrelbase: logs that answer". */
const separators = /\s+[|–—·:-]\s+|:\s+/;

/**
 * The name that the page gives in `og:site_name`, JSON-LD or `application-name`; else the part of
 * its title that its host name repeats.
 */
export function chooseBrandName(
  { siteName, applicationName, title, url }: IdentityRecords,
  organization: string | undefined,
): string | undefined {
  const said = siteName || organization || applicationName;
  if (said !== '') return said.slice(0, 200);
  return canParseUrl(url) ? titlePart(title, new URL(url).hostname) : undefined;
}

/** The part of a title that other words of the page repeat, such as those of its logo. */
export function titlePart(title: string, words: string): string | undefined {
  const parts = title.split(separators).map((part) => part.trim());
  return parts.find((part) => letters(part).length >= 3 && letters(words).includes(letters(part)));
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
