/**
 * The formats by name, and every type that derives from them: the entries of `formats` and the fields
 * of the document. `registry.ts` is the list.
 */
import type { ActionResults } from '../../browser/actions/action-types.ts';
import type { Metadata } from '../../core/model/document.ts';
import type { PageAsset } from './assets/index.ts';
import type {
  ChangeTracking,
  ChangeTrackingMode,
  ChangeTrackingRequest,
} from './change-tracking/tracking-options.ts';
import type { ScrapeRequest } from '../../core/model/request.ts';
import type { Format, FormatRequest } from './format.ts';
import type { HighlightsOptions } from './highlights/index.ts';
import type { JsonMode } from './json-options.ts';
import type { Provenance, ProvenanceOptions } from '../../extract/provenance/provenance.ts';
import type { RecipeChoice, RecipeReport } from '../../extract/recipes/recipe.ts';
import type { InferSchema, SchemaInput } from '../../extract/schema/compile-schema.ts';
import * as registry from './registry.ts';

type Registry = typeof registry;

/** The names of the built-in formats. */
export type FormatName = keyof Registry;

/** The value of a format: what `run` gives where there is no `finish`. */
type ValueOfFormat<F> = F extends {
  run(...given: never): infer Value;
  readonly finish?: undefined;
}
  ? Awaited<Value>
  : F extends Format<string, infer Value, infer _, infer _, infer _>
    ? Value
    : never;
type OptionsOfFormat<F> =
  F extends Format<string, infer _, infer Options, infer _, infer _> ? Options : never;

/** Formats that have no meaning without options: `attributes` needs selectors, `json` a schema. */
type NeedsOptions = {
  [Name in FormatName]: undefined extends OptionsOfFormat<Registry[Name]> ? never : Name;
}[Exclude<FormatName, 'changeTracking'>];

/** The json format: data that fits a schema, typed by it. */
export interface JsonRequest<S extends SchemaInput = SchemaInput> {
  readonly type: 'json';
  /**
   * A zod 3 or 4 schema, any Standard Schema that yields JSON Schema, or JSON Schema. With a `prompt`
   * it is optional: then the model gives any JSON object, typed as `unknown`.
   */
  readonly schema?: S | undefined;
  /** Tells the client's model what to find; `MODEL_REQUIRED` without one. */
  readonly prompt?: string | undefined;
  /**
   * `model`: the client's model alone reads the page. `markup`: no model, but selectors, structured
   * data, tables and labels. `auto`: the model where the client has one; values from selectors in the
   * schema are kept, and where they give everything no model is asked. @default 'auto'
   */
  readonly mode?: JsonMode | undefined;
  /**
   * Reads the page by learned selectors. `learn` asks the model once for each page template, and uses
   * its proven and stored answer for all other pages; `use` takes stored recipes only; or pass your own
   * recipes. Needs a schema. `document.jsonRecipe` tells the outcome. @default the model reads each page
   */
  readonly recipe?: RecipeChoice | undefined;
  /**
   * Reports where on the page each value is, in `document.jsonProvenance`. @default false
   */
  readonly provenance?: ProvenanceOptions['provenance'];
  /** How values that the page does not support are treated. @default 'keep' */
  readonly unverified?: ProvenanceOptions['unverified'];
}

/** Object forms that differ from the checked options. */
interface OwnForms {
  readonly changeTracking: ChangeTrackingRequest;
  readonly highlights: { readonly type: 'highlights' } & HighlightsOptions;
  readonly json: JsonRequest;
  readonly summary: { readonly type: 'summary' };
}

type ObjectForm<Name extends FormatName> = Name extends keyof OwnForms
  ? OwnForms[Name]
  : Name extends NeedsOptions
    ? { readonly type: Name } & OptionsOfFormat<Registry[Name]>
    : { readonly type: Name } & OptionalOptions<OptionsOfFormat<Registry[Name]>>;

/** Options of a format that works without them, `undefined` left out. */
type OptionalOptions<Options> = [Options] extends [undefined] ? unknown : NonNullable<Options>;

/** The object form of a custom format that is registered with the client. */
type ObjectFormOf<F> =
  F extends Format<infer Name, infer _, infer Options, infer _, infer _>
    ? undefined extends Options
      ? { readonly type: Name } & OptionalOptions<Options>
      : { readonly type: Name } & Options
    : never;

/** One entry of `formats`: a name, an object with options, or a custom format. */
export type FormatInput<Custom extends readonly Format[] = readonly []> =
  | Exclude<FormatName, NeedsOptions>
  | { [Name in FormatName]: ObjectForm<Name> }[FormatName]
  | FormatByValue
  | Custom[number]['name']
  | ObjectFormOf<Custom[number]>;

/** A custom format that is passed itself. An object with a `type` is not one, so that its errors concern its type. */
interface FormatByValue extends Format {
  readonly type?: undefined;
}

/**
 * The list that `formats` accepts where `Inputs` was inferred from it: each object has the options of its
 * format and no others.
 */
export type FormatList<Inputs extends readonly unknown[], Custom extends readonly Format[]> = {
  readonly [Index in keyof Inputs]: Inputs[Index] extends {
    readonly type: infer Name extends string;
  }
    ? Name extends FormatName
      ? ObjectForm<Name>
      : ObjectFormOf<Extract<Custom[number], { readonly name: Name }>>
    : Inputs[Index];
};

/** The document's field that an entry fills. */
type FieldOf<Input> = Input extends string
  ? Input
  : Input extends { readonly type: infer Name extends string }
    ? Name
    : Input extends { readonly name: infer Name extends string }
      ? Name
      : never;

/** The modes of a change-tracking entry. */
type ModeOf<Input> = Input extends { readonly modes: readonly (infer Mode)[] }
  ? Extract<Mode, ChangeTrackingMode>
  : never;

/** The type of that field. */
type ValueOf<Input, Custom extends readonly Format[]> = Input extends {
  readonly type: 'json';
  readonly schema: infer S extends SchemaInput;
}
  ? InferSchema<S>
  : FieldOf<Input> extends 'changeTracking'
    ? ChangeTracking<ModeOf<Input>> | undefined
    : Input extends Format
      ? ValueOfFormat<Input>
      : FieldOf<Input> extends FormatName
        ? ValueOfFormat<Registry[FieldOf<Input>]>
        : ValueOfFormat<Extract<Custom[number], { readonly name: FieldOf<Input> }>>;

/** The entry of the list that fills the field `Name`. */
type EntryOf<Input, Name> = Input extends unknown
  ? Name extends FieldOf<Input>
    ? Input
    : never
  : never;

/** Properties with the docstrings of `Documented`, which the compiler copies where that is a type parameter. */
type DocumentedFields<
  Documented,
  Names extends keyof Documented,
  Input,
  Custom extends readonly Format[],
> = {
  [Name in Names]: ValueOf<EntryOf<Input, Name>, Custom>;
};

type Fields<Inputs extends readonly unknown[], Custom extends readonly Format[]> = DocumentedFields<
  Registry,
  Extract<FieldOf<Inputs[number]>, FormatName>,
  Inputs[number],
  Custom
> & {
  [Name in Exclude<FieldOf<Inputs[number]>, FormatName>]: ValueOf<
    EntryOf<Inputs[number], Name>,
    Custom
  >;
} & Pick<JsonFields, JsonFieldOf<Inputs[number]>>;

/** Fields that the json format adds besides its own. */
interface JsonFields {
  /** Where on the page each value of `json` is, by its path in the data. */
  jsonProvenance: Provenance;
  /** The use of learned selectors; absent for a page that has no elements. */
  jsonRecipe?: RecipeReport;
}

type JsonFieldOf<Input> =
  | (Input extends { readonly type: 'json'; readonly provenance: true } ? 'jsonProvenance' : never)
  | (Input extends { readonly type: 'json'; readonly recipe: object | string }
      ? 'jsonRecipe'
      : never);

/** Fields when the list of formats is not known at compile time: all optional. */
type AnyFields<Custom extends readonly Format[]> = Partial<
  { [Name in keyof Registry]: ValueOfFormat<Registry[Name]> } & Fields<Custom, Custom> & JsonFields
>;

/** The result of a scrape: exactly the requested formats, plus metadata. */
export type Document<
  Inputs extends readonly unknown[] = readonly ['markdown'],
  Custom extends readonly Format[] = readonly [],
> = (number extends Inputs['length'] ? AnyFields<Custom> : Fields<Inputs, Custom>) & {
  /** Problems of a document that is usable all the same; sentences, joined by a space. */
  warning?: string;
  /** The results of the steps of `actions`, where there were any. */
  actions?: ActionResults;
  /** The images and files of the page that were downloaded, with the option `assets`. */
  assets?: PageAsset[];
  /** Facts of the fetch, such as `url` and `statusCode`, and of the page, such as `title` and `author`. */
  metadata: Metadata;
};

/** Looking up a name in a module namespace takes far longer than in a map. */
const formats: ReadonlyMap<string, Format> = new Map(Object.entries(registry));

/** The built-in format of that name, or undefined. */
export function builtInFormat(name: string): Format | undefined {
  return formats.get(name);
}

/** Names of document fields that no format may fill. */
export const reservedNames: ReadonlySet<string> = new Set([
  'metadata',
  'warning',
  'actions',
  'assets',
  'jsonProvenance',
  'plainMarkdown',
  '__proto__',
  'then',
]);

/** True for a name that a custom format may have. */
export function isFreeName(name: string): boolean {
  const known = builtInFormat(name);
  return known === undefined ? !reservedNames.has(name) : 'isReplaceable' in known;
}

/** True for a format that sends the page to the client's model. */
export function asksModel({ uses }: FormatRequest): boolean {
  return uses.model === true;
}

/** True for a page that may need the client's model: for a format or an action. */
export function pageAsksModel({
  formats,
  rendering,
}: Pick<ScrapeRequest<FormatRequest>, 'formats' | 'rendering'>): boolean {
  const { actions = [] } = rendering;
  return formats.some(asksModel) || actions.some((step) => step.asksModel === true);
}

/** The names of the built-in formats that may be requested by name alone, sorted. */
export function formatsWithoutOptions(): FormatName[] {
  return builtInFormatNames().filter((name) => {
    try {
      builtInFormat(name)?.parseOptions?.({}, { hasModel: false });
      return true;
    } catch {
      return false;
    }
  });
}

/** The names of all built-in formats, sorted. */
export function builtInFormatNames(): FormatName[] {
  return Object.keys(registry).sort() as FormatName[];
}
