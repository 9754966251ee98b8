/**
 * The built-in actions, loaded when a step runs; `action-options.ts` has an entry for each. `act` is not among them: it
 * performs them.
 */
export { click } from './click.ts';
export { dialog } from './dialog.ts';
export { drag } from './drag.ts';
export { executeJavascript } from './execute-javascript.ts';
export { fill } from './fill.ts';
export { hover } from './hover.ts';
export { paginate } from './paginate.ts';
export { pdf } from './pdf.ts';
export { press } from './press.ts';
export { scrape } from './scrape.ts';
export { screenshot } from './screenshot.ts';
export { scroll } from './scroll.ts';
export { scrollToEnd } from './scroll-to-end.ts';
export { select } from './select.ts';
export { upload } from './upload.ts';
export { wait } from './wait.ts';
export { write } from './write.ts';
