/** Options of `createWebTools()` of `pagewright/ai`: the names of the tools, defaults and checks. */
import { z } from 'zod';
import { actRisks } from '../../browser/actions/act-recipe.ts';
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

const settingsSchema = z.strictObject({
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

/** Options that the tools are made with, checked and with defaults. */
export type WebToolsSettings = z.output<typeof settingsSchema>;

/** Checks the options; throws `BAD_REQUEST` with every issue. */
export function parseWebToolsOptions(options: unknown): WebToolsSettings {
  const settings = check('createWebTools()', settingsSchema, options);
  if (settings.search !== undefined) readSearchEngine(settings.search, 'createWebTools()');
  return settings;
}
