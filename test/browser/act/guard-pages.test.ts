/** The guard of acts on elements in Chromium: their texts, forms, prices and dialogs. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActRisk } from '../../../src/browser/actions/act-recipe.ts';
import { riskOfChoice, riskOfClick, riskOfKey } from '../../../src/browser/act/guard.ts';
import { LiveView } from '../../../src/browser/act/live-view.ts';
import { Variables } from '../../../src/browser/act/variables.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  page = await pageWith(browser, '');
}, 60_000);

afterAll(async () => {
  await browser.close();
});

async function viewOf(html: string): Promise<LiveView> {
  await page.setContent(`<!doctype html><title>Shop</title><body>${html}`);
  return LiveView.open(page, new Variables(), AbortSignal.timeout(10_000));
}

type Case = readonly [what: string, html: string, risk: ActRisk | undefined];

/** The element that is used has the id `x`, which a selector of its place ends with. */
async function elementIn(html: string): Promise<[LiveView, LiveView['elements'][number]]> {
  const view = await viewOf(html);
  const element = view.elements.find(({ selectors }) => selectors.includes('#x'));
  if (element === undefined) throw new Error(`no element: ${JSON.stringify(view.elements)}`);
  return [view, element];
}

const cardForm = (button: string): string =>
  `<form action="/next" method="post"><input name="cc-number" autocomplete="cc-number"><input name="cvc">${button}</form>`;

const clicks: readonly Case[] = [
  ['a zero-width space', '<button id="x">Bu&#8203;y now</button>', 'purchase'],
  ['a soft hyphen', '<button id="x">De&shy;lete account</button>', 'deletion'],
  ['a bidi override', '<button id="x">&#8238;Delete&#8236; account</button>', 'deletion'],
  ['full-width letters', '<button id="x">Ｂｕｙ　ｎｏｗ</button>', 'purchase'],
  ['Cyrillic look-alikes', '<button id="x">Вuу nоw</button>', 'purchase'],
  ['mathematical letters', '<button id="x">𝗣𝗮𝘆 𝗻𝗼𝘄</button>', 'purchase'],
  ['combining marks', '<button id="x">P&#822;a&#822;y now</button>', 'purchase'],
  ['letters apart', '<button id="x">B u y</button>', 'purchase'],
  ['a Hangul filler', '<button id="x">Pay&#12644; now</button>', 'purchase'],
  ['emoji between', '<button id="x">🛒 Confirm 💳 payment</button>', 'purchase'],
  [
    'elements between',
    '<button id="x"><b>Pl</b><i>ace</i> <span>order</span></button>',
    'purchase',
  ],
  ['an aria-label', '<button id="x" aria-label="Pay now">Continue</button>', 'purchase'],
  ['a visible text', '<button id="x" aria-label="Next">Pay now</button>', 'purchase'],
  ['a title', '<button id="x" title="Delete account">Go</button>', 'deletion'],
  ['a value', '<input id="x" type="submit" aria-label="Next" value="Place order">', 'purchase'],
  ['a picture', '<button id="x"><img alt="Buy now" width="9" height="9"> OK</button>', 'purchase'],
  [
    'generated text',
    '<style>#x::after{content:"Delete account"}</style><button id="x">Go: </button>',
    'deletion',
  ],
  [
    'an image input by its picture',
    '<form><input id="x" type="image" src="/btn_buynow_LG.gif" width="40" height="20"></form>',
    'purchase',
  ],
  [
    'an image input by its alt',
    '<form><input id="x" type="image" alt="Pay with PayPal" width="40" height="20"></form>',
    'purchase',
  ],
  ['a role', '<div id="x" role="button" tabindex="0">Confirm and pay</div>', 'purchase'],
  ['a link', '<a id="x" href="/checkout/now">Confirm and pay</a>', 'purchase'],
  ['a link that deletes', '<a id="x" href="/account?action=delete&amp;id=4">Row 4</a>', 'deletion'],
  [
    'a part of a link that deletes',
    '<a href="/rows/4/delete"><span id="x" tabindex="0">Row 4</span></a>',
    'deletion',
  ],
  [
    'a part of a button',
    '<button>Buy now <span id="x" tabindex="0">fast</span></button>',
    'purchase',
  ],
  ['a handler', '<button id="x" onclick="placeOrder()">Finish</button>', 'purchase'],
  ['an unknown label beside a card', cardForm('<button id="x">Los geht’s</button>'), 'purchase'],
  [
    'a button without type=submit',
    cardForm('<button id="x" type="button">Go!</button>'),
    'purchase',
  ],
  ['back beside a card', cardForm('<button id="x" type="button">Back</button>'), undefined],
  [
    'a coupon beside a card',
    cardForm('<button id="x" type="button">Apply coupon</button>'),
    undefined,
  ],
  [
    'a card by its label',
    '<form><label>Kartennummer <input></label><button id="x">Fertig</button></form>',
    'purchase',
  ],
  ['an IBAN', '<form><input name="iban"><button id="x">OK</button></form>', 'purchase'],
  [
    'a frame for a card',
    '<form><iframe name="__privateStripeFrame5"></iframe><button id="x">Done</button></form>',
    'purchase',
  ],
  [
    'a button outside of its form',
    '<form id="f" action="/account/delete"></form><button id="x" form="f">Weiter</button>',
    'deletion',
  ],
  [
    'an action that deletes',
    '<form action="/account/delete" method="post"><input type="password"><button id="x">Ok then</button></form>',
    'deletion',
  ],
  [
    'a hidden method',
    '<form action="/posts/3" method="post"><input type="hidden" name="_method" value="DELETE"><button id="x">Klar</button></form>',
    'deletion',
  ],
  [
    'an action that pays',
    '<form action="/checkout/payment" method="post"><button id="x">Foobar</button></form>',
    'purchase',
  ],
  [
    'an action that applies',
    '<form action="/jobs/4/apply" method="post"><input type="file"><button id="x">Submit</button></form>',
    'message',
  ],
  [
    'a search',
    '<form action="/search"><input name="q"><button id="x">Go</button></form>',
    undefined,
  ],
  [
    'a sign-in at the checkout',
    '<form action="/checkout/login" method="post"><input type="password"><button id="x">Continue</button></form>',
    undefined,
  ],
  [
    'a box that orders',
    '<label><input id="x" type="checkbox"> Order now with obligation to pay</label>',
    'purchase',
  ],
  [
    'a box that submits',
    '<form action="/account/delete"><label><input id="x" type="checkbox" onchange="this.form.submit()"> Sure</label></form>',
    'deletion',
  ],
  ['a filter', '<label><input id="x" type="checkbox"> Free delivery</label>', undefined],
  ['a way to pay', '<label><input id="x" type="radio" name="p"> Pay with card</label>', undefined],
  ['a price beside', '<div><p>Total: €49.00</p><button id="x">Confirm</button></div>', 'purchase'],
  ['a price beside it', '<section><b>$4.99</b> <button id="x">Get</button></section>', 'purchase'],
  ['a total', '<div><p>Amount due $49.00</p><button id="x">Continue</button></div>', 'purchase'],
  ['a product', '<article>Lamp $49.00 <button id="x">Add to cart</button></article>', undefined],
  [
    'details of a product',
    '<article>Lamp $49.00 <button id="x">Details</button></article>',
    undefined,
  ],
  ['a price filter', '<section>Price $10 - $50 <button id="x">OK</button></section>', undefined],
  [
    'a question',
    '<div role="dialog" aria-label="Please confirm"><p>Are you sure you want to delete this file?</p><button id="x">OK</button></div>',
    'deletion',
  ],
  [
    'a cookie notice',
    '<div role="dialog" aria-label="Privacy"><p>We use cookies. You can order a copy.</p><button id="x">Accept all</button></div>',
    undefined,
  ],
  [
    'a heading',
    '<h2>Delete your account</h2><p>All is lost.</p><button id="x">Confirm</button>',
    'deletion',
  ],
  ['a page of help', '<h2>How to delete your account</h2><button id="x">OK</button>', undefined],
];

test.each(clicks)('a click: %s', async (_, html, risk) => {
  const [view, element] = await elementIn(html);
  expect(riskOfClick(element, view.view)).toBe(risk);
});

const enters: readonly Case[] = [
  ['a form for a card', cardForm('<input id="x">'), 'purchase'],
  ['a form without a button', '<form action="/account/delete"><input id="x"></form>', 'deletion'],
  [
    'a form with an image',
    '<form><input id="x"><input type="image" alt="Place order" width="9" height="9"></form>',
    'purchase',
  ],
  ['a search', '<form action="/search"><input id="x"><button>Go</button></form>', undefined],
  ['a login', '<form><input type="password" id="x"><button>Log in</button></form>', undefined],
];

test.each(enters)('Enter in %s', async (_, html, risk) => {
  const [view, element] = await elementIn(html);
  expect(riskOfKey('Enter', element, view.view)).toBe(risk);
});

test('what has the focus is known though it cannot be seen', async () => {
  const view = await viewOf('<button id="x" autofocus style="opacity:0">Buy now</button>');
  await page.locator('#x').focus();
  const again = await LiveView.open(page, new Variables(), AbortSignal.timeout(10_000));
  const focused = again.elements.find(({ states }) => states.includes('focused'));
  expect(riskOfKey('Enter', focused, view.view)).toBe('purchase');
});

test('choosing an option that deletes, or that submits a form which does', async () => {
  const options = '<option>Delete</option><option>Edit</option><option>Buy</option>';
  const [bulk, list] = await elementIn(`<select id="x">${options}</select>`);
  expect(riskOfChoice('Delete', list, bulk.view)).toBe('deletion');
  expect(riskOfChoice('Edit', list, bulk.view)).toBeUndefined();
  expect(riskOfChoice('Buy', list, bulk.view)).toBeUndefined();
  const [submitting, other] = await elementIn(
    `<form action="/order"><select id="x" onchange="this.form.submit()">${options}</select></form>`,
  );
  expect(riskOfChoice('Buy', other, submitting.view)).toBe('purchase');
});
