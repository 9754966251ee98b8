/** What an element's tag, role, class and id say about its part in the page. */
import type { DomElement } from '../../html/dom.ts';
import { Evidence } from './evidence.ts';
import { nameEvidence } from './name-evidence.ts';

/** Reads all evidence of one element. `cache` remembers the names of a page. */
export function readEvidence(element: DomElement, cache: Map<string, number>): number {
  let evidence = evidenceIn(tagEvidence, element.localName);
  const role = element.getAttribute('role');
  if (role !== null) evidence |= evidenceIn(roleEvidence, role);
  if ((evidence & structuralKinds) !== 0) evidence |= Evidence.structural;
  const id = element.getAttribute('id');
  if (id !== null && id !== '') evidence |= cached(id, cache);
  const classes = element.getAttribute('class');
  if (classes !== null) {
    for (const name of classes.split(' ')) {
      if (name !== '') evidence |= cached(name, cache);
    }
  }
  return evidence;
}

const structuralKinds = Evidence.navigation | Evidence.footer | Evidence.aside | Evidence.overlay;

/** Names come from the page: `constructor` is one, too. */
function evidenceIn(table: Readonly<Record<string, number>>, name: string): number {
  return Object.hasOwn(table, name) ? (table[name] ?? 0) : 0;
}

const tagEvidence: Readonly<Record<string, number>> = {
  nav: Evidence.navigation,
  menu: Evidence.navigation,
  header: Evidence.header,
  footer: Evidence.footer,
  aside: Evidence.aside,
  dialog: Evidence.overlay,
  main: Evidence.main,
  article: Evidence.article,
};

const roleEvidence: Readonly<Record<string, number>> = {
  navigation: Evidence.navigation,
  menu: Evidence.navigation,
  menubar: Evidence.navigation,
  search: Evidence.navigation,
  'doc-toc': Evidence.navigation,
  banner: Evidence.header,
  contentinfo: Evidence.footer,
  complementary: Evidence.aside,
  dialog: Evidence.overlay,
  alertdialog: Evidence.overlay,
  main: Evidence.main,
  article: Evidence.article,
  note: Evidence.callout,
};

function cached(name: string, cache: Map<string, number>): number {
  let evidence = cache.get(name);
  if (evidence === undefined) {
    evidence = nameEvidence(name);
    cache.set(name, evidence);
  }
  return evidence;
}
