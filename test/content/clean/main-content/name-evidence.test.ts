import { describe, expect, it } from 'vitest';
import { Evidence, nameEvidence } from '../../../../src/content/clean/main-content/evidence.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const has = (name: string, kind: number): boolean => (nameEvidence(name) & kind) !== 0;

describe('nameEvidence', () => {
  it.each([
    ['nav', Evidence.navigation],
    ['main-menu', Evidence.navigation],
    ['breadcrumbs', Evidence.navigation],
    ['tableOfContents', Evidence.navigation],
    ['site_footer', Evidence.footer],
    ['Footer-styled__Footer-sc-d11cfc8d-0', Evidence.footer],
    ['Footer_footer__ngFed', Evidence.footer],
    ['left-sidebar-wrapper', Evidence.aside],
    ['cookie-banner', Evidence.consent],
    ['gdpr-banner__text', Evidence.consent],
    ['shareButtons', Evidence.share],
    ['social-media-links', Evidence.share],
    ['related-posts', Evidence.related],
    ['you-may-also-like', Evidence.related],
    ['newsletter-signup-box', Evidence.promotion],
    ['menu-overlay', Evidence.overlay],
    ['comment-list', Evidence.comments],
    ['comment-respond', Evidence.commentForm],
    ['callout-warning', Evidence.callout],
  ])('finds what %s names', (name, kind) => {
    expect(has(name, kind)).toBe(true);
  });

  it.each([
    ['sidebar-note', Evidence.aside],
    ['has-sidebar', Evidence.aside],
    ['hero-overlay', Evidence.overlay],
    ['background-overlay', Evidence.overlay],
    ['card-has-overlay', Evidence.overlay],
    ['faq-disclosure', Evidence.footer],
    ['live-comment', Evidence.comments],
    ['member-signature', Evidence.share],
    ['ticker-comments', Evidence.comments],
    ['no-footer', Evidence.footer],
    ['not-sr-only', Evidence.screenReader],
    ['cookie-recipe', Evidence.consent],
    ['menu-of-the-day', Evidence.navigation],
    ['shareholder-letter', Evidence.share],
    ['header-image', Evidence.header],
    ['adventure', Evidence.promotion],
  ])('does not take %s for a box of that kind', (name, kind) => {
    expect(has(name, kind)).toBe(false);
  });

  it('is quick on long names that are made to be slow', () => {
    const started = cpuTime();
    for (let index = 0; index < 20_000; index++) nameEvidence(`${'a-'.repeat(5000)}${index}`);
    expect(cpuTime() - started).toBeLessThan(2000);
  });
});
