/** `blockquote`. */
import type { Rule } from '../emitter.ts';

/** Every line begins with `>`. A callout begins with its kind, as in GitHub's alerts. */
export const blockquote: Rule = (element, out) => {
  const kind = element.getAttribute('data-callout') ?? '';
  const name = names.get(kind);
  if (!out.inCell) {
    out.inside(out.writer.newQuote(name?.toUpperCase()), () => out.children(element));
    return;
  }
  out.boundary();
  if (name !== undefined) {
    out.run.wrap({ kind: 'strong' }, () => out.run.text(`${name}:`));
    out.run.space();
  }
  out.children(element);
  out.boundary();
};

const names: ReadonlyMap<string, string> = new Map(
  ['Note', 'Tip', 'Important', 'Warning', 'Caution'].map((name) => [name.toLowerCase(), name]),
);
