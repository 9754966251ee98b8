/** Reads JSON-LD: the scripts of a page as one list of nodes. */
import type { DomDocument } from '../../content/html/dom.ts';
import { parseLenientJson } from './lenient-json.ts';

const limits = {
  nodes: 10_000,
  length: 5_000_000,
  depth: 100, // objects and lists: reading, cloning and JSON serialization recurse
  problems: 5, // unreadable scripts that are reported one by one
};

/** A value inside JSON-LD, as written: HTML entities are not decoded. */
export type JsonLdValue = string | number | boolean | null | JsonLdNode | JsonLdValue[];

/** A JSON-LD object as written: `@type`, `@id`, `@context` and the properties. */
export interface JsonLdNode {
  [property: string]: JsonLdValue;
}

/** The top-level nodes of every JSON-LD script, in document order; at most 10,000. */
export function readJsonLd(document: DomDocument, warn: (message: string) => void): JsonLdNode[] {
  const nodes: JsonLdNode[] = [];
  let number = 0;
  let problems = 0;
  const warnOnce = (message: string): void => {
    problems += 1;
    if (problems <= limits.problems) warn(message);
  };
  for (const script of document.querySelectorAll('script[type]')) {
    if (!isJsonLdType(script.getAttribute('type') ?? '')) continue;
    number += 1;
    const value = parseScript(script.textContent ?? '', `JSON-LD script ${number}`, warnOnce);
    if (value !== undefined) flattenInto(nodes, value);
    if (nodes.length >= limits.nodes) {
      warn(`structuredData: only the first ${limits.nodes} JSON-LD nodes were read.`);
      break;
    }
  }
  if (problems > limits.problems) {
    warn(`structuredData: ${problems - limits.problems} more JSON-LD scripts were skipped.`);
  }
  return nodes;
}

/** The nodes of a response that is JSON-LD itself. */
export function parseJsonLdText(text: string, warn: (message: string) => void): JsonLdNode[] {
  const nodes: JsonLdNode[] = [];
  const value = parseScript(text, 'the JSON-LD document', warn);
  if (value !== undefined) flattenInto(nodes, value);
  return nodes;
}

/** Ignores parameters such as `; charset=utf-8` or a profile. */
function isJsonLdType(type: string): boolean {
  return type.split(';', 1)[0]?.trim().toLowerCase() === 'application/ld+json';
}

function parseScript(
  text: string,
  what: string,
  warn: (message: string) => void,
): JsonLdValue | undefined {
  if (text.trim() === '') return undefined;
  if (text.length > limits.length) {
    warn(`structuredData: ${what} has more than ${limits.length} characters and was skipped.`);
    return undefined;
  }
  const value = parseLenientJson(text) as JsonLdValue | undefined;
  if (value === undefined) {
    warn(`structuredData: ${what} is not valid JSON and was skipped.`);
  } else if (isTooDeep(value)) {
    warn(`structuredData: ${what} is nested deeper than ${limits.depth} levels and was skipped.`);
    return undefined;
  }
  return value;
}

function isTooDeep(value: JsonLdValue): boolean {
  let level: JsonLdValue[] = [value];
  for (let depth = 0; depth < limits.depth && level.length > 0; depth += 1) {
    const next: JsonLdValue[] = [];
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue;
      for (const inner of Object.values<JsonLdValue>(one)) {
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  return level.length > 0;
}

/** Arrays and `@graph` become entries of the list; a container with further properties stays. */
function flattenInto(nodes: JsonLdNode[], value: JsonLdValue): void {
  const pending: JsonLdValue[] = [value];
  while (pending.length > 0 && nodes.length < limits.nodes) {
    const next = pending.pop();
    if (Array.isArray(next)) {
      for (let index = next.length - 1; index >= 0; index -= 1) pending.push(next[index] ?? null);
    } else if (typeof next === 'object' && next !== null) {
      const { '@graph': graph, ...rest } = next;
      if (typeof graph !== 'object' || graph === null) nodes.push(next);
      else {
        if (Object.keys(rest).some((key) => key !== '@context')) nodes.push(rest);
        pending.push(graph);
      }
    }
  }
}
