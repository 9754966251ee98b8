/** The built-in formats: one line each. Every type about formats derives from this file. */
export { attributes } from './attributes.ts';
export { branding } from './captured-formats.ts';
export { changeTracking } from './change-tracking/index.ts';
export { chunks } from './chunks/index.ts';
export { highlights } from './highlights/index.ts';
export { html } from './html.ts';
export { images } from './images.ts';
export { json } from './json.ts';
export { links } from './links.ts';
export { markdown } from './markdown/index.ts';
export { product } from './product.ts';
export { question } from './question/index.ts';
export { rawHtml } from './html.ts';
export { screenshot } from './captured-formats.ts';
export { structuredData } from './structured-data.ts';
export { summary } from './summary/index.ts';
export { tables } from './tables.ts';
