/** JSON pointers (RFC 6901), as `$ref` writes them. */
import { decodePercent } from './percent-encoding.ts';

/**
 * The part of `root` that a local reference such as `#/$defs/price` names; undefined for an external or a broken one,
 * and for an anchor.
 */
export function referencedPart(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let part = root;
  for (const token of decodePercent(reference.slice(2)).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Readonly<Record<string, unknown>>)[key];
  }
  return part;
}
