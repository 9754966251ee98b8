/** The attributes of a tag that tell what an element is; all others are passed over. */

/** Empty where an attribute is missing. */
export interface ToldAttributes {
  readonly id: string;
  readonly classes: string;
  readonly role: string;
  readonly isBusy: boolean;
  readonly isHidden: boolean;
  /** It belongs to a template that a script of the page fills in. */
  readonly isBound: boolean;
  /** An application puts a view here. */
  readonly isView: boolean;
}

const none: ToldAttributes = {
  ...{ id: '', classes: '', role: '' },
  ...{ isBusy: false, isHidden: false, isBound: false, isView: false },
};

/**
 * Reads the part of `source` after the name of a tag. By hand: it is most of what a pass over a
 * page does, and takes much less than a regular expression.
 */
export function readAttributes(source: string, from: number, to: number): ToldAttributes {
  if (to - from < 4) return none;
  let [id, classes, role] = ['', '', ''];
  let [isBusy, isHidden, isBound, isView] = [false, false, false, false];
  let at = from;
  for (;;) {
    while (at < to && isGap(source.charCodeAt(at))) at += 1;
    if (at >= to) break;
    const start = at;
    while (at < to && !endsName(source.charCodeAt(at))) at += 1;
    // What no name can begin with is passed over.
    if (at === start) at += 1;
    const nameEnd = at;
    while (at < to && source.charCodeAt(at) <= 32) at += 1;
    let [valueFrom, valueTo] = [at, at];
    if (source.charCodeAt(at) === equals) {
      at += 1;
      while (at < to && source.charCodeAt(at) <= 32) at += 1;
      const quote = source.charCodeAt(at);
      valueFrom = at;
      if (quote === doubleQuote || quote === singleQuote) {
        valueFrom += 1;
        const end = source.indexOf(quote === doubleQuote ? '"' : "'", valueFrom);
        valueTo = end < 0 || end > to ? to : end;
        at = valueTo + 1;
      } else {
        while (at < to && source.charCodeAt(at) > 32) at += 1;
        valueTo = at;
      }
    }
    // Framework's names are longer than most; `data-testid` and the like are not sliced.
    if (nameEnd - start > longestName) continue;
    const name = source.slice(start, nameEnd);
    switch (name) {
      case 'id':
      case 'ID':
        id ||= source.slice(valueFrom, valueTo);
        break;
      case 'class':
      case 'CLASS':
        classes ||= source.slice(valueFrom, valueTo);
        break;
      case 'role':
        role ||= source.slice(valueFrom, valueTo);
        break;
      case 'style':
      case 'STYLE':
        isHidden ||= /display\s?:\s?none/i.test(source.slice(valueFrom, valueTo));
        break;
      case 'hidden':
        isHidden ||= source.slice(valueFrom, valueTo) !== 'until-found';
        break;
      case 'aria-busy':
        isBusy ||= source.slice(valueFrom, valueTo) === 'true';
        break;
      case 'ng-view':
      case 'ui-view':
        isView = true;
        break;
      case 'v-cloak':
      case 'x-cloak':
        isHidden = true;
        break;
      default:
        isBound ||= bindings.has(name);
    }
  }
  return { id, classes, role, isBusy, isHidden, isBound, isView };
}

const bindings: ReadonlySet<string> = new Set(
  (
    'ng-app data-ng-app ng-controller ng-repeat ng-bind ng-if v-for v-if v-text v-html x-data x-for ' +
    'x-text x-html *ngFor *ngIf data-bind'
  ).split(' '),
);
/** Of any name that is looked for. */
const longestName = 13;

const [equals, doubleQuote, singleQuote, slash, greaterThan] = [61, 34, 39, 47, 62];

function isGap(code: number): boolean {
  return code <= 32 || code === slash;
}

function endsName(code: number): boolean {
  return code <= 32 || code === slash || code === equals || code === greaterThan;
}
