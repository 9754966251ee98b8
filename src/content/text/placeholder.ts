/** Tells values that a template or a program should have filled in. */

const unfilled =
  /^(?:undefined|null|nan|nil|none|n\/a|tbd|false|true|\[object object\]|-+)$|\{\{|\}\}|\{%|<%|\$\{|\[\[|^\s*(?:\{[^{}]*\}|\[[^[\]]*\]|%{1,2}[\w.-]+%{1,2}|#[\w.-]+#|@@?[\w.-]+@@?|__\w+__)\s*$/i;

/** True for `undefined`, `{{ author }}`, `%title%`: a value that nobody filled in. */
export function isUnfilled(text: string): boolean {
  return unfilled.test(text.slice(0, 200).trim());
}
