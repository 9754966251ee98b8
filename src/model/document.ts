/** A document before its type is known. */
import type { Metadata } from './metadata.ts';

/** Fields by format name, metadata, perhaps a warning. */
export interface PlainDocument {
  [field: string]: unknown;
  warning?: string;
  metadata: Metadata;
}
