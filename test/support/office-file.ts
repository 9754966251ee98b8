/** Office files that a test makes, and pages that are read from them. */
import { strToU8, zipSync } from 'fflate';
import type { HtmlPage } from '../../src/core/model/page.ts';
import { defaultPdfReading } from '../../src/core/model/request.ts';
import type { Limits } from '../../src/core/model/request-options.ts';
import { defaultLimits } from '../../src/core/model/limits.ts';
import { parseSnapshot } from '../../src/core/page/parsers.ts';

/** An archive of texts and bytes by name. */
export function archive(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === 'string' ? strToU8(content) : content,
      ]),
    ),
  );
}

const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** Relations by id: kind and target. */
export function relationsOf(items: Readonly<Record<string, readonly [string, string]>>): string {
  const all = Object.entries(items).map(
    ([id, [kind, target]]) =>
      `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${relations}">${all.join('')}</Relationships>`;
}

/** A document of a body, with other parts by their names. */
export function docxOf(
  body: string,
  parts: Readonly<Record<string, string | Uint8Array>> = {},
): Uint8Array {
  return archive({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationsOf({ main: ['officeDocument', 'word/document.xml'] }),
    'word/document.xml': `<w:document xmlns:w="${word}" xmlns:r="${office}"><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationsOf({
      styles: ['styles', 'styles.xml'],
      numbering: ['numbering', 'numbering.xml'],
    }),
    ...parts,
  });
}

/** A workbook of one sheet, with other parts by their names. */
export function workbookOf(
  sheet: string,
  parts: Readonly<Record<string, string>> = {},
): Uint8Array {
  const part = (name: string, kind: string): string =>
    `<Override PartName="/xl/${name}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
  return archive({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${part('workbook.xml', 'sheet.main')}${part('worksheets/sheet1.xml', 'worksheet')}${part('sharedStrings.xml', 'sharedStrings')}</Types>`,
    '_rels/.rels': relationsOf({ main: ['officeDocument', 'xl/workbook.xml'] }),
    'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${office}"><sheets><sheet name="Big" sheetId="1" r:id="s"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsOf({
      s: ['worksheet', 'worksheets/sheet1.xml'],
      t: ['sharedStrings', 'sharedStrings.xml'],
    }),
    'xl/worksheets/sheet1.xml': `<worksheet>${sheet}</worksheet>`,
    ...parts,
  });
}

/** `w:p` with one run. */
export function paragraph(text: string, format = ''): string {
  return `<w:p><w:pPr>${format}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** The page of a file, read where the test is. */
export async function readFile(
  body: Uint8Array | string,
  contentType: string | undefined = undefined,
  limits: Partial<Limits> = {},
): Promise<HtmlPage> {
  const bytes = typeof body === 'string' ? strToU8(body) : body;
  const page = await parseSnapshot(
    {
      url: 'http://files.test/file',
      statusCode: 200,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      body: bytes,
      engine: 'http',
      redirects: [],
      warnings: [],
      requests: 1,
      bytes: bytes.length,
    },
    [],
    { limits: { ...defaultLimits, ...limits }, pdf: defaultPdfReading },
  );
  if (page.kind !== 'html') throw new Error(`it is ${page.mediaType}`);
  return page;
}
