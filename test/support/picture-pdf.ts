/** PDFs whose pages are pictures, written down part by part. */
import { deflateSync } from 'node:zlib';

/** An object that is a stream: its dictionary without length, and its bytes. */
export interface PdfStream {
  readonly dictionary: string;
  readonly bytes: Uint8Array;
}

/** A page of 100 × 100 points. */
export interface PicturePage {
  /** What it draws: `/P0` is the first picture. */
  readonly draws: string;
  /** Objects of its own; `{{0}}` in a dictionary is the number of the first. */
  readonly pictures: readonly PdfStream[];
}

/** A picture of one gray, compressed; what is given in `more` is added to its dictionary. */
export function grayPicture(width: number, height: number, gray: number, more = ''): PdfStream {
  return {
    dictionary: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode ${more}`,
    bytes: deflateSync(new Uint8Array(width * height).fill(gray)),
  };
}

export function picturePdf(pages: readonly PicturePage[]): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  const add = (number: number, body: string | Buffer): void => {
    offsets[number] = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(Buffer.from(`${number} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n'));
  };
  const stream = ({ dictionary, bytes }: PdfStream): Buffer =>
    Buffer.concat([
      Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
      bytes,
      Buffer.from('\nendstream'),
    ]);
  let next = 3;
  const kids: number[] = [];
  for (const { draws, pictures } of pages) {
    const [page, content] = [next, next + 1];
    const numbers = pictures.map((_, at) => next + 2 + at);
    next += 2 + pictures.length;
    kids.push(page);
    const named = numbers.map((number, at) => `/P${at} ${number} 0 R`).join(' ');
    add(
      page,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents ${content} 0 R /Resources << /XObject << ${named} >> >> >>`,
    );
    add(content, stream({ dictionary: '', bytes: Buffer.from(draws) }));
    for (const [at, picture] of pictures.entries()) {
      const dictionary = picture.dictionary.replace(
        /\{\{(\d+)\}\}/g,
        (_, index: string) => `${numbers[Number(index)]} 0 R`,
      );
      add(numbers[at] ?? 0, stream({ ...picture, dictionary }));
    }
  }
  add(1, '<< /Type /Catalog /Pages 2 0 R >>');
  add(
    2,
    `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`,
  );
  const start = parts.reduce((sum, part) => sum + part.length, 0);
  const table = Array.from(
    { length: next - 1 },
    (_, at) => `${String(offsets[at + 1]).padStart(10, '0')} 00000 n \n`,
  ).join('');
  const tail = `xref\n0 ${next}\n0000000000 65535 f \n${table}trailer\n<< /Size ${next} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.concat([...parts, Buffer.from(tail)]));
}
