/** Text recognition for the option `ocr`: `import { tesseractOcr } from 'pagewright/ocr'`. */
export { tesseractOcr } from './tesseract-ocr.ts';
export type { TesseractOcrOptions } from './tesseract-ocr.ts';
