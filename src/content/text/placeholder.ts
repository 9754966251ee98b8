/** Detects values that a template or program should have filled in. */

const unfilled =
  /^(?:undefined|null|nan|nil|none|n\/a|tbd|false|true|\[object object\]|-+)$|\{\{|\}\}|\{%|<%|\$\{|\[\[|^\s*(?:\{[^{}]*\}|\[[^[\]]*\]|%{1,2}[\w.-]+%{1,2}|#[\w.-]+#|@@?[\w.-]+@@?|__\w+__)\s*$/i;

/** True for `undefined`, `{{ author }}`, `%title%`: a placeholder left unfilled. */
export function isUnfilled(text: string): boolean {
  return unfilled.test(text.slice(0, 200).trim());
}
