/** Runs a selector schema on the visible content of a page. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { DomElement } from '../../content/html/dom.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import { extractSelected } from '../heuristics/extract-without-model.ts';
import { isSchemaObject, type JsonSchema } from '../schema/json-schema.ts';
import { selectAll } from '../schema/selector-keywords.ts';
import type { TriedSchema } from './recipe-page.ts';

const maxDepth = 16;

/** Undefined where it takes too long on this page. `html` is the visible content. */
export function trySchema(
  page: HtmlPage,
  html: DomElement,
  schema: JsonSchema,
): TriedSchema | undefined {
  try {
    const extraction = extractSelected(page, html, schema);
    const matches = new Map<string, number>();
    countMatches(schema, html, { path: '', depth: 0 }, matches);
    return { extraction, matches: Object.fromEntries(matches) };
  } catch (error) {
    if (error instanceof PagewrightError && error.code === 'PARSE_LIMIT') return undefined;
    throw error;
  }
}

/** Counts matches of values outside lists. */
function countMatches(
  schema: JsonSchema,
  html: DomElement,
  { path, depth }: { readonly path: string; readonly depth: number },
  matches: Map<string, number>,
): void {
  const { properties = {}, anyOf = [] } = schema;
  if (depth > maxDepth) return;
  if (schema['x-selector'] !== undefined) {
    const kinds = [schema, ...anyOf].flatMap((one) =>
      isSchemaObject(one) ? (one.type ?? []) : [],
    );
    if (kinds.includes('array') || kinds.includes('object')) return;
    const group = selectAll(html, schema).find((found) => found.length > 0);
    matches.set(path, group?.length ?? 0);
    return;
  }
  const parts = [properties, ...anyOf.map((one) => (isSchemaObject(one) ? one.properties : {}))];
  for (const [name, member] of parts.flatMap((part) => Object.entries(part ?? {}))) {
    if (!isSchemaObject(member)) continue;
    const inner = path === '' ? name : `${path}.${name}`;
    countMatches(member, html, { path: inner, depth: depth + 1 }, matches);
  }
}
