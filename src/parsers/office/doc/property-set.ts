/** The properties of an old office document ([MS-OLEPS]): title, author, times. */
import { TextDecoder } from 'node:util';
import type { FileContent } from '../../file-parser.ts';
import { filled } from '../open-xml/open-package.ts';

/** Reads the stream `\x05SummaryInformation`. What is damaged says nothing. */
export function readProperties(stream: Buffer | undefined): Omit<FileContent, 'html'> {
  const values = stream === undefined ? new Map<number, string>() : readValues(stream);
  const text = (id: number): string | undefined => filled(values.get(id) ?? '');
  return {
    title: text(2),
    author: text(4),
    description: text(6) ?? text(3),
    keywords: text(5),
    publishedTime: text(12),
    modifiedTime: text(13),
  };
}

const narrowText = 30;
const wideText = 31;
const time = 64;

function readValues(stream: Buffer): Map<number, string> {
  const values = new Map<number, string>();
  if (stream.length < 56) return values;
  const section = stream.readUInt32LE(44);
  if (section + 8 > stream.length) return values;
  const count = Math.min(100, stream.readUInt32LE(section + 4));
  let page = 1252;
  for (let index = 0; index < count; index += 1) {
    const at = section + 8 + index * 8;
    if (at + 8 > stream.length) break;
    const id = stream.readUInt32LE(at);
    const start = section + stream.readUInt32LE(at + 4);
    if (start + 12 > stream.length) continue;
    const kind = stream.readUInt32LE(start);
    const size = stream.readUInt32LE(start + 4);
    if (id === 1) page = stream.readUInt16LE(start + 4);
    else if (kind === narrowText) {
      const bytes = stream.subarray(start + 8, start + 8 + Math.min(size, 10_000));
      values.set(id, decode(bytes, page).replace(/\0[^]*$/, ''));
    } else if (kind === wideText) {
      const end = start + 8 + Math.min(size * 2, 20_000);
      values.set(id, stream.toString('utf16le', start + 8, end).replace(/\0[^]*$/, ''));
    } else if (kind === time) {
      // 100 ns since 1601.
      const milliseconds = Number(stream.readBigUInt64LE(start + 4) / 10_000n) - 11_644_473_600_000;
      if (milliseconds > 0 && milliseconds < 8e15) {
        values.set(id, new Date(milliseconds).toISOString());
      }
    }
  }
  return values;
}

function decode(bytes: Buffer, page: number): string {
  if (page === 65001) return bytes.toString('utf8');
  const label = page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252';
  return new TextDecoder(label).decode(bytes);
}
