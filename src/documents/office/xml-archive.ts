/** Opens ZIP archives of XML files: office files and books. */
import { readXml, type XmlElement, type XmlReading } from '../../content/html/xml.ts';
import { decodeText } from '../../content/text/decode.ts';
import type { FileContext } from '../../content/parsers/file-parser.ts';
import { readZip, type ZipFiles } from '../archives/read-zip.ts';
import { Pictures } from './pictures.ts';

/** The files of an archive, read within the limits of its page. */
export interface XmlArchive {
  readonly zip: ZipFiles;
  readonly pictures: Pictures;
  /** The tree of a file; undefined without such a file. */
  readonly tree: (name: string) => Promise<XmlElement | undefined>;
}

/** Throws as `readZip()` does. `tree()` throws `PARSE_LIMIT`. */
export function openXmlArchive(
  bytes: Uint8Array,
  { limits, unpacking }: FileContext,
  reading: XmlReading,
): XmlArchive {
  const zip = readZip(bytes, { totalBytes: limits.bodyBytes, budget: unpacking });
  const tree = async (name: string): Promise<XmlElement | undefined> => {
    const content = zip.read(name);
    if (content === undefined) return undefined;
    return readXml(await decodeText(content, undefined, 'xml'), reading).root;
  };
  return { zip, pictures: new Pictures(zip), tree };
}
