/** Options of scrape, crawl and batch: pictures of pages, as files. */
import { extname } from 'node:path';
import type { Command } from 'commander';
import type { FormatInput } from '../index.ts';

/** What commander makes of them. */
export interface ScreenshotValues {
  /** The file of the one page. */
  readonly screenshot?: string | undefined;
  /** A file beside the markdown of each page. */
  readonly screenshots?: true | undefined;
  readonly fullPage?: true;
}

/** Adds those of a command for one page. */
export function addScreenshotOptions(command: Command): Command {
  return command
    .option('--screenshot <file>', 'a picture of the page as well: .png, or .jpg')
    .option('--full-page', 'the picture shows the whole page, not a window of it');
}

/** Adds those of a command for many pages. */
export function addScreenshotsOptions(command: Command): Command {
  return command
    .option('--screenshots', 'with --output: a picture of each page, a .png beside its markdown')
    .option('--full-page', 'the pictures show the whole page, not a window of it');
}

/** What is wrong with them together. */
export function screenshotProblem({
  screenshot,
  screenshots,
  fullPage,
}: ScreenshotValues): string | undefined {
  if (screenshot !== undefined && !isJpeg(screenshot) && !/\.png$/i.test(screenshot)) {
    return `--screenshot: ${screenshot} ends neither in .png nor in .jpg`;
  }
  if (fullPage !== true || screenshot !== undefined || screenshots === true) return undefined;
  return '--full-page belongs to a picture, and no file was named for one';
}

/** The format that they add. */
export function screenshotFormat({
  screenshot,
  screenshots,
  fullPage,
}: ScreenshotValues): FormatInput | undefined {
  if (screenshot === undefined && screenshots !== true) return undefined;
  const quality = screenshot !== undefined && isJpeg(screenshot) ? jpegQuality : undefined;
  return { type: 'screenshot', fullPage, quality };
}

/** The bytes of a `data:` URI. */
export function bytesOf(uri: string): Buffer {
  return Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
}

/** Letters stay sharp, at a third of the size of a PNG. */
const jpegQuality = 80;

function isJpeg(file: string): boolean {
  return ['.jpg', '.jpeg'].includes(extname(file).toLowerCase());
}
