/** Opens Office Open XML packages: their parts, and the relations between parts (ECMA-376, part 2). */
import { xmlChild, xmlChildren, type XmlElement, xmlText } from '../../content/html/xml.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import type { FileContent, FileContext } from '../../content/parsers/file-parser.ts';
import { unreadable } from '../unreadable.ts';
import { imageElement } from './pictures.ts';
import { openXmlArchive, type XmlArchive } from './xml-archive.ts';

/** A reference from one part to another, or to an external resource. */
export interface Relation {
  /** The last word of its type: `hyperlink`, `image`, `slide`. */
  readonly kind: string;
  /** The name of a part, or a URL. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** Relations by id. */
export type Relations = ReadonlyMap<string, Relation>;

/** Namespaces by the prefixes in our trees, whatever prefixes a program uses. */
const prefixes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    w: 'wordprocessingml',
    a: 'drawingml',
    p: 'presentationml',
    r: 'officeDocument/relationships',
    m: 'officeDocument/math',
    wp: 'drawingml/wordprocessingDrawing',
    pic: 'drawingml/picture',
    c: 'drawingml/chart',
    dgm: 'drawingml/diagram',
  }).flatMap(([prefix, path]) => {
    const isMain = /^\w+ml$/.test(path);
    const year = '2006';
    const [family = '', ...rest] = path.split('/');
    const own = isMain ? `${path}/${year}/main` : [family, year, ...rest].join('/');
    const strict = isMain ? `${path}/main` : path;
    return [
      [`http://schemas.openxmlformats.org/${own}`, prefix] as const,
      [`http://purl.oclc.org/ooxml/${strict}`, prefix] as const,
    ];
  }),
);

/** An open package. Each part is read once, on demand. */
export class OpenPackage {
  readonly #archive: XmlArchive;
  readonly #parts = new Map<string, XmlElement | undefined>();
  /** Names are compared case-insensitively. */
  readonly #names: ReadonlyMap<string, string>;

  /** Throws `UNSUPPORTED_CONTENT` for files that are encrypted or damaged. */
  constructor(bytes: Uint8Array, context: FileContext) {
    // A file with a password is a compound file that contains the encrypted one.
    if (bytes[0] === 0xd0 && bytes[1] === 0xcf) {
      throw unreadable('The office file', 'it is encrypted with a password');
    }
    this.#archive = openXmlArchive(bytes, context, { nodes: context.limits.nodes * 3, prefixes });
    this.#names = new Map(this.#archive.zip.names.map((name) => [name.toLowerCase(), name]));
  }

  /** The element of the picture of a relation. */
  picture(alt: string, relation: Relation | undefined): string {
    if (relation?.isExternal === true) return imageElement(alt, relation.target);
    return this.#archive.pictures.element(alt, relation && this.#nameOf(relation.target));
  }

  /** The tree of a part; undefined without such a part. */
  async part(name: string): Promise<XmlElement | undefined> {
    if (this.#parts.has(name)) return this.#parts.get(name);
    const tree = await this.#archive.tree(this.#nameOf(name));
    this.#parts.set(name, tree);
    return tree;
  }

  #nameOf(name: string): string {
    return this.#names.get(name.toLowerCase()) ?? name;
  }

  /** The relations of a part; `''` is the package itself. */
  async relations(name: string): Promise<Relations> {
    const slash = name.lastIndexOf('/') + 1;
    const tree = await this.part(`${name.slice(0, slash)}_rels/${name.slice(slash)}.rels`);
    const relations = new Map<string, Relation>();
    for (const { attributes } of xmlChildren(tree)) {
      const { Id: id, Type: type = '', Target: target = '', TargetMode: mode } = attributes;
      if (id === undefined) continue;
      const isExternal = mode === 'External';
      const kind = type.slice(type.lastIndexOf('/') + 1);
      relations.set(id, {
        kind,
        isExternal,
        target: isExternal ? target : partName(target, name.slice(0, slash)),
      });
    }
    return relations;
  }

  /** The name of the main part. Throws `UNSUPPORTED_CONTENT` without one. */
  async mainPart(): Promise<string> {
    for (const { kind, target } of (await this.relations('')).values()) {
      if (kind === 'officeDocument' && this.#names.has(target.toLowerCase())) return target;
    }
    const why = 'it does not say which of its parts is the document';
    throw unreadable('The office file', why);
  }

  /** The core properties: title, author, and so on. */
  async properties(): Promise<Omit<FileContent, 'html'>> {
    let name = 'docProps/core.xml';
    for (const { kind, target } of (await this.relations('')).values()) {
      if (kind === 'core-properties') name = target;
    }
    const tree = await this.part(name);
    const text = (...names: readonly string[]): string | undefined => {
      const found = xmlChildren(tree).find((one) => names.includes(one.name.replace(/^.*:/, '')));
      return filled(xmlText(found));
    };
    return {
      title: text('title'),
      author: text('creator'),
      description: text('description') ?? text('subject'),
      keywords: text('keywords'),
      language: text('language'),
      publishedTime: text('created'),
      modifiedTime: text('modified'),
    };
  }
}

/** The first relation of a kind. */
export function relationOf(relations: Relations, kind: string): Relation | undefined {
  for (const relation of relations.values()) if (relation.kind === kind) return relation;
  return undefined;
}

/** Resolves a target relative to the folder of a part. */
function partName(target: string, folder: string): string {
  const parts: string[] = [];
  const whole = target.startsWith('/') ? target : folder + target;
  for (const part of whole.split(/[\\/]/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Undefined for an empty text. */
export function filled(text: string): string | undefined {
  const trimmed = oneLine(text);
  return trimmed === '' ? undefined : trimmed;
}

/** The value of `w:val`, `val` and the like on a child element. */
export function valueOf(element: XmlElement | undefined, name: string): string | undefined {
  const { attributes } = xmlChild(element, name) ?? {};
  return attributes?.['w:val'] ?? attributes?.['val'];
}

/** A boolean property: present means on, unless its value means off. */
export function isOn(element: XmlElement | undefined, name: string): boolean | undefined {
  const found = xmlChild(element, name);
  if (found === undefined) return undefined;
  return isOnByValue(found.attributes['w:val'] ?? found.attributes['val']);
}

/** The value of a boolean property; a missing value means on. */
export function isOnByValue(value: string | undefined): boolean {
  return value === undefined || !/^(?:0|false|off|none)$/.test(value);
}
