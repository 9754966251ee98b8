/** The built-in formats: one line each. Every type about formats derives from this file. */
export { attributes } from './attributes.ts';
export { branding } from './branding.ts';
export { changeTracking } from './change-tracking/index.ts';
export { chunks } from './chunks/index.ts';
export { highlights } from './highlights/index.ts';
export { html } from './html.ts';
export { images } from './images.ts';
export { json } from './json/index.ts';
export { links } from './links.ts';
export { markdown } from './markdown/index.ts';
export { product } from './product/index.ts';
export { question } from './question/index.ts';
export { rawHtml } from './raw-html.ts';
export { screenshot } from './screenshot.ts';
export { structuredData } from './structured-data/index.ts';
export { summary } from './summary/index.ts';
export { tables } from './tables.ts';
