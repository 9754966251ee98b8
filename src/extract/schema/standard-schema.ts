/** Standard Schema (https://standardschema.dev), and the type of the data that a schema describes. */

/** The part used here: validation, and JSON Schema where the schema offers it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    /** The library: `zod`, `valibot`, `arktype`. */
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: {
        readonly target: 'draft-2020-12';
        readonly libraryOptions?: Record<string, unknown>;
      }) => Record<string, unknown>;
    };
  };
}

/** The result of a Standard Schema's `validate`: the data, or its issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

// From a schema's type to the type of the data it describes.

/**
 * The type of data that fits a schema: the output type of a zod or other Standard Schema; for JSON
 * Schema written `as const` (or inline) the type by `type`, `properties`, `required`, `items`, `enum`,
 * `const`, `anyOf` and `oneOf`; else `unknown`.
 */
export type InferSchema<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : InferJsonSchema<S>;

type InferJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Branch)[] }
      ? InferJsonSchema<Branch>
      : S extends { readonly oneOf: readonly (infer Branch)[] }
        ? InferJsonSchema<Branch>
        : S extends { readonly type: readonly (infer Name)[] }
          ? InferType<Name, S>
          : S extends { readonly type: infer Name }
            ? InferType<Name, S>
            : S extends { readonly properties: object }
              ? InferType<'object', S>
              : unknown;

/** Distributes over the names of `type: ['string', 'null']`. */
type InferType<Name, S> = string extends Name
  ? unknown
  : Name extends 'string'
    ? string
    : Name extends 'number' | 'integer'
      ? number
      : Name extends 'boolean'
        ? boolean
        : Name extends 'null'
          ? null
          : Name extends 'array'
            ? InferItems<S>
            : Name extends 'object'
              ? InferObject<S>
              : unknown;

type InferItems<S> = S extends { readonly items: infer Items }
  ? Items extends readonly unknown[]
    ? unknown[]
    : InferJsonSchema<Items>[]
  : unknown[];

type InferObject<S> = S extends { readonly properties: infer Properties }
  ? Simplify<
      {
        -readonly [
          Key in keyof Properties as Key extends RequiredKey<S> ? Key : never
        ]: InferJsonSchema<Properties[Key]>;
      } & {
        -readonly [
          Key in keyof Properties as Key extends RequiredKey<S> ? never : Key
        ]?: InferJsonSchema<Properties[Key]>;
      }
    >
  : S extends { readonly additionalProperties: infer Value }
    ? Record<string, InferJsonSchema<Value>>
    : Record<string, unknown>;

type RequiredKey<S> = S extends { readonly required: readonly (infer Key)[] }
  ? string extends Key
    ? never
    : Key
  : never;

type Simplify<T> = { [Key in keyof T]: T[Key] };
