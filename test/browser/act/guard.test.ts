/** The guard of acts: names that it stops, and names that it must not. */
import { expect, test } from 'vitest';
import { type ActRisk, actRisks } from '../../../src/browser/actions/act-recipe.ts';
import { riskOfClick, riskOfKey } from '../../../src/browser/act/guard.ts';
import type { ViewedElement, ViewedForm } from '../../../src/browser/act/in-page/page-view.ts';
import { noForm, plainElement as element } from './plain-element.ts';

const page = { url: 'https://shop.test/lamp', title: 'Lamp' };

/** Names in one text, which is easier to read than many quotes. */
const namesIn = (text: string): string[] => text.split('|').map((name) => name.trim());

const risky: Readonly<Record<ActRisk, string>> = {
  purchase: `Buy now | Buy | Purchase | Place order | Place your order | Pay $12.00 | Pay now | Order now |
  Checkout | Proceed to checkout | Subscribe | Complete purchase | Donate | Jetzt kaufen |
  Zahlungspflichtig bestellen | Kaufen | Zur Kasse | Bestellung abschicken | Acheter | Payer |
  Passer la commande | S'abonner | Comprar | Pagar | Realizar pedido | Acquista |
  Conferma ordine | Finalizar compra | Assinar | Betalen | Bestelling plaatsen | Kup teraz |
  Zamawiam i płacę | Купить | Оформить заказ | 購入する | 注文を確定する | 立即购买 | 提交订单 | 결제하기 | Satın al`,
  deletion: `Delete | Delete account | Remove | Remove member | Permanently delete | Unsubscribe |
  Cancel subscription | Yes, delete | Close my account | Konto löschen | Löschen |
  Abo kündigen | Supprimer | Se désabonner | Eliminar | Borrar cuenta | Elimina | Excluir |
  Apagar conta | Verwijderen | Usuń | Usuń konto | Удалить | Отписаться | 削除 | 退会する | 删除 |
  取消订阅 | 삭제 | Hesabı sil | 🗑 Delete`,
  message: `Send | Send message | Post comment | Publish | Reply | Post | Contact seller | Tweet |
  Submit review | Leave a comment | Senden | Nachricht senden | Veröffentlichen | Envoyer |
  Publier | Enviar | Publicar | Invia | Pubblica | Mandar | Versturen | Plaatsen | Wyślij |
  Opublikuj | Отправить | Опубликовать | 送信 | 投稿する | 发送 | 发布 | 보내기 | Gönder | Invite`,
};

const buttons = actRisks.flatMap((risk) =>
  namesIn(risky[risk]).map((name) => [name, risk] as const),
);

test.each(buttons)('%s is a %s', (name, risk) => {
  expect(riskOfClick(element({ name }), page)).toBe(risk);
});

const ordinary = `Remove filter | Remove all filters | Close | Delete text in the search box | Clear |
  Show order history | Order history | Sort by price | Order by date | Payment methods | Posts |
  Comments (12) | Messages | Contacts | Accept all | Reject all | Cookie settings | Reviews |
  Load more | Show more | Next | Previous | Search | Sign in | Log in | Sign up | Register |
  Continue | OK | Submit | Apply | Save | Add to cart | Add to basket | Buying guide |
  Buyer protection | How to buy | Best Buy | Sender | Postcode | Poster | Publisher |
  Publications | Deleted items | Removed | Reply-To | Payroll | Subscribers | Filter entfernen |
  Suche löschen | Bestellhistorie | Alle akzeptieren | Einkaufswagen | Kaufberatung |
  Sendungen | Löschtaste | Effacer la recherche | Commandes passées | Borrar filtros |
  Comprador | Pagination | Zamówienia | Заказы | 購入履歴 | 削除履歴 | Deutsch | Orders | Ordering |
  Contact us | Ship to`;

test.each(namesIn(ordinary))('%s is nothing of the kind', (name) => {
  expect(riskOfClick(element({ name }), page)).toBeUndefined();
});

test('neither another label nor a role hides what an element is', () => {
  expect(riskOfClick(element({ name: 'Next', texts: 'Buy now' }), page)).toBe('purchase');
  expect(riskOfClick(element({ role: 'textbox', name: 'Delete' }), page)).toBe('deletion');
  const input = { role: 'textbox', tag: 'input', type: 'submit', name: 'Pay now' };
  expect(riskOfClick(element(input), page)).toBe('purchase');
  expect(riskOfClick(element({ ...input, type: 'text', name: 'Comment' }), page)).toBeUndefined();
});

test('links lead to pages of such names, unless opening them does it', () => {
  const link = { role: 'link', tag: 'a', targets: '/blog/post' };
  expect(riskOfClick(element({ ...link, name: 'Post' }), page)).toBeUndefined();
  expect(riskOfClick(element({ ...link, name: 'Buy', area: 'navigation' }), page)).toBeUndefined();
  expect(riskOfClick(element({ ...link, name: 'Contact' }), page)).toBeUndefined();
  expect(riskOfClick(element({ ...link, name: 'Buy' }), page)).toBe('purchase');
  expect(riskOfClick(element({ ...link, name: 'Delete' }), page)).toBe('deletion');
  expect(riskOfClick(element({ ...link, name: 'Row 7', targets: '/rows/7/delete' }), page)).toBe(
    'deletion',
  );
});

test('icons without a name are known by their attributes', () => {
  const icons = [
    [{ words: 'btn icon-trash' }, 'deletion'],
    [{ words: 'fa fa-trash-o' }, 'deletion'],
    [{ words: 'deleteRow' }, 'deletion'],
    [{ name: '×', words: 'close' }, undefined],
    [{ name: '×', words: 'remove-filter' }, undefined],
    [{ words: 'icon-paper-plane' }, 'message'],
    [{ words: 'btn buy-now' }, 'purchase'],
    [{ words: 'btn-robin' }, undefined],
    [{ name: '›', words: 'carousel-next' }, undefined],
  ] as const;
  for (const [given, risk] of icons) expect(riskOfClick(element(given), page)).toBe(risk);
});

test('forms say by their fields what submitting them does', () => {
  const submit = (form: Partial<ViewedForm>, name = 'Submit'): ViewedElement =>
    element({ name, form: { ...noForm, isThere: true, isSubmit: true, ...form } });
  expect(riskOfClick(submit({ hasCard: true }), page)).toBe('purchase');
  expect(riskOfClick(submit({ hasMessage: true }), page)).toBe('message');
  expect(riskOfClick(submit({ hasPassword: true }), page)).toBeUndefined();
  expect(riskOfClick(submit({ words: 'POST delete' }), page)).toBe('deletion');
  expect(riskOfClick(submit({}, 'Search'), page)).toBeUndefined();
  const checkout = { url: 'https://shop.test/checkout/3', title: 'Almost there' };
  expect(riskOfClick(submit({}, 'Confirm'), checkout)).toBe('purchase');
  expect(riskOfClick(submit({ hasPassword: true }, 'Continue'), checkout)).toBeUndefined();
});

test('agreement in a dialog is about what the dialog asks', () => {
  const yes = { name: 'Yes', area: 'alertdialog' };
  expect(riskOfClick(element({ ...yes, areaName: 'Delete this file?' }), page)).toBe('deletion');
  expect(riskOfClick(element({ ...yes, areaName: 'Leave the page?' }), page)).toBeUndefined();
});

test('Enter in a field submits its form, and Delete removes what is chosen', () => {
  const field = (form: Partial<ViewedForm>, more: Partial<ViewedElement> = {}): ViewedElement =>
    element({ role: 'textbox', tag: 'input', type: 'text', form: { ...noForm, ...form }, ...more });
  const order = { isThere: true, submitName: 'Place order' };
  expect(riskOfKey('Enter', field(order), page)).toBe('purchase');
  expect(riskOfKey('Control+Enter', field(order), page)).toBe('purchase');
  expect(riskOfKey('Tab', field(order), page)).toBeUndefined();
  expect(riskOfKey('Enter', field({ isThere: true, submitName: 'Search' }), page)).toBeUndefined();
  expect(riskOfKey('Enter', field({}, { tag: 'textarea' }), page)).toBe('message');
  expect(riskOfKey('Enter', element({ name: 'Delete' }), page)).toBe('deletion');
  expect(riskOfKey('Space', element({ name: 'Buy now' }), page)).toBe('purchase');
  expect(riskOfKey('Delete', element({ role: 'gridcell', name: 'Row 7' }), page)).toBe('deletion');
  expect(riskOfKey('Delete', field({}), page)).toBeUndefined();
});

test('keys are known by their other names, and in every place of a combination', () => {
  const buy = element({ name: 'Buy now' });
  for (const key of ['\n', '\r', 'Enter+a', 'Enter+Shift', 'Shift+Space', 'NumpadEnter', ' ']) {
    expect([key, riskOfKey(key, buy, page)]).toEqual([key, 'purchase']);
  }
  const row = element({ role: 'gridcell', name: 'Row 7' });
  expect(riskOfKey('Delete+a', row, page)).toBe('deletion');
  for (const key of ['a', 'ArrowDown', 'Control+a']) {
    expect([key, riskOfKey(key, buy, page)]).toEqual([key, undefined]);
  }
});

test('Enter in a box submits its form, and Space only checks it', () => {
  const form = { ...noForm, isThere: true, submitName: 'Place order' };
  const box = element({ role: 'checkbox', tag: 'input', type: 'checkbox', name: 'I accept', form });
  expect(riskOfKey('Enter', box, page)).toBe('purchase');
  expect(riskOfKey('Space', box, page)).toBeUndefined();
  expect(riskOfKey('Enter', { ...box, form: noForm }, page)).toBeUndefined();
});

test('unsubscribing in Turkish is a deletion', () => {
  expect(riskOfClick(element({ name: 'Abonelikten çık' }), page)).toBe('deletion');
});
