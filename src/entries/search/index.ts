/** Search engines for the option `search`: `import { searxng } from 'pagewright/search'`. */
export { braveSearch } from './brave-search.ts';
export { exa } from './exa.ts';
export { searxng } from './searxng.ts';
export { tavily } from './tavily.ts';
export type { BraveSearchOptions } from './brave-search.ts';
export type { ExaOptions } from './exa.ts';
export type { SearxngOptions } from './searxng.ts';
export type { TavilyOptions } from './tavily.ts';
