/** The picture of a page: the images that it paints, put together as they stand on it. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { PagePicture } from '../../ocr/recognized-page.ts';
import { paintImages } from './bitmap.ts';
import { encodePng } from './encode-png.ts';
import type { PdfJs } from './open-pdf.ts';
import { type PageImage, readPageImages } from './page-images.ts';

/** Pixels of a picture at most. */
const mostPixels = 25e6;
/** Pixels a point: 300 to the inch is enough for any engine. */
const mostScale = 300 / 72;
/** What has fewer than 140 to the inch is enlarged to 200: engines misread letters that are that small. */
const [coarse, enlarged] = [140 / 72, 200 / 72];

/** What a page shows beside its text. */
export interface PageLook {
  /** Undefined when it shows no image. */
  readonly picture: PagePicture | undefined;
  /** Pixels a point. */
  readonly scale: number;
  /** 0 to 1: how much of the page the images take. */
  readonly coverage: number;
  /** Images that could not be decoded. */
  readonly failed: number;
}

/** Text, lines and areas that the page draws itself are not in the picture. */
export async function pictureOfPage(page: PDFPageProxy, pdfjs: PdfJs): Promise<PageLook> {
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
    ...{ bytes, mediaType: 'image/png', width: size.width, height: size.height },
    pageNumber: page.pageNumber,
  };
  return { picture, scale, coverage, failed };
}

/** That of the largest image: a scan comes out pixel by pixel. */
function scaleFor(images: readonly PageImage[], width: number, height: number): number {
  let [scale, largest] = [enlarged, 0];
  for (const image of images) {
    const area = areaOf(image.matrix);
    if (area <= largest) continue;
    largest = area;
    scale = Math.sqrt((image.width * image.height) / area);
  }
  const fitting = Math.sqrt(mostPixels / Math.max(1, width * height));
  return Math.min(scale < coarse ? enlarged : scale, mostScale, fitting);
}

/** Square points. */
function areaOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number {
  return Math.abs(a * d - b * c);
}
