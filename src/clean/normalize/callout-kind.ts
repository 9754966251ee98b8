/** Which of GitHub's five kinds of alert a box is, by what builders of pages call it. */
import type { DomElement } from '../../html/dom.ts';

/** As in GitHub's markdown, in lower case. */
export type CalloutKind = 'note' | 'tip' | 'important' | 'warning' | 'caution';

/** What is known of a box. */
export interface CalloutGuess {
  readonly kind: CalloutKind;
  /** False for a name that may mean anything: such a box must begin with a title or the kind's word. */
  readonly isCertain: boolean;
}

/** Nothing for what is no box of this sort, or only a part of one. */
export function calloutKind(element: DomElement): CalloutGuess | undefined {
  const tokens = element.className.split(/\s+/).filter((token) => token !== '');
  const attribute =
    element.getAttribute('data-callout') ?? element.getAttribute('data-callout-type');
  if (attribute !== null) return certain(kindOfWord(attribute) ?? 'note');
  const byName = kindOfTokens(tokens, element.hasAttribute('role'));
  if (byName !== undefined) return byName;
  const role = element.getAttribute('role') ?? '';
  if (!/^(?:note|doc-notice|doc-tip)$/.test(role)) return undefined;
  if (/hatnote|footnote|navigation|caption|credit/i.test(element.className)) return undefined;
  // A part of the page with its own heading is no remark.
  if (/^h[1-6]$/.test(element.firstElementChild?.localName ?? '')) return undefined;
  return certain(role === 'doc-tip' ? 'tip' : (kindIn(tokens) ?? 'note'));
}

/** The kind that a word stands for: `Danger`, `info`. */
export function kindOfWord(word: string): CalloutKind | undefined {
  return kinds.get(word.toLowerCase());
}

const kinds: ReadonlyMap<string, CalloutKind> = new Map(
  Object.entries({
    note:
      'note notes info information abstract summary tldr todo question help faq example seealso ' +
      'primary secondary light dark neutral default quote',
    tip: 'tip tips success hint check done',
    important: 'important key',
    warning: 'warning warn attention',
    caution: 'caution danger error failure fail missing bug critical',
  }).flatMap(([kind, words]) =>
    words.split(' ').map((word) => [word, kind as CalloutKind] as const),
  ),
);

/** Classes of boxes, with what follows the name: the kind, or a part of the box. */
const boxName =
  /^(?:theme-|inline-)?(admonition(?:block)?|callout|notecard|markdown-alert|custom-(?:block|container)|hint(?:-container)?|alert|starlight-aside|awsdocs)(?:[-_]+(.*))?$/i;

const partName =
  /(?:^|[-_])(?:body|box|button|close|container|content|dismissible|group|header|heading|icon|inner|label|link|links|list|message|text|title|wrapper)(?:$|[-_])/i;

function kindOfTokens(tokens: readonly string[], hasRole: boolean): CalloutGuess | undefined {
  let box = '';
  for (const token of tokens) {
    const match = boxName.exec(token);
    if (match === null) continue;
    box ||= match[1]?.toLowerCase() ?? '';
    if (match[2] !== undefined && partName.test(match[2])) return undefined;
  }
  if (box !== '') {
    const kind = kindIn(tokens) ?? (box.startsWith('admonition') ? 'note' : undefined);
    // Whole frameworks colour what they like with the classes of their alerts.
    return kind && { kind, isCertain: box !== 'alert' || hasRole };
  }
  if (tokens.length > 2) return undefined;
  const word = tokens.find((token) => plainName.test(token));
  const kind = word === undefined ? undefined : kindOfWord(word);
  return kind && { kind, isCertain: word === word?.toUpperCase() };
}

const plainName = /^(?:note|tip|important|warning|caution)$/i;

/** The first kind that the names mention, apart from the name of the box itself. */
function kindIn(tokens: readonly string[]): CalloutKind | undefined {
  for (const token of tokens) {
    const match = boxName.exec(token);
    const rest = match === null ? token : (match[2] ?? '');
    for (const word of rest.split(/[-_]+/)) {
      const kind = kindOfWord(word);
      if (kind !== undefined) return kind;
    }
  }
  return undefined;
}

function certain(kind: CalloutKind): CalloutGuess {
  return { kind, isCertain: true };
}
