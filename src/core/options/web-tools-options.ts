/** Options of `createWebTools()` of `pagewright/ai`: the names of the tools, defaults and checks. */
import { z } from 'zod';
import { type ActRisk, actRisks } from '../../browser/actions/act-recipe.ts';
import { readSearchEngine } from '../model/search-engine.ts';
import { check } from '../checks/check.ts';
import type { ClientOptions } from './client-options.ts';

/** The names of the tools, in the order in which agents get them. */
export const webToolNames = [
  'scrape',
  'screenshot',
  'map',
  'search',
  'extract',
  'crawl',
  'crawl_status',
  'crawl_cancel',
  'open_page',
  'use_page',
  'close_page',
  'monitor_check',
] as const;

/** Tools that act on pages: they are there where actions are allowed. */
export const actingToolNames = ['open_page', 'use_page', 'close_page'] as const;

/** The name of a tool. */
export type WebToolName = (typeof webToolNames)[number];

/** Options that the tools are made with, checked and with defaults. */
export interface WebToolsSettings {
  readonly client?: object | undefined;
  readonly model?: ClientOptions['model'];
  readonly search?: ClientOptions['search'];
  readonly budget: Readonly<Record<string, number>>;
  readonly maxCharacters: number;
  readonly allowActions: boolean;
  readonly allowActs: readonly ActRisk[];
  readonly tools: readonly WebToolName[];
}

const settingsSchema: z.ZodType<WebToolsSettings> = z.strictObject({
  client: z
    .custom<object>(
      (value) => typeof (value as { readonly extend?: unknown } | null)?.extend === 'function',
      'expected a client made by createClient()',
    )
    .optional(),
  // The client checks it.
  model: z.custom<ClientOptions['model']>().optional(),
  // Checked below.
  search: z.custom<ClientOptions['search']>().optional(),
  budget: z.record(z.string(), z.number()).default({}),
  maxCharacters: z.int().min(1000).max(1_000_000).default(20_000),
  allowActions: z.boolean().default(false),
  allowActs: z.array(z.enum(actRisks)).default([]),
  tools: z
    .array(z.enum(webToolNames))
    .min(1)
    .refine(
      (names) => !names.includes('crawl') || names.includes('crawl_status'),
      'crawl needs crawl_status, which gives the pages after the first ones',
    )
    .refine(
      (names) => !names.includes('open_page') || names.includes('use_page'),
      'open_page needs use_page, which acts on the page',
    )
    .default([...webToolNames]),
});

/** Checks the options; throws `BAD_REQUEST` with every issue. */
export function parseWebToolsOptions(options: unknown): WebToolsSettings {
  const settings = check('createWebTools()', settingsSchema, options);
  if (settings.search !== undefined) readSearchEngine(settings.search, 'createWebTools()');
  return settings;
}
