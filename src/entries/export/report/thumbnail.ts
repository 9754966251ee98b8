/** Small pictures of screenshots. */
import { readPng, writePng } from '../../../content/formats/change-tracking/compare-pictures.ts';

/** In pixels; a taller picture shows the top of its page. */
const [width, tallest] = [320, 400];

/** Bytes of a picture that is used unchanged. */
const smallest = 40_000;

/** A `data:` URI of the screenshot, made small; undefined for a file that is neither a PNG nor a small JPEG. */
export async function thumbnailOf(screenshot: string): Promise<string | undefined> {
  const [, type, text] = /^data:image\/(png|jpeg);base64,([\w+/=]+)$/.exec(screenshot) ?? [];
  if (type === undefined || text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length <= smallest) return screenshot;
  if (type !== 'png') return undefined;
  try {
    const small = Buffer.from(await writePng(shrink(await readPng(bytes))));
    return `data:image/png;base64,${small.toString('base64')}`;
  } catch {
    // It is damaged, or too large.
    return undefined;
  }
}

type Pixels = Awaited<ReturnType<typeof readPng>>;

/** Each pixel is the mean of the pixels that it covers. */
function shrink(picture: Pixels): Pixels {
  const scale = Math.max(1, picture.width / width);
  const columns = Math.floor(picture.width / scale);
  const rows = Math.min(tallest, Math.max(1, Math.floor(picture.height / scale)));
  const bytes = new Uint8Array(columns * rows * 4);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const top = Math.floor(row * scale);
      const left = Math.floor(column * scale);
      const bottom = Math.min(picture.height, Math.max(top + 1, Math.floor((row + 1) * scale)));
      const right = Math.min(picture.width, Math.max(left + 1, Math.floor((column + 1) * scale)));
      for (let channel = 0; channel < 4; channel += 1) {
        let sum = 0;
        for (let y = top; y < bottom; y += 1) {
          for (let x = left; x < right; x += 1) {
            sum += picture.bytes[(y * picture.width + x) * 4 + channel] ?? 0;
          }
        }
        bytes[(row * columns + column) * 4 + channel] = sum / ((bottom - top) * (right - left));
      }
    }
  }
  return { width: columns, height: rows, bytes };
}
