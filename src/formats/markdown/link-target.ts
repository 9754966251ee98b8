/** The part between the parentheses of a link or an image: destination and title. */

import { oneLine } from '../../text/one-line.ts';
import { withoutUnseen } from '../../text/unseen.ts';

/** CommonMark, section 6.3: angle brackets where the plain form would end too early. */
export function linkTarget(url: string, title: string): string {
  const words = oneLine(withoutUnseen(title));
  const quoted =
    words === ''
      ? ''
      : ` "${words.replace(/["\\]/g, '\\$&').replace(entity, '&amp;$1').replace(/</g, '&lt;')}"`;
  return destination(url) + quoted;
}

function destination(url: string): string {
  if (url === '<Base64-Image-Removed>') return url;
  const clean = url
    .replace(/\\/g, '%5C')
    .replace(/`/g, '%60')
    .replace(/\](?=\()/g, '%5D')
    .replace(entity, '&amp;$1');
  if (clean !== '' && !/[\s<>\u0000-\u001f]/.test(clean) && hasBalancedParentheses(clean)) {
    return clean;
  }
  return `<${clean.replace(/\s+/g, ' ').replace(/</g, '%3C').replace(/>/g, '%3E')}>`;
}

/** References are resolved in destinations too: `?a&copy;` would lose its name. */
const entity = /&(#[xX][0-9a-fA-F]{1,6};|#\d{1,7};|[a-zA-Z][a-zA-Z0-9]{1,31};)/g;

function hasBalancedParentheses(url: string): boolean {
  if (!/[()]/.test(url)) return true;
  let open = 0;
  for (const character of url) {
    if (character === '(') open++;
    // Parsers may stop at 32 levels; no real URL comes near.
    if (open > 8 || (character === ')' && --open < 0)) return false;
  }
  return open === 0;
}
