/** How a caller asks for archives: `'archive'` among `parsers`. */
import { z } from 'zod';
import type { ArchiveReading } from '../model/request.ts';

/** Archive options of `parsers`. */
export interface ArchiveParserOptions {
  readonly type: 'archive';
  /** Files that are read, at least 1; further ones are left out with a warning. @default 1000 */
  readonly maxFiles?: number | undefined;
}

/** What may stand among `parsers`. */
export const archiveParserSchema: z.ZodType<'archive' | ArchiveParserOptions> = z.union([
  z.literal('archive'),
  z.strictObject({ type: z.literal('archive'), maxFiles: z.int().min(1).optional() }),
]);

const defaultMaxFiles = 1000;

/** The last one counts; undefined when archives are not to be read. */
export function archiveReading(
  parsers: readonly (string | { readonly type: string })[] = [],
): ArchiveReading | undefined {
  const chosen = parsers.findLast((parser) => parserName(parser) === 'archive');
  if (chosen === undefined) return undefined;
  const maxFiles =
    typeof chosen === 'object' ? (chosen as ArchiveParserOptions).maxFiles : undefined;
  return { maxFiles: maxFiles ?? defaultMaxFiles };
}

/** `pdf`, however it is asked for. */
export function parserName(parser: string | { readonly type: string }): string {
  return typeof parser === 'string' ? parser : parser.type;
}
