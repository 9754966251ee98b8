/** The options of change tracking, checked, and the types of its input and its result. */
import { z } from 'zod';
import { PagewrightError } from '../../../core/runtime/errors.ts';
import type { SchemaInput } from '../../../extract/schema/compile-schema.ts';
import type { CompiledSchema } from '../../../extract/schema/json-schema.ts';
import { selectorError } from '../../html/selector.ts';
import type { PictureBox } from '../../../core/model/snapshot.ts';
import { check } from '../../../core/checks/check.ts';
import { compileLinear } from '../../../core/checks/bounded-pattern.ts';
import type { Compute } from '../computations.ts';
import type { FormatVisit, OptionContext } from '../format.ts';
import type { VisualChange } from './compare-pictures.ts';
import type { MarkdownDiff } from './diff-markdown.ts';
import { json, type PageExtraction } from '../json.ts';

/** A comparison in addition to the status of the markdown. */
export type ChangeTrackingMode = 'git-diff' | 'json' | 'visual';

/** The object form of the format: `{ type: 'changeTracking', modes: ['git-diff'] }`. */
export interface ChangeTrackingRequest<Mode extends ChangeTrackingMode = ChangeTrackingMode> {
  readonly type: 'changeTracking';
  /**
   * `git-diff`: the lines that changed. `json`: the values of `schema` that changed. `visual`: the
   * areas of the picture that changed; needs the format screenshot as a PNG.
   * @default []
   */
  readonly modes?: readonly Mode[] | undefined;
  /** The values that the mode `json` compares; any schema that the json format takes. */
  readonly schema?: SchemaInput | undefined;
  /**
   * Describes the values of `schema` for the client's model, 1 to 20000 characters;
   * `MODEL_REQUIRED` without one.
   */
  readonly prompt?: string | undefined;
  /** Names a separate history, 1 to 200 characters: scrapes with the same tag are compared. */
  readonly tag?: string | undefined;
  /**
   * Names the viewer of the page, 1 to 200 characters. It separates histories in place of `headers`,
   * profile, actions and location: for a token that is renewed between scrapes.
   */
  readonly identity?: string | undefined;
  /** Versions kept for a URL and tag, 1 to 1000; equal scrapes in a row are one version. @default 10 */
  readonly historyLimit?: number | undefined;
  /** Counts a page of status 200 that says "not found" as removed, too. @default false */
  readonly soft404?: boolean | undefined;
  /** Parts left out of the comparison: clocks, counters, the advertisement of the day. */
  readonly ignore?:
    | {
        /** CSS selectors of elements, matched after cleaning. */
        readonly selectors?: readonly string[] | undefined;
        /** Patterns in the markdown; a string is a regular expression. No look-around, no back references. */
        readonly patterns?: readonly (string | RegExp)[] | undefined;
      }
    | undefined;
  /** Parts of the picture that the mode `visual` does not compare: CSS selectors of elements, or boxes. */
  readonly regions?: readonly (string | PictureBox)[] | undefined;
}

/** A pattern in a form that can be sent to a worker. */
export interface IgnoredPattern {
  readonly source: string;
  readonly flags: string;
}

/** Checked options. */
export interface TrackingSettings {
  readonly modes: ReadonlySet<ChangeTrackingMode>;
  readonly schema: CompiledSchema | Promise<CompiledSchema> | undefined;
  readonly prompt: string | undefined;
  /** True when the client's model reads the values of the schema. */
  readonly asksModel: boolean;
  readonly tag: string;
  readonly identity: string | undefined;
  readonly historyLimit: number;
  readonly soft404: boolean;
  readonly selectors: readonly string[];
  readonly patterns: readonly IgnoredPattern[];
  readonly regions: readonly PictureBox[];
  readonly regionSelectors: readonly string[];
}

const side = z.number().min(0);

const optionsSchema = z.strictObject({
  modes: z.array(z.enum(['git-diff', 'json', 'visual'])).optional(),
  schema: z.unknown().optional(),
  prompt: z.string().optional(),
  tag: z.string().min(1).max(200).optional(),
  identity: z.string().min(1).max(200).optional(),
  historyLimit: z.int().min(1).max(1000).optional(),
  soft404: z.boolean().optional(),
  ignore: z
    .strictObject({
      selectors: z.array(z.string()).max(100).optional(),
      patterns: z
        .array(z.union([z.string(), z.instanceof(RegExp)]))
        .max(100)
        .optional(),
    })
    .optional(),
  regions: z
    .array(z.union([z.string(), z.strictObject({ x: side, y: side, width: side, height: side })]))
    .max(100)
    .optional(),
} satisfies Record<keyof Omit<ChangeTrackingRequest, 'type'>, z.ZodType>);

/**
 * Checks the options; throws an `Error` that names the problem, and `MODEL_REQUIRED` for a
 * prompt.
 */
export function parseTrackingOptions(
  options: Readonly<Record<string, unknown>>,
  { hasModel }: OptionContext = { hasModel: false },
): TrackingSettings {
  const data = check('changeTracking', optionsSchema, options);
  if (data.prompt !== undefined && !hasModel) {
    throw new PagewrightError(
      'MODEL_REQUIRED',
      'changeTracking: a prompt needs a model, and there is none. Pass one: createClient({ model }). Without a model, the mode json needs a schema and no prompt.',
    );
  }
  const modes = new Set(data.modes ?? []);
  if (hasModel && modes.has('json') && data.schema === undefined && data.prompt === undefined) {
    throw new Error('schema: the mode json needs a schema: it compares its values');
  }
  if (data.schema !== undefined && !modes.has('json')) {
    throw new Error("schema: it is what the mode json compares; add modes: ['json']");
  }
  if (data.prompt !== undefined && !modes.has('json')) {
    throw new Error("prompt: it says what the mode json compares; add modes: ['json']");
  }
  if (data.prompt !== undefined && data.schema === undefined) {
    throw new Error(
      'schema: a prompt needs one here: what is compared has to have the same names each time',
    );
  }
  if (data.regions !== undefined && !modes.has('visual')) {
    throw new Error("regions: they belong to the mode visual; add modes: ['visual']");
  }
  const { regions = [], ignore: { selectors = [], patterns = [] } = {} } = data;
  return {
    modes,
    schema: modes.has('json') ? checkedSchema(data.schema, data.prompt) : undefined,
    prompt: data.prompt,
    asksModel: hasModel && modes.has('json'),
    tag: data.tag ?? '',
    identity: data.identity,
    historyLimit: data.historyLimit ?? 10,
    soft404: data.soft404 ?? false,
    selectors: selectors.map((one, index) => checkedSelector(one, `ignore.selectors[${index}]`)),
    patterns: patterns.map(checkedPattern),
    regions: regions.filter((region) => typeof region !== 'string'),
    regionSelectors: regions.flatMap((one, index) =>
      typeof one === 'string' ? checkedSelector(one, `regions[${index}]`) : [],
    ),
  };
}

/** Checks schema and prompt as the format json does, but with its messages for clients without a model. */
function checkedSchema(schema: unknown, prompt: string | undefined): TrackingSettings['schema'] {
  if (prompt === undefined) return json.parseOptions?.({ schema }).schema;
  return json.parseOptions?.({ schema, prompt }, { hasModel: true }).schema;
}

function checkedSelector(selector: string, at: string): string {
  const problem = selectorError(selector);
  if (problem === undefined) return selector;
  throw new Error(`${at}: ${JSON.stringify(selector)} is not a CSS selector: ${problem}`);
}

function checkedPattern(pattern: string | RegExp, index: number): IgnoredPattern {
  const { source, flags } = pattern instanceof RegExp ? pattern : { source: pattern, flags: '' };
  // RE2 always reads code points.
  const pure = { source, flags: flags.replace('u', '') };
  if (compileLinear(pure.source, pure.flags) !== undefined) return pure;
  throw new Error(
    `ignore.patterns[${index}]: ${String(pattern)} cannot be used; write a regular expression without look-around, back references and the flag v`,
  );
}

/** The text without the matches of the patterns. */
export function withoutPatterns(text: string, patterns: readonly IgnoredPattern[]): string {
  return patterns.reduce((rest, { source, flags }) => {
    return compileLinear(source, flags)?.matcher(rest).replaceAll('') ?? rest;
  }, text);
}

/** The state of a page compared with its previous scrape. */
export type ChangeStatus = 'new' | 'same' | 'changed' | 'removed';

/** A value of the schema that changed; null where there is none. */
export interface ValueChange {
  readonly previous: unknown;
  readonly current: unknown;
}

/** The fields that each mode adds. */
interface ModeResults {
  readonly 'git-diff': {
    /** Present when the page changed. */
    readonly diff?: MarkdownDiff;
  };
  readonly json: {
    /** By path: `offers[0].price`. Empty when no value changed; absent when there is nothing to compare with. */
    readonly json?: Readonly<Record<string, ValueChange>>;
  };
  readonly visual: {
    /** Absent when no earlier picture exists. */
    readonly visual?: VisualChange;
  };
}

type Joined<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The document's field, with the results of its modes. */
export type ChangeTracking<Mode extends ChangeTrackingMode = ChangeTrackingMode> = {
  /** ISO 8601; null for the first scrape of this URL and tag. */
  readonly previousScrapeAt: string | null;
  /** Compares the markdown with white space folded, without what differs in every visit: session ids and tracking in URLs. `removed`: 404 or 410 after an earlier scrape. */
  readonly changeStatus: ChangeStatus;
  /** `hidden`: known from before, but no link and no sitemap of this crawl leads to the page. */
  readonly visibility: 'visible' | 'hidden';
} & ([Mode] extends [never] ? unknown : Joined<ModeResults[Mode]>);

/** A scraped page as change tracking gets it. */
export interface TrackedPage extends Omit<FormatVisit, 'store' | 'clock' | 'files'> {
  /** The text to compare. */
  readonly markdown: string;
  /** The data for the schema. */
  readonly extraction: PageExtraction | undefined;
  /** Lets a model read the values, where one is to; `extraction` then has the values from selectors. */
  readonly askModel: (() => Promise<PageExtraction>) | undefined;
  readonly compute: Compute;
  /** Milliseconds since 1970. */
  readonly now: number;
}
