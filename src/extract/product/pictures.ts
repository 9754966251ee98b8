/** Lists the pictures of a product: absolute, each once, the largest first. */
import { resolveLink } from '../../core/url/normalize-url.ts';
import { type Entity, type EntityValue, isEntity } from '../facts/entities.ts';
import { rawText, valuesOf } from './entity-text.ts';
import { maxImages } from './product.ts';

/** A picture's URL, with its size in pixels if known. */
export interface ProductPicture {
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
}

/** The pictures in an entity's `image`. */
export function picturesOf(entity: Entity): ProductPicture[] {
  const values = [...valuesOf(entity, 'image'), ...valuesOf(entity, 'photo')];
  return values.flatMap((value) => readPicture(value) ?? []);
}

function readPicture(value: EntityValue): ProductPicture | undefined {
  if (!isEntity(value)) return typeof value === 'string' ? { url: value } : undefined;
  const url = rawText(value, 'contenturl', 'url', '@id');
  if (url === undefined) return undefined;
  return { url, ...pixels('width', value), ...pixels('height', value) };
}

function pixels(side: 'width' | 'height', entity: Entity): Partial<ProductPicture> {
  const [value] = valuesOf(entity, side);
  const text = value !== undefined && isEntity(value) ? rawText(value, 'value') : String(value);
  const count = Number.parseInt(text ?? '', 10);
  return count > 0 && count < 100_000 ? { [side]: count } : {};
}

/** Pictures of known size by size, then the others in order; of copies in several sizes the largest. */
export function listImages(pictures: readonly ProductPicture[], baseUrl: string): string[] {
  const byPicture = new Map<string, Sized>();
  for (const picture of pictures.slice(0, maxImages * 10)) {
    const url = resolveLink(picture.url, baseUrl);
    if (url === undefined) continue;
    const { key, side } = withoutSize(url);
    const { width, height } = picture;
    const area = width === undefined || height === undefined ? 0 : width * height;
    const known = byPicture.get(key);
    if (known === undefined || isLarger({ area, side }, known)) {
      byPicture.set(key, { url: url.href, area: Math.max(area, known?.area ?? 0), side });
    }
  }
  const sorted = [...byPicture.values()].sort((a, b) => b.area - a.area);
  return sorted.slice(0, maxImages).map(({ url }) => url);
}

interface Sized {
  readonly url: string;
  /** 0 if unknown. */
  readonly area: number;
  /** The size in the URL; infinite without one, which is the original in shops. */
  readonly side: number;
}

function isLarger(one: Omit<Sized, 'url'>, other: Omit<Sized, 'url'>): boolean {
  return one.side === other.side ? one.area > other.area : one.side > other.side;
}

/** A URL without its size markers: `_600x600.jpg`, `-600x600.jpg`, `?width=600`. */
function withoutSize(address: URL): { key: string; side: number } {
  const url = new URL(address);
  const sides: number[] = [];
  for (const name of ['width', 'height', 'w', 'h']) {
    const value = url.searchParams.get(name);
    if (value === null || !/^\d{1,5}$/.test(value)) continue;
    sides.push(Number(value));
    url.searchParams.delete(name);
  }
  const path = url.pathname.replace(
    /[_-](\d{1,5})x(\d{0,5})(?:_crop_[a-z]{1,10})?(?:@\dx)?(\.[a-z]{3,4})$/i,
    (_, width: string, height: string, ending: string) => {
      sides.push(Number(width), Number(height));
      return ending;
    },
  );
  const key = `${url.host}${path}${url.search}`;
  return { key, side: sides.length === 0 ? Infinity : Math.max(...sides) };
}
