/** `pagewright/export`: documents to files and back. */
export { writeJsonl } from './write-jsonl.ts';
export { readJsonl } from './read-jsonl.ts';
export { writeMarkdownFolder } from './write-markdown-folder.ts';
export { readMarkdownFolder } from './read-markdown-folder.ts';
export { writeWarc } from './write-warc.ts';
export { readWarc } from './read-warc.ts';
export { writeParquet } from './write-parquet.ts';
export { writeLlmsTxt } from './write-llms-txt.ts';
export { parseLlmsTxt, readLlmsTxt } from './read-llms-txt.ts';

export type { Documents } from './document-sink.ts';
export type { ArchivedPage } from './read-warc.ts';
export type { LlmsTxt, LlmsTxtLink, LlmsTxtSection } from './read-llms-txt.ts';
export type {
  LlmsTxtOptions,
  MarkdownFolderOptions,
  ReadJsonlOptions,
  ReadLlmsTxtOptions,
  ReadWarcOptions,
  WriteJsonlOptions,
} from '../options/export-options.ts';
