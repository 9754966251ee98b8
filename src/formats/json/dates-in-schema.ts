/** Schemas that want `Date` objects: JSON has none, so they are written as strings until validation. */
import { isSchemaObject, type JsonSchema, shapesOf } from './json-schema.ts';

/** Marks a schema whose validator wants a `Date`; its JSON form is a `date-time` string. */
const dateObjectKeyword = 'x-date-object';

/** The JSON Schema of a `Date`. */
export const dateObjectSchema: JsonSchema = {
  type: 'string',
  format: 'date-time',
  [dateObjectKeyword]: true,
};

/** A copy in which the strings of marked schemas are `Date` objects. */
export function reviveDates(value: unknown, root: JsonSchema): unknown {
  const shapeOf = shapesOf(root);
  const revive = (current: unknown, schema: unknown): unknown => {
    if (!isSchemaObject(schema)) return current;
    const { schema: resolved } = shapeOf(schema);
    if (typeof current === 'string') {
      return resolved[dateObjectKeyword] === true ? new Date(current) : current;
    }
    if (Array.isArray(current)) return current.map((item) => revive(item, resolved.items));
    if (typeof current !== 'object' || current === null) return current;
    return Object.fromEntries(
      Object.entries(current).map(([key, member]) => [
        key,
        revive(member, resolved.properties?.[key]),
      ]),
    );
  };
  return revive(value, root);
}
