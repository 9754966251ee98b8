import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blockAds } from '../../../src/content/clean/block-ads.ts';
import {
  findConsentDialogs,
  removeConsentDialogs,
} from '../../../src/content/clean/consent-dialog.ts';
import { cleanPage } from '../../../src/content/clean/index.ts';
import { blockLines, defaults, htmlPage } from './page.ts';

/**
 * What is left of a page, line by line. These steps alone, as where main content is wanted: others would
 * remove some of the dialogs too.
 */
function lines(body: string, isBlocking = true): string[] {
  const page = htmlPage(`<body>${body}</body>`);
  const options = { ...defaults, onlyMainContent: true, blockAds: isBlocking };
  for (const step of [findConsentDialogs, blockAds, removeConsentDialogs])
    step.apply(page, options);
  cleanPage(page, { ...defaults, onlyMainContent: false, blockAds: false });
  return blockLines(page.root);
}

const text = '<p>The harbour was built in 1842.</p>';
const site = (name: string): string =>
  readFileSync(
    new URL(`../../../fixtures/sites/consent-${name}/index.html`, import.meta.url),
    'utf8',
  );

describe('blockAds on a page with consent leftovers', () => {
  it.each(['manager', 'wall'])('removes the dialog of the fixture consent-%s', (name) => {
    expect(lines(site(name)).join(' ')).not.toMatch(/cookie|privacy|accept/i);
    expect(lines(site(name))[0]).toBe('The harbour');
    expect(lines(site(name), false).join(' ')).toMatch(/cookies/);
  });

  it.each(['newsletter', 'article'])('keeps all of the fixture consent-%s', (name) => {
    expect(lines(site(name))).toEqual(lines(site(name), false));
  });

  it.each([
    ['OneTrust', '<div id="onetrust-consent-sdk">x</div>'],
    ['its filter', '<div class="onetrust-pc-dark-filter ot-fade-in">x</div>'],
    ['Cookiebot', '<div id="CybotCookiebotDialog">x</div>'],
    ['Didomi', '<div id="didomi-host">x</div>'],
    ['Usercentrics', '<div id="usercentrics-root">x</div>'],
    ['Quantcast', '<div id="qc-cmp2-container" class="qc-cmp2-container">x</div>'],
    ['TrustArc', '<div id="truste-consent-track">x</div>'],
    ['Klaro', '<div id="klaro"><div class="klaro">x</div></div>'],
    ['Osano', '<div class="osano-cm-window">x</div>'],
    ['CookieYes', '<div class="cky-consent-container cky-box-bottom-left">x</div>'],
    ['Complianz', '<div id="cmplz-cookiebanner-container">x</div>'],
    ['Borlabs', '<div id="BorlabsCookieBox">x</div>'],
    ['Borlabs 3', '<div class="brlbs-cmpnt-dialog">x</div>'],
    ['CookieFirst', '<div id="cookiefirst-root">x</div>'],
  ])('removes the box of %s', (_, box) => {
    expect(lines(text + box)).toEqual(['The harbour was built in 1842.']);
    expect(lines(text + box, false)).toHaveLength(2);
  });

  const words = 'We use cookies to count our visitors.';
  it.each([
    ['named by its class', `<div class="site-cookie-bar">${words}<button>OK</button></div>`],
    ['named by its id', `<section id="gdpr_notice">${words}<a href="#">Accept</a></section>`],
    ['a dialog by its role', `<div role="dialog">${words}<button>Reject</button></div>`],
    ['a dialog element', `<dialog open>${words}<button>Accept</button></dialog>`],
    ['fixed', `<div style="position: fixed">${words}<button>Got it</button></div>`],
    [
      'German',
      '<div class="cookie-hinweis-box">Wir nutzen Cookies.<button>Verstanden</button></div>',
    ],
    [
      'Japanese',
      '<div class="cookie-notice">クッキーを使用します。<button>同意する</button></div>',
    ],
  ])('removes a dialog of the site: %s', (_, box) => {
    expect(lines(text + box)).toEqual(['The harbour was built in 1842.']);
    expect(lines(text + box, false).length).toBeGreaterThan(1);
  });

  it.each([
    ['en', 'We use cookies to improve your experience.', 'Accept all'],
    ['de', 'Wir verwenden Cookies.', 'Nur notwendige'],
    ['fr', 'Nous utilisons des témoins de connexion.', 'Tout accepter'],
    ['es', 'Utilizamos cookies propias.', 'Rechazar'],
    ['it', 'Questo sito utilizza i cookie.', 'Accetta'],
    ['pt', 'Usamos cookies.', 'Aceitar'],
    ['ca', 'Fem servir galetes.', 'Acceptar'],
    ['nl', 'Wij gebruiken cookies.', 'Weigeren'],
    ['sv', 'Vi använder kakor.', 'Godkänn'],
    ['nb', 'Vi bruker informasjonskapsler.', 'Godta'],
    ['da', 'Vi bruger cookies.', 'Afvis'],
    ['is', 'Við notum vafrakökur, notkun þeirra er lýst hér.', 'Samþykkja'],
    ['fi', 'Käytämme evästeitä.', 'Hyväksy'],
    ['et', 'Kasutame küpsiseid.', 'Nõustun'],
    ['lv', 'Mēs izmantojam sīkdatnes.', 'Piekrītu'],
    ['lt', 'Naudojame slapukus.', 'Sutinku'],
    ['pl', 'Używamy ciasteczek.', 'Odrzuć'],
    ['cs', 'Používáme soubory cookie.', 'Přijmout'],
    ['hu', 'Ez az oldal sütiket használ.', 'Elfogadom'],
    ['ro', 'Folosim module cookie.', 'Refuz'],
    ['sl', 'Uporabljamo piškotke.', 'Strinjam se'],
    ['hr', 'Koristimo kolačiće.', 'Prihvaćam'],
    ['sr', 'Користимо колачиће.', 'Прихватам'],
    ['bg', 'Използваме бисквитки.', 'Приемам'],
    ['ru', 'Мы используем файлы куки.', 'Принять'],
    ['uk', 'Ми використовуємо куки.', 'Прийняти'],
    ['tr', 'Çerezleri kullanıyoruz, çerez politikası.', 'Kabul et'],
    ['el', 'Χρησιμοποιούμε cookies.', 'Αποδοχή'],
    ['he', 'אנו משתמשים בעוגיות.', 'אישור'],
    ['ar', 'نستخدم ملفات تعريف الارتباط.', 'قبول'],
    ['fa', 'ما از کوکی استفاده می‌کنیم.', 'می‌پذیرم'],
    ['hi', 'हम कुकी का उपयोग करते हैं।', 'स्वीकार करें'],
    ['vi', 'Chúng tôi sử dụng cookie.', 'Đồng ý'],
    ['id', 'Kami menggunakan cookie.', 'Setuju'],
    ['th', 'เว็บไซต์นี้ใช้คุกกี้', 'ยอมรับ'],
    ['ja', '当サイトではクッキーを使用しています。', '同意する'],
    ['ko', '이 사이트는 쿠키를 사용합니다.', '동의'],
    ['zh', '本网站使用cookie。', '接受'],
  ])('removes a modal dialog in %s, of the whole page too', (_, question, label) => {
    const box = `<div role="alertdialog" aria-modal="true"><h1>Cookies</h1>${question} <button>${label}</button></div>`;
    for (const onlyMainContent of [true, false]) {
      const page = htmlPage(`<body>${box}${text}</body>`);
      cleanPage(page, { ...defaults, onlyMainContent, blockAds: true });
      expect(blockLines(page.root)).toEqual(['The harbour was built in 1842.']);
    }
    expect(lines(text + box, false).length).toBeGreaterThan(1);
  });

  const answers = '<button>Accept</button><button>Reject</button>';
  it.each([
    ['without the word cookie', 'Your privacy matters to us. Our vendors need your consent.'],
    ['that lists all that it sets', `${words} ${'<p>A cookie that counts.</p>'.repeat(400)}`],
  ])('removes a modal dialog %s', (_, question) => {
    const box = `<section aria-modal="true">${question}${answers}</section>`;
    expect(lines(text + box)).toEqual(['The harbour was built in 1842.']);
  });

  it.each([
    [
      'about another matter',
      `<dialog open>Cookies of the day, 3 for 2. ${'<button>Close</button>'}</dialog>`,
    ],
    ['without an answer', `<dialog open>${words}</dialog>`],
    ['around the content', `<div role="dialog"><main>${words}</main>${answers}</div>`],
  ])('keeps a modal dialog %s', (_, box) => {
    expect(lines(text + box)).toEqual(lines(text + box, false));
  });

  it('keeps the dialogs that an article about cookies shows, not that of the site', () => {
    const example = `<div role="dialog" class="demo">${words}${answers}</div>`;
    const own = `<div role="dialog" id="own">We use cookies ourselves.${answers}</div>`;
    const page = `<main><h1>How cookie banners are built</h1>${text}${example}${text}</main>${own}`;
    expect(lines(page).join(' ')).toContain('count our visitors');
    expect(lines(page).join(' ')).not.toContain('ourselves');
    expect(lines(page, false).join(' ')).toContain('ourselves');
    const loose = `<h1>How cookie banners are built</h1>${text}<div>${example}</div>${text}`;
    expect(lines(loose)).toEqual(lines(loose, false));
    const other = `<main><h1>The harbour</h1>${text}${example}</main>`;
    expect(lines(other)).toEqual(['The harbour', 'The harbour was built in 1842.']);
  });

  it('keeps a modal dialog where beside it are only a header, navigation and a footer', () => {
    const around = '<header>Site</header><nav><a href="/a">A</a></nav><a href="#top">Skip</a>';
    const box = `<div role="dialog">${words}${answers}</div><footer>Imprint</footer>`;
    expect(lines(around + box)).toEqual(lines(around + box, false));
  });

  it.each([
    ['without an answer', `<div class="cookie-banner">${words}</div>`],
    [
      'about something else',
      '<div class="cookie-box">Biscuits of the day<p><button>OK</button></div>',
    ],
    [
      'in an article',
      `<article>On banners<div class="cookie-banner">${words}<button>OK</button></div></article>`,
    ],
    [
      'around an article',
      `<div class="cookie-consent-page"><article>${words}</article><button>OK</button></div>`,
    ],
    [
      'with a heading of the page',
      `<div class="cookie-notice"><h1>Cookies</h1>${words}<button>OK</button></div>`,
    ],
    [
      'with a login',
      `<div role="dialog">${words}<input type="password"><button>Accept</button></div>`,
    ],
    [
      'with a newsletter',
      `<div role="dialog">${words}<input type="email"><button>Accept</button></div>`,
    ],
    ['that is long', `<div class="cookie-notice">${words.repeat(150)}<button>OK</button></div>`],
  ])('keeps a box %s', (_, box) => {
    expect(lines(text + box)).toEqual(lines(text + box, false));
  });

  it('keeps a dialog that is all there is', () => {
    const box = `<div class="cookie-banner">${words}<a href="#">OK</a></div>`;
    expect(lines(box)).toEqual([`${words}OK`]);
  });

  it('keeps the dialog of a site, not that of a vendor, where the whole page is wanted', () => {
    const own = `<div class="cookie-banner">${words}<button>Accept</button></div>`;
    const page = htmlPage(`<body>${text}${own}<div id="onetrust-consent-sdk">x</div></body>`);
    cleanPage(page, { ...defaults, onlyMainContent: false, blockAds: true });
    expect(blockLines(page.root)).toHaveLength(2);
    expect(blockLines(page.root).join(' ')).toContain(words);
  });
});

describe('blockAds where the whole page is wanted', () => {
  const whole = (body: string): string[] => {
    const page = htmlPage(`<body>${body}</body>`);
    cleanPage(page, { ...defaults, onlyMainContent: false });
    return blockLines(page.root);
  };

  it.each([
    ['<div class="ad">x</div>'],
    ['<aside class="box advertisement">x</aside>'],
    ['<section id="ad-slot">x</section>'],
    ['<div class="cookie-banner">We use cookies.</div>'],
    ['<div id="gdpr_notice">Your privacy: cookies.</div>'],
    ['<ins class="ads">x</ins>'],
  ])('removes boxes with common names: %s', (box) => {
    expect(whole(text + box)).toEqual(['The harbour was built in 1842.']);
  });

  it.each([
    ['small ads', `${text}<div class="ad">Sofa</div><div class="ad">Desk</div>`, 'Sofa'],
    [
      'most of the page',
      '<p>T</p><div class="ad">All the words there are</div>',
      'All the words there are',
    ],
    ['a name of more words', `${text}<div class="ad-hoc">Group</div>`, 'Group'],
    ['a box about cakes', `${text}<div class="cookie-box">Oat and raisin</div>`, 'Oat and raisin'],
    ['a heading', `${text}<h2 id="advertising">Ads</h2>`, 'Ads'],
  ])('keeps %s', (_, body, line) => {
    expect(whole(body)).toContain(line);
  });
});
