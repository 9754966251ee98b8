/** The files of a ZIP, TAR or gzip file, one by one, within one budget of bytes. */
import { gunzipSync } from 'node:zlib';
import { PagewrightError } from '../../errors.ts';
import { readZip, type UnpackingBudget } from '../zip/read-zip.ts';
import { isTar, readTar } from './read-tar.ts';

/** A file in an archive. */
export interface ArchivedFile {
  /** Its path in the archive. */
  readonly name: string;
  /** Throws as reading an archive does. */
  read(): Uint8Array;
}

/** An open archive. */
export interface Archive {
  readonly files: readonly ArchivedFile[];
  /** True when not all that is in it is listed. */
  readonly isCut: boolean;
}

/**
 * Opens an archive; `name` is that of its own file. Throws `PARSE_LIMIT` for what unpacks to more bytes
 * than are left, `UNSUPPORTED_CONTENT` for what is damaged.
 */
export function openArchive(
  mediaType: string,
  bytes: Uint8Array,
  name: string,
  budget: UnpackingBudget,
): Archive {
  if (mediaType === 'application/zip') return openZip(bytes, budget);
  if (mediaType === 'application/x-tar') return openTar(bytes);
  const content = gunzip(bytes, budget);
  if (isTar(content)) return openTar(content);
  const inner = name.replace(/\.gz(?:ip)?$/i, '') || 'content';
  return { files: [{ name: inner, read: () => content }], isCut: false };
}

function openZip(bytes: Uint8Array, budget: UnpackingBudget): Archive {
  const zip = readZip(bytes, { totalBytes: budget.bytes, budget });
  const read = (name: string): Uint8Array => zip.read(name) ?? new Uint8Array();
  const files = zip.names.map((name) => ({ name, read: () => read(name) }));
  return { files, isCut: zip.isCut };
}

function openTar(bytes: Uint8Array): Archive {
  const { files, isCut } = readTar(bytes);
  if (files.length === 0 && isCut) throw damaged('its first header is damaged or was cut off');
  const read = (content: Uint8Array | undefined): Uint8Array => {
    if (content === undefined) throw damaged('it is a sparse file');
    return content;
  };
  return { files: files.map(({ name, content }) => ({ name, read: () => read(content) })), isCut };
}

function gunzip(bytes: Uint8Array, budget: UnpackingBudget): Uint8Array {
  try {
    const content = gunzipSync(bytes, { maxOutputLength: Math.max(1, budget.bytes) });
    budget.bytes -= content.length;
    return content;
  } catch (error) {
    if (!(error instanceof RangeError)) throw damaged('its gzip data is damaged', error);
    throw new PagewrightError(
      'PARSE_LIMIT',
      `The archive unpacks to more than the ${budget.bytes} bytes that are left. Raise limits.bodyBytes to read it.`,
    );
  }
}

function damaged(what: string, cause?: unknown): PagewrightError {
  return new PagewrightError('UNSUPPORTED_CONTENT', `The archive cannot be read: ${what}.`, {
    cause,
  });
}
