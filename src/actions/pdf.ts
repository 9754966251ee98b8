/** pdf: prints the page. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';

type PaperFormat =
  ('A0' | 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6') | ('Letter' | 'Legal' | 'Tabloid' | 'Ledger');

const formats: readonly PaperFormat[] = [
  ...(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'] as const),
  ...(['Letter', 'Legal', 'Tabloid', 'Ledger'] as const),
];

/** Options of pdf. */
export interface PdfOptions {
  /** The paper size. @default 'Letter' */
  readonly format?: PaperFormat | undefined;
  /** @default false */
  readonly landscape?: boolean | undefined;
  /** 0.1 to 2. @default 1 */
  readonly scale?: number | undefined;
}

/** Prints the page, with backgrounds. */
export const pdf: BuiltInAction<'pdf', PdfOptions> = {
  type: 'pdf',
  showsPage: true,
  options: z.strictObject({
    format: z.enum(formats).optional(),
    landscape: z.boolean().optional(),
    scale: z.number().min(0.1).max(2).optional(),
  }),
  async run(page, { format = 'Letter', landscape = false, scale = 1 }, _, outcome) {
    const bytes = await page.pdf({ format, landscape, scale, printBackground: true });
    outcome.pdfs.push({ bytes, mediaType: 'application/pdf' });
  },
};
