/** What a slide has from its layout and its master: which paragraphs have bullets. */
import { xmlChild, type XmlElement, xmlElements } from '../../../html/xml-tree.ts';
import { type OpenPackage, relationOf } from '../open-xml/open-package.ts';

/** A bullet, a number, or nothing before a paragraph. */
export type Bullet = 'bullet' | 'number' | 'none';

/** Whose text it is: `p:ph`. */
export interface Placeholder {
  /** `title`, `body`, … */
  readonly type: string;
  readonly index: string | undefined;
}

/** What layout and master say. */
export interface Placeholders {
  /** True when paragraphs of a placeholder have bullets at a level from 0. */
  bullets(placeholder: Placeholder, level: number): boolean;
}

/** The placeholder that a shape is; undefined for shapes of the slide's own. */
export function placeholderOf(shape: XmlElement): Placeholder | undefined {
  const properties = shape.children.find(
    (node): node is XmlElement => typeof node !== 'string' && /^p:nv\w*Pr$/.test(node.name),
  );
  const found = xmlChild(properties, 'p:nvPr', 'p:ph');
  if (found === undefined) return undefined;
  const { type = 'body', idx: index } = found.attributes;
  return { type, index };
}

/** The bullet that properties of a paragraph name; undefined when they name none. */
export function bulletOf(properties: XmlElement | undefined): Bullet | undefined {
  if (xmlChild(properties, 'a:buNone') !== undefined) return 'none';
  if (xmlChild(properties, 'a:buAutoNum') !== undefined) return 'number';
  const isBullet = ['a:buChar', 'a:buBlip'].some((name) => xmlChild(properties, name));
  return isBullet ? 'bullet' : undefined;
}

/** The bullet that a list of styles has for a level. */
export function levelBullet(styles: XmlElement | undefined, level: number): Bullet | undefined {
  return bulletOf(xmlChild(styles, `a:lvl${level + 1}pPr`));
}

/** Reads a layout and the master that it is made on. */
export async function readPlaceholders(file: OpenPackage, layout: string): Promise<Placeholders> {
  const layoutTree = await file.part(layout);
  const master = relationOf(await file.relations(layout), 'slideMaster')?.target;
  const masterTree = master === undefined ? undefined : await file.part(master);
  const ofLayout = stylesByPlaceholder(layoutTree);
  const ofMaster = stylesByPlaceholder(masterTree);
  const bodyStyle = xmlChild(masterTree, 'p:txStyles', 'p:bodyStyle');
  return {
    bullets: ({ type, index }, level) => {
      const isBody = /^(?:body|obj|tbl|chart|dgm|media|clipArt|pic)$/.test(type);
      const bullet =
        levelBullet(ofLayout.get(`#${index ?? ''}`) ?? ofLayout.get(type), level) ??
        levelBullet(ofMaster.get(type === 'subTitle' ? 'body' : type), level) ??
        (isBody || type === 'subTitle' ? levelBullet(bodyStyle, level) : undefined);
      return bullet !== undefined && bullet !== 'none';
    },
  };
}

/** The lists of styles in the shapes of a layout, by index and by type. */
function stylesByPlaceholder(tree: XmlElement | undefined): ReadonlyMap<string, XmlElement> {
  const styles = new Map<string, XmlElement>();
  for (const shape of xmlElements(xmlChild(tree, 'p:cSld'), 'p:sp')) {
    const placeholder = placeholderOf(shape);
    if (placeholder === undefined) continue;
    // One without styles of its own has those of the master, not of another of its type.
    const style = xmlChild(shape, 'p:txBody', 'a:lstStyle') ?? shape;
    const { type, index } = placeholder;
    if (index !== undefined && !styles.has(`#${index}`)) styles.set(`#${index}`, style);
    if (!styles.has(type)) styles.set(type, style);
  }
  return styles;
}
