/** URLs of a page made absolute, each distinct one resolved once. */

import { isSafeUrl, withoutCredentials } from '../../url/safe-url.ts';
import { pageFragment } from '../../url/page-fragment.ts';
import { PlainLinks } from '../../url/plain-links.ts';
import { withoutUnseen } from '../../text/unseen.ts';

/** Resolves the URLs of one page. */
export class UrlResolver {
  readonly #base: string;
  readonly #plain: PlainLinks;
  readonly #resolved = new Map<string, string>();
  readonly #sources = new Set<string>();

  constructor(baseUrl: string) {
    this.#base = baseUrl;
    this.#plain = new PlainLinks(baseUrl);
  }

  /** The target of a link: absolute, or nothing for an empty, a placeholder or an unsafe link. */
  link(href: string | null): string | undefined {
    const trimmed = href?.trim() ?? '';
    if (trimmed === '' || pageFragment(trimmed, this.#base) === '') return undefined;
    return this.#safe(trimmed);
  }

  /** The source of an image or a frame; images in data URIs stay as they are. */
  source(src: string | null): string | undefined {
    const trimmed = src?.trim() ?? '';
    if (trimmed === '') return undefined;
    // What cleaning put in the place of an inline image is no URL.
    if (/^data:image\//i.test(trimmed) || trimmed === '<Base64-Image-Removed>') return trimmed;
    return this.#safe(trimmed);
  }

  /** True when this is asked for the first time about the source of an image. */
  isNewSource(source: string): boolean {
    const isNew = !this.#sources.has(source);
    this.#sources.add(source);
    return isNew;
  }

  /** True for a link that stays on the page, or leads to it again. */
  isOnPage(href: string): boolean {
    if (pageFragment(href, this.#base) !== undefined) return true;
    return this.#base !== '' && this.link(href) === this.#base.replace(/#.*$/s, '');
  }

  #safe(reference: string): string | undefined {
    const plain = this.#plain.resolve(reference);
    if (plain !== undefined) return plain;
    const url = this.#resolve(reference);
    return url !== '' && isSafeUrl(url) ? url : undefined;
  }

  #resolve(reference: string): string {
    let url = this.#resolved.get(reference);
    if (url === undefined) {
      url = resolve(reference, this.#base);
      this.#resolved.set(reference, url);
    }
    return url;
  }
}

function resolve(reference: string, base: string): string {
  try {
    return withoutCredentials(new URL(reference, base).href);
  } catch {
    // Without a base relative links stay; what is no URL anywhere is no link.
    const isAbsolute = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(reference);
    return isAbsolute ? '' : withoutUnseen(reference).trim();
  }
}
