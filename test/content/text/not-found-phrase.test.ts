import { describe, expect, it } from 'vitest';
import { notFoundPhrase } from '../../../src/content/text/not-found-phrase.ts';

describe('a heading that says that there is no such page', () => {
  it.each([
    '404',
    'Error 404',
    '404 Not Found',
    'Page not found',
    'Page not found | Acorn & Birch',
    'Acorn & Birch – Page Not Found',
    'Oops! That page can’t be found.',
    'Sorry, the page could not be found',
    'Nothing Found',
    'This page does not exist',
    'Product no longer available',
    'Seite nicht gefunden – Harbour AG',
    'Die Seite wurde leider nicht gefunden',
    'Page introuvable',
    "Cette page n'existe plus",
    'Página no encontrada',
    'Página não encontrada',
    'Pagina non trovata',
    'Pagina niet gevonden',
    'Sidan hittades inte',
    'Siden blev ikke fundet',
    'Sivua ei löytynyt',
    'Nie znaleziono strony',
    'Stránka nenalezena',
    'Az oldal nem található',
    'Страница не найдена',
    'Сторінку не знайдено',
    'Sayfa bulunamadı',
    'Η σελίδα δεν βρέθηκε',
    'お探しのページは見つかりませんでした',
    '页面不存在',
    '找不到頁面',
    '페이지를 찾을 수 없습니다',
    'الصفحة غير موجودة',
    'הדף לא נמצא',
    'Không tìm thấy trang',
    'Halaman tidak ditemukan',
  ])('%s', (heading) => {
    expect(notFoundPhrase(heading)).toBeDefined();
  });

  it.each([
    '',
    'Welcome',
    'How to fix a 404 Not Found error on your server',
    'Why pages are not found by search engines, and what to do',
    'Lost and found',
    'Peugeot 404 Coupé brochure',
    'Room 404, second floor',
    'Missing persons',
    'Article 404 of the civil code and what it says about neighbours',
    'Gefunden: die besten Cafés der Stadt',
    'Founders',
    'A treasure that was never found',
    'x'.repeat(10_000),
    '404 '.repeat(200),
  ])('is not: %s', (heading) => {
    expect(notFoundPhrase(heading)).toBeUndefined();
  });
});
