/** Puts images on white paper, as a page places them. */
import type { PageImage } from './page-images.ts';

/** Three bytes a pixel, from the upper left corner. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** Pixels that are painted at most, one over the other: a page that paints more is left as it is then. */
const mostPainted = 100e6;
/** Pixels of an image that become one, along each side: what is scaled down has to keep its thin strokes. */
const mostSamples = 4;

/** `scale`: pixels a point. */
export function paintImages(
  images: readonly PageImage[],
  size: { readonly width: number; readonly height: number; readonly scale: number },
): Bitmap {
  const { width, height, scale } = size;
  const rgb = new Uint8Array(width * height * 3).fill(255);
  let painted = 0;
  for (const image of images) {
    const area = paintedArea(image.matrix, scale, width, height);
    painted += Math.max(0, area.right - area.left) * Math.max(0, area.bottom - area.top);
    if (painted > mostPainted) break;
    paint({ width, height, rgb }, image, scale, area);
  }
  return { width, height, rgb };
}

interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The pixels of the paper around the unit square under a matrix. */
function paintedArea(
  matrix: readonly number[],
  scale: number,
  width: number,
  height: number,
): Area {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = matrix;
  const xs = [e, e + a, e + c, e + a + c].map((x) => x * scale);
  const ys = [f, f + b, f + d, f + b + d].map((y) => y * scale);
  return {
    left: Math.max(0, Math.floor(Math.min(...xs))),
    right: Math.min(width, Math.ceil(Math.max(...xs))),
    top: Math.max(0, Math.floor(Math.min(...ys))),
    bottom: Math.min(height, Math.ceil(Math.max(...ys))),
  };
}

function paint(paper: Bitmap, image: PageImage, scale: number, area: Area): void {
  const { matrix, width, height, colorAt } = image;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = matrix.map((value) => value * scale);
  const determinant = a * d - b * c;
  if (Math.abs(determinant) < 1e-9) return;
  const density = Math.sqrt((width * height) / Math.abs(determinant));
  const isEnlarged = density < 0.75;
  const samples = isEnlarged ? 3 : Math.min(mostSamples, Math.max(1, Math.round(density)));
  // Pixels of the paper that each takes the mean of: letters that are enlarged become smooth.
  const spread = isEnlarged ? 1 / density : 1;
  const step = 1 / samples;
  const color: [number, number, number, number] = [0, 0, 0, 0];
  for (let y = area.top; y < area.bottom; y += 1) {
    for (let x = area.left; x < area.right; x += 1) {
      let [red, green, blue, seen] = [0, 0, 0, 0];
      for (let index = 0; index < samples * samples; index += 1) {
        const dx = x + 0.5 + (((index % samples) + 0.5) * step - 0.5) * spread - e;
        const dy = y + 0.5 + ((Math.floor(index / samples) + 0.5) * step - 0.5) * spread - f;
        // An image is the unit square, its first row at the top of it (ISO 32000-1, 8.9.3).
        const column = Math.floor(((dx * d - dy * c) / determinant) * width);
        const row = height - 1 - Math.floor(((dy * a - dx * b) / determinant) * height);
        if (column < 0 || column >= width || row < 0 || row >= height) continue;
        colorAt(column, row, color);
        const alpha = color[3] / 255;
        red += color[0] * alpha;
        green += color[1] * alpha;
        blue += color[2] * alpha;
        seen += alpha;
      }
      if (seen === 0) continue;
      const at = (y * paper.width + x) * 3;
      const below = 1 - seen * step * step;
      paper.rgb[at] = red * step * step + (paper.rgb[at] ?? 0) * below;
      paper.rgb[at + 1] = green * step * step + (paper.rgb[at + 1] ?? 0) * below;
      paper.rgb[at + 2] = blue * step * step + (paper.rgb[at + 2] ?? 0) * below;
    }
  }
}
