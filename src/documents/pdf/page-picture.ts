/** Renders a PNG of a page: its images on white paper, at their positions. */
import { crc32, deflateSync } from 'node:zlib';
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { PagePicture } from '../../core/model/ocr-engine.ts';
import type { PdfJs } from './open-pdf.ts';
import { type PageImage, readPageImages } from './page-images.ts';

const limits = {
  pixels: 25e6, // of a picture
  scale: 300 / 72, // pixels per point: 300 per inch are enough for any engine
  painted: 100e6, // pixels, overlaps included: painting stops there
  samples: 4, // per pixel along each side: scaling down must keep thin strokes
};

/** A picture below 140 pixels per inch is enlarged to 200: engines misread letters that are that small. */
const [coarse, enlarged] = [140 / 72, 200 / 72];

/** The image content of a page. */
export interface PageImageContent {
  /** Undefined if the page has no image. */
  readonly picture: PagePicture | undefined;
  /** In pixels per point. */
  readonly scale: number;
  /** The share of the page covered by images, 0 to 1. */
  readonly coverage: number;
  /** Images that could not be decoded. */
  readonly failed: number;
}

/** Text, lines and areas drawn by the page itself are not in the picture. */
export async function pictureOfPage(page: PDFPageProxy, pdfjs: PdfJs): Promise<PageImageContent> {
  const { width, height } = page.getViewport({ scale: 1 });
  const { images, failed } = await readPageImages(page, pdfjs);
  const coverage = Math.min(
    1,
    images.reduce((sum, { matrix }) => sum + areaOf(matrix), 0) / (width * height),
  );
  const scale = scaleFor(images, width, height);
  const size = { width: Math.round(width * scale), height: Math.round(height * scale), scale };
  if (images.length === 0 || size.width < 1 || size.height < 1) {
    return { picture: undefined, scale, coverage: 0, failed };
  }
  const bytes = encodePng(paintImages(images, size), scale);
  const picture = {
    bytes,
    mediaType: 'image/png',
    width: size.width,
    height: size.height,
    pageNumber: page.pageNumber,
  };
  return { picture, scale, coverage, failed };
}

/** The scale of the largest image: a scan is reproduced pixel by pixel. */
function scaleFor(images: readonly PageImage[], width: number, height: number): number {
  let [scale, largest] = [enlarged, 0];
  for (const image of images) {
    const area = areaOf(image.matrix);
    if (area <= largest) continue;
    largest = area;
    scale = Math.sqrt((image.width * image.height) / area);
  }
  const fitting = Math.sqrt(limits.pixels / Math.max(1, width * height));
  return Math.min(scale < coarse ? enlarged : scale, limits.scale, fitting);
}

/** In square points. */
function areaOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number {
  return Math.abs(a * d - b * c);
}

// Paints images on white paper, at their positions on the page.

/** Three bytes per pixel, from the upper left corner. */
interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** `scale`: pixels per point. */
function paintImages(
  images: readonly PageImage[],
  size: { readonly width: number; readonly height: number; readonly scale: number },
): Bitmap {
  const { width, height, scale } = size;
  const rgb = new Uint8Array(width * height * 3).fill(255);
  let painted = 0;
  for (const image of images) {
    const area = paintedArea(image.matrix, scale, width, height);
    painted += Math.max(0, area.right - area.left) * Math.max(0, area.bottom - area.top);
    if (painted > limits.painted) break;
    paint({ width, height, rgb }, image, scale, area);
  }
  return { width, height, rgb };
}

interface PixelArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The pixel area around the transformed unit square. */
function paintedArea(
  matrix: readonly number[],
  scale: number,
  width: number,
  height: number,
): PixelArea {
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

function paint(paper: Bitmap, image: PageImage, scale: number, area: PixelArea): void {
  const { matrix, width, height, colorAt } = image;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = matrix.map((value) => value * scale);
  const determinant = a * d - b * c;
  if (Math.abs(determinant) < 1e-9) return;
  const density = Math.sqrt((width * height) / Math.abs(determinant));
  const isEnlarged = density < 0.75;
  const samples = isEnlarged ? 3 : Math.min(limits.samples, Math.max(1, Math.round(density)));
  // Width in pixels over which each pixel is averaged: enlarged letters become smooth.
  const spread = isEnlarged ? 1 / density : 1;
  const step = 1 / samples;
  const color: [number, number, number, number] = [0, 0, 0, 0];
  for (let y = area.top; y < area.bottom; y += 1) {
    for (let x = area.left; x < area.right; x += 1) {
      let [red, green, blue, seen] = [0, 0, 0, 0];
      for (let index = 0; index < samples * samples; index += 1) {
        const dx = x + 0.5 + (((index % samples) + 0.5) * step - 0.5) * spread - e;
        const dy = y + 0.5 + ((Math.floor(index / samples) + 0.5) * step - 0.5) * spread - f;
        // An image is the unit square, with its first row at the top (ISO 32000-1, 8.9.3).
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

// Writes a bitmap as PNG, in grey if it has no color (PNG 1.2, chapter 4).

/** A file that any engine reads; `scale`, in pixels per point, is stored in the file. */
function encodePng({ width, height, rgb }: Bitmap, scale: number): Uint8Array<ArrayBuffer> {
  const isGrey = hasNoColor(rgb);
  const depth = isGrey ? 1 : 3;
  const row = width * depth;
  // Each row begins with its filter type, 0: none.
  const raw = new Uint8Array((row + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const to = y * (row + 1) + 1;
    if (isGrey) for (let x = 0; x < width; x += 1) raw[to + x] = rgb[(y * width + x) * 3] ?? 0;
    else raw.set(rgb.subarray(y * row, (y + 1) * row), to);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, isGrey ? 0 : 2], 8);
  // In pixels per meter.
  const density = Buffer.alloc(9);
  density.writeUInt32BE(Math.round((scale * 72) / 0.0254), 0);
  density.writeUInt32BE(Math.round((scale * 72) / 0.0254), 4);
  density[8] = 1;
  const parts = [
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', head),
    pngChunk('pHYs', density),
    pngChunk('IDAT', deflateSync(raw, { level: 1 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

function hasNoColor(rgb: Uint8Array): boolean {
  for (let at = 0; at < rgb.length; at += 3) {
    if (rgb[at] !== rgb[at + 1] || rgb[at] !== rgb[at + 2]) return false;
  }
  return true;
}

function pngChunk(type: string, bytes: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), bytes]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(bytes.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
