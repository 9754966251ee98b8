/** Parts of a page that are hidden until a reader asks for them: panels of tabs, answers, menus. */
import type { DomElement } from '../../html/dom.ts';
import { isMarkedHidden } from '../marked-hidden.ts';

const controls =
  '[aria-controls], [data-target], [data-bs-target], [popovertarget], [role="tab"][href]';

/** The ids that a control with a text of its own shows. */
export function openedIds(body: DomElement): Set<string> {
  const ids = new Set<string>();
  for (const control of body.querySelectorAll(controls)) {
    if (isMarkedHidden(control) || !/\S/.test(control.textContent ?? '')) continue;
    for (const name of [
      'aria-controls',
      'data-target',
      'data-bs-target',
      'popovertarget',
      'href',
    ]) {
      const value = control.getAttribute(name) ?? '';
      if (name === 'href' && !value.startsWith('#')) continue;
      for (const id of value.split(/\s+/)) if (id !== '') ids.add(id.replace(/^#/, ''));
    }
  }
  return ids;
}
