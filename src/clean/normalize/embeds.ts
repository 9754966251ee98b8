/** Players that a script would put in place: custom elements for videos and frames. */
import type { DomElement } from '../../html/dom.ts';
import type { Normalizer } from './normalizer.ts';
import { newElement } from './replace-element.ts';

/** A frame or a video with the address that the script would have loaded, and with its title. */
export const embed: Normalizer = (element) => {
  const source = sourceOf(element);
  if (source === undefined) return undefined;
  const frame = newElement(element, element.localName === 'amp-video' ? 'video' : 'iframe');
  frame.setAttribute('src', source);
  for (const name of ['title', 'playlabel', 'videotitle', 'aria-label']) {
    const title = element.getAttribute(name) ?? '';
    if (title === '') continue;
    frame.setAttribute('title', title);
    break;
  }
  for (const name of ['class', 'id']) {
    const value = element.getAttribute(name);
    if (value !== null) frame.setAttribute(name, value);
  }
  element.replaceWith(frame);
  return 'done';
};

function sourceOf(element: DomElement): string | undefined {
  const id = element.getAttribute('videoid') ?? element.getAttribute('data-videoid') ?? '';
  if (/^[\w-]{1,40}$/.test(id)) {
    return element.localName === 'lite-vimeo'
      ? `https://player.vimeo.com/video/${id}`
      : `https://www.youtube.com/embed/${id}`;
  }
  const source = element.getAttribute('src') ?? '';
  return source === '' ? undefined : source;
}
