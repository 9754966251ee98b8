/** upload: gives files to an `<input type=file>`, or to the button that opens its chooser. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileChooser, Page } from 'playwright-core';
import type { UploadFile, UploadOptions } from './action-options.ts';
import { type ActionRun, mostUploadBytes } from './action.ts';
import { elementTimeout, withElement } from './target.ts';

const timeout = elementTimeout;

export const upload: ActionRun<UploadOptions> = async (page, { files, ...target }) => {
  const payload: FilePayload[] = [];
  let left = mostUploadBytes;
  for (const file of files) {
    const one = file instanceof URL ? await readUpload(file, left) : payloadOf(file);
    left -= one.buffer.length;
    if (left < 0) throw new Error(`the files have more than ${mostUploadBytes} bytes in all`);
    payload.push(one);
  }
  const isInput = await withElement(
    page,
    target,
    (element) =>
      element.evaluate((one) => one instanceof HTMLInputElement && one.type === 'file', undefined, {
        timeout,
      }),
    { visible: false },
  );
  if (isInput) {
    await withElement(page, target, (element) => element.setInputFiles(payload, { timeout }), {
      visible: false,
    });
    return;
  }
  const chooser = await chooserOf(page, () =>
    withElement(page, target, (element) => element.click({ timeout })),
  );
  if (chooser === undefined) {
    const name = JSON.stringify(target.selector);
    throw new Error(`${name} opened no file chooser; select the <input type=file> itself`);
  }
  await chooser.setFiles(payload, { timeout });
};

interface FilePayload {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const anyType = 'application/octet-stream';

function payloadOf({ name, content, contentType: mimeType = anyType }: UploadFile): FilePayload {
  const buffer =
    typeof content === 'string' ? Buffer.from(content, 'base64') : Buffer.from(content);
  return { name, mimeType, buffer };
}

async function readUpload(url: URL, mostBytes: number): Promise<FilePayload> {
  const name = basename(fileURLToPath(url));
  try {
    // A pipe without a writer is not waited for.
    await using file = await open(url, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = await file.stat();
    if (!facts.isFile()) throw new Error('it is not a file');
    if (facts.size > mostBytes) {
      throw new Error(`the files have more than ${mostUploadBytes} bytes in all`);
    }
    return { name, mimeType: anyType, buffer: await file.readFile() };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code ?? (cause instanceof Error ? cause.message : '');
    throw new Error(`the file ${JSON.stringify(name)} cannot be read: ${reason}`, { cause });
  }
}

/** The file chooser that a click opens. */
async function chooserOf(page: Page, click: () => Promise<void>): Promise<FileChooser | undefined> {
  const opening = page.waitForEvent('filechooser', { timeout: 2 * timeout }).catch(() => undefined);
  await click();
  return opening;
}
