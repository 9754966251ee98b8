/** Names for the parts of a key that every file system and key-value store takes as they are. */
import { createHash } from 'node:crypto';

/** Names that Windows keeps for devices, whatever follows the first dot. */
const deviceName = /^(?:aux|con|nul|prn|com\d|lpt\d)$/;

/**
 * The name of a part of a key: legal in every file system, and different from every other part's
 * where upper and lower case are one. What has no such name goes by its hash.
 */
function safeName(part: string): string {
  const escaped = part.replace(/[^a-z0-9_-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16);
    return hex.length > 2 ? `%u${hex.padStart(4, '0')}` : `%${hex.padStart(2, '0')}`;
  });
  if (escaped !== '' && escaped.length <= 120 && !deviceName.test(escaped)) return escaped;
  return `~${createHash('sha256').update(part, 'utf16le').digest('hex')}`;
}

/** What the name of a value ends in, so that `a` and the folder of `a/b` are two. */
export const entrySuffix = '.entry';

/** Where a key's value is: its folders and the name in the last one. */
export function safePath(key: string): readonly string[] {
  return [...safeFolders(key), safeName(key.slice(key.lastIndexOf('/') + 1)) + entrySuffix];
}

/** The folders that hold every key that starts with `prefix`, and maybe more. */
export function safeFolders(prefix: string): readonly string[] {
  return prefix.split('/').slice(0, -1).map(safeName);
}
