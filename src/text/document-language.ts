/** The language that a page names for itself. */

/** Bytes: the attribute is on the first element, the meta in the head. */
const looked = 4096;

/** The tag of `<html lang>`, else of `<meta http-equiv="content-language">`. */
export function documentLanguage(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, looked));
  const text = head.toString('latin1');
  const [root = ''] = /<html\s[^>]*>/i.exec(text) ?? [];
  const [, lang] = /\s(?:xml:)?lang\s*=\s*["']?\s*([a-z][\w-]*)/i.exec(root) ?? [];
  if (lang !== undefined) return lang;
  for (const [meta] of text.matchAll(/<meta\s[^>]*>/gi)) {
    if (!/http-equiv\s*=\s*["']?content-language\b/i.test(meta)) continue;
    const [, content] = /content\s*=\s*["']?\s*([a-z][\w-]*)/i.exec(meta) ?? [];
    if (content !== undefined) return content;
  }
  return undefined;
}
