/** `pagewright/export`: documents to files and back. */
export { writeCsv } from './csv.ts';
export { writeJson } from './jsonl.ts';
export { writeJsonl } from './jsonl.ts';
export { readJsonl } from './jsonl.ts';
export { writeMarkdownFolder } from './markdown-folder.ts';
export { readMarkdownFolder } from './markdown-folder.ts';
export { writeWarc } from './warc.ts';
export { readWarc } from './warc.ts';
export { writeHar } from './har.ts';
export { writeParquet } from './write-parquet.ts';
export { writeLlmsTxt } from './llms-txt.ts';
export { writeReport } from './report/write-report.ts';
export { parseLlmsTxt, readLlmsTxt } from './llms-txt.ts';

export type { Documents } from './document-sink.ts';
export type { ArchivedPage } from './warc.ts';
export type { ReportedExtraction, ReportedJob } from './report/write-report.ts';
export type { LlmsTxt, LlmsTxtLink, LlmsTxtSection } from './llms-txt.ts';
export type {
  LlmsTxtOptions,
  MarkdownFolderOptions,
  ReadAsset,
  ReadJsonlOptions,
  ReadLlmsTxtOptions,
  ReadWarcOptions,
  ReportOptions,
  WriteCsvOptions,
  WriteJsonlOptions,
  WriteWarcOptions,
} from '../../core/options/export-options.ts';
