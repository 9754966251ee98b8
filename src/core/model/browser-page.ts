/** The page of an action or a hook: Playwright's type, for callers who have that optional package. */

/** @ts-ignore Without the package the type is `any`, and the other types of pagewright stay whole. */
export type { Page } from 'playwright-core';
