/** Recognises clicks and keys that would buy, delete or send something: by labels, forms, dialogs and prices. */
import { type ActRisk, actRisks } from '../actions/act-recipe.ts';
import type { PageView, ViewedElement } from './in-page/page-view.ts';
import { plainLabels } from './plain-label.ts';
import { hasPrice, riskInWords } from './risk-words.ts';
import { decodePercent } from '../../core/runtime/percent-encoding.ts';

/** The page around an element. */
type RiskyPage = Pick<PageView, 'url' | 'title'>;

/** The risk of clicking the element; undefined without one. */
export function riskOfClick(element: ViewedElement, page: RiskyPage): ActRisk | undefined {
  const { role, targets, words, area } = element;
  if (isField(element)) return undefined;
  const labels = labelsOf(element);
  const isLink = role === 'link' && !/^\s*(?:#|javascript:|$)/i.test(targets);
  const aimed = riskOfTarget(targets);
  const named = riskOfLabels(labels);
  if (named !== undefined && !isPageName(named, element, isLink)) return named;
  const isOrdinary = labels.some((label) => ordinary.test(label));
  if (aimed !== undefined && !isOrdinary) return aimed;
  // Icons have no name, or only a symbol.
  const isIcon = !labels.some((label) => /[\p{L}]{2}/u.test(label));
  const isAgreement = labels.some((label) => agreement.test(label));
  if (isIcon || isAgreement) {
    const icon = riskOfSigns(signs, `${words} ${targets}`);
    if (icon !== undefined) return icon;
  }
  if (isLink) return undefined;
  const scripted = isOrdinary ? undefined : riskOfSigns(deeds, words);
  if (scripted !== undefined) return scripted;
  if (/dialog/.test(area) && isAgreement) {
    const answerRisk = riskOfQuestion(element);
    if (answerRisk !== undefined) return answerRisk;
  }
  const inForm = riskInForm(element, page, labels);
  if (inForm !== undefined) return inForm;
  return isBox(element) ? undefined : riskAround(element, page, labels);
}

/** The risk of a key: Enter submits the form of its field, Enter and Space click a button. */
export function riskOfKey(
  key: string,
  element: ViewedElement | undefined,
  page: RiskyPage,
): ActRisk | undefined {
  if (element === undefined) return undefined;
  // All keys of "Control+Enter" are pressed, not only the last one.
  if (/(?:^|\+)(?:Delete|Backspace)(?:$|\+)/i.test(key)) {
    return isField(element) ? undefined : 'deletion';
  }
  if (!/(?:^|\+)(?:\w*Enter|[\r\n]|Space| )(?:$|\+)/i.test(key)) return undefined;
  const isEnter = /Enter|[\r\n]/i.test(key);
  const { form, tag, type, role } = element;
  const isToggle = tag === 'input' && isBox(element) && /^(?:checkbox|radio)$/.test(type);
  if (!isField(element) && !(isToggle && isEnter)) return riskOfClick(element, page);
  if (!isEnter) return undefined;
  // Chats send on Enter, without a form or with a button that has no name.
  const isLong = tag === 'textarea' || (role === 'textbox' && tag !== 'input');
  if (form.isThere && (form.submitName !== '' || !isLong)) {
    const labels = plainLabels(form.submitName);
    const submit = { ...element, form: { ...form, isSubmit: true } };
    return riskOfLabels(labels) ?? riskInForm(submit, page, labels);
  }
  return isLong ? 'message' : undefined;
}

/** The risk of choosing an option: the list may submit its form, or name what a button then does. */
export function riskOfChoice(
  option: string,
  element: ViewedElement,
  page: RiskyPage,
): ActRisk | undefined {
  const labels = plainLabels(option);
  const named = riskOfLabels(labels);
  // "Buy" and "Rent" are kinds of offers in a search.
  if (named === 'deletion' || element.form.isSubmit)
    return named ?? riskInForm(element, page, labels);
  return undefined;
}

/** A field takes text; a role alone makes a button no field. */
function isField({ role, tag, type }: ViewedElement): boolean {
  if (tag === 'textarea' || tag === 'select') return true;
  if (tag === 'input') return !/^(?:button|checkbox|image|radio|reset|submit)$/.test(type);
  return (
    /^(?:textbox|searchbox|combobox|spinbutton)$/.test(role) && !/^(?:a|button|summary)$/.test(tag)
  );
}

function isBox({ role, tag, type }: ViewedElement): boolean {
  return (
    /^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role) ||
    (tag === 'input' && /^(?:checkbox|radio)$/.test(type))
  );
}

/** Its name and other texts, each in all spellings. */
function labelsOf({ name, texts: shown }: ViewedElement): string[] {
  const texts = new Set([name, ...shown.split('\n')]);
  return [...texts].filter((text) => text !== '').flatMap((text) => plainLabels(text));
}

function riskOfLabels(labels: readonly string[]): ActRisk | undefined {
  for (const label of labels) {
    const risk = search.test(label) ? undefined : riskInWords(label);
    if (risk !== undefined) return risk;
  }
  return undefined;
}

/** Links and boxes with such words only in the name of a page or a choice. */
function isPageName(
  risk: ActRisk,
  { name, area, role, tag }: ViewedElement,
  isLink: boolean,
): boolean {
  // Payment methods, and kinds of offers.
  if (role === 'radio' && risk === 'purchase') {
    return !/^(?:menuitem|option)/.test(role) && !hasPrice(name) && tag === 'input';
  }
  if (!isLink) return false;
  // A menu has "Buy / Rent / Sell" and "Post" as names of pages.
  if (risk === 'message' || (risk === 'purchase' && area === 'navigation')) return true;
  // Headlines.
  return name.split(/\s+/).length > 8 && risk !== 'deletion';
}

/** Buttons of a form that pays, deletes or sends: all without an ordinary label. */
function riskInForm(
  { form, words }: ViewedElement,
  { url, title }: RiskyPage,
  labels: readonly string[],
): ActRisk | undefined {
  if (!form.isThere) return undefined;
  const isOrdinary = labels.some((label) => search.test(label) || ordinary.test(label));
  if (form.hasCard && (form.isSubmit || !labels.some((label) => besides.test(label)))) {
    return isOrdinary || labels.some((label) => besides.test(label)) ? undefined : 'purchase';
  }
  if (!form.isSubmit || isOrdinary) return undefined;
  const written = riskOfSigns(signs, form.words) ?? riskOfSigns(purposes, form.words);
  if (written === 'deletion') return 'deletion';
  if (form.hasPassword) return undefined;
  if (written === 'purchase') return 'purchase';
  const isAgreement = labels.some((label) => agreement.test(label));
  if (isAgreement && checkout.test(`${title} ${decodePercent(url)}`.toLowerCase()))
    return 'purchase';
  if (form.hasMessage) return 'message';
  if (written === 'message' && (isAgreement || words === '')) return 'message';
  return undefined;
}

/** The risk of the question in the dialog around a button. */
function riskOfQuestion({ areaName, near }: ViewedElement): ActRisk | undefined {
  if (/cookie|consent|datenschutz|privacy/i.test(`${areaName} ${near}`)) return undefined;
  return riskOfLabels(plainLabels(areaName)) ?? riskOfLabels(plainLabels(near));
}

/** A button that agrees: to its heading, to the page, or to the price beside it. */
function riskAround(
  { heading, near, words, role }: ViewedElement,
  { url, title }: RiskyPage,
  labels: readonly string[],
): ActRisk | undefined {
  if (role === 'link' || labels.some((label) => search.test(label))) return undefined;
  if (labels.some((label) => firm.test(label))) {
    const above = riskOfLabels(plainLabels(heading)) ?? riskOfSigns(purposes, pathOf(url));
    if (above !== undefined) return above;
    if (checkout.test(`${title} ${decodePercent(url)}`.toLowerCase())) return 'purchase';
  }
  const isFilter = /filter|facet|range|slider/i.test(`${words} ${near} ${heading}`);
  if (isFilter || !hasPrice(near) || range.test(near)) return undefined;
  const isDeal = labels.some((label) => firm.test(label) || acquisition.test(label));
  const isTotal = total.test(near) && labels.some((label) => agreement.test(label));
  return isDeal || isTotal ? 'purchase' : undefined;
}

const search =
  /^(?:search|find|filter|apply filters?|such|finden|recherch|buscar|cerca|pesquis|zoek|szukaj|искать|найти|поиск|検索|搜索|검색|ara$)/u;

/** Labels of buttons that only go back, edit input, or open something. */
const ordinary =
  /^(?:back|go back|previous(?: step)?|cancel|close|dismiss|edit|change|reset|clear|undo|no|no thanks?|not now|maybe later|later|skip|show(?: more)?|more|details|help|log ?in|sign ?in|login|add(?: a| another)? (?:\S+ )?(?:coupon|code|discount|promo(?: code)?|item|line|row|to (?:cart|basket|bag))|apply (?:coupon|code|discount|promo(?: code)?|voucher|gift card)|update (?:cart|basket|bag|quantity|totals?)|zuruck|abbrechen|schliessen|bearbeiten|andern|anmelden|einloggen|(?:gutschein|code) (?:einlosen|anwenden)|in den warenkorb|nein|retour|annuler|fermer|modifier|non|se connecter|volver|atras|cancelar|cerrar|editar|cambiar|iniciar sesion|no gracias|indietro|annulla|chiudi|modifica|accedi|voltar|fechar|alterar|nao|entrar|terug|annuleren|sluiten|wijzigen|bewerken|inloggen|nee|wstecz|anuluj|zamknij|edytuj|zmien|zaloguj sie|nie|назад|отмена|закрыть|изменить|редактировать|войти|нет|戻る|キャンセル|閉じる|変更|編集|ログイン|いいえ|返回|上一步|取消|关闭|關閉|修改|编辑|登录|否|이전|뒤로|취소|닫기|변경|수정|로그인|아니요|geri|iptal|vazgec|kapat|duzenle|giris yap|hayir|tillbaka|avbryt|zpet|zrusit|скасувати|[+\-−±]|\d{1,2})$/u;

/** Buttons in a form with card fields that do not pay. */
const besides =
  /^(?:back|zuruck|retour|volver|indietro|voltar|terug|назад|返回)|cvc|cvv|what'?s this|scan|help|\?|show|hide|toggle|information|coupon|voucher|country|\bnext month|previous month|calendar|apple|google/u;

/** A button that agrees or goes on. */
const agreement =
  /^(?:ok|okay|yes|i (?:agree|accept|confirm|understand)|confirm|continue|submit|finish|complete|agree|accept|proceed|next|done|apply|go|sign up|join|get|start|place|authori[sz]e|approve|ja|bestatigen|weiter|fortfahren|absenden|abschliessen|zustimmen|akzeptieren|fertig|oui|confirmer|continuer|valider|terminer|accepter|suivant|si|confirmar|continuar|aceptar|siguiente|finalizar|conferma|continua|procedi|accetta|avanti|fine|sim|concluir|aceitar|avancar|prosseguir|bevestig|bevestigen|doorgaan|akkoord|verder|volgende|tak|potwierdz|potwierdzam|dalej|zatwierdz|akceptuje|да|подтвердить|подтверждаю|продолжить|далее|готово|согласен|принять|はい|確認|確定|次へ|同意|進む|完了|是|确认|確認|确定|確定|继续|繼續|同意|完成|下一步|확인|네|예|계속|동의|완료|다음|evet|onayla|devam|tamam|kabul|bekrafta|fortsatt|godkann|potvrdit|pokracovat|так|підтвердити|продовжити)(?![\p{Script=Latin}\p{Script=Cyrillic}])/u;

/** A button that agrees for good. */
const firm =
  /^(?:ok|okay|yes|i (?:agree|accept|confirm|understand)|confirm|submit|finish|complete|agree|accept|authori[sz]e|approve|ja|bestatigen|absenden|abschliessen|zustimmen|oui|confirmer|valider|si|confirmar|aceptar|finalizar|conferma|accetta|sim|concluir|aceitar|bevestig|bevestigen|akkoord|tak|potwierdz|potwierdzam|zatwierdz|akceptuje|да|подтвердить|подтверждаю|принять|はい|確定|同意|是|确认|確認|确定|確定|同意|확인|네|예|동의|evet|onayla|tamam|kabul|bekrafta|godkann|potvrdit|так|підтвердити)(?![\p{Script=Latin}\p{Script=Cyrillic}])(?!.*cookies?)/u;

/** A button that acquires the item beside it. */
const acquisition =
  /^(?:get(?: it| this| now| started)?(?: now| today)?|unlock.*|join(?: now| today)?|claim.*|start(?: now| today)?|go (?:premium|pro)|upgrade.*|i want (?:it|this)|grab.*|activate.*|holen|sichern|jetzt (?:sichern|holen|starten|freischalten)|freischalten|j'en profite|profiter.*|obtener|lo quiero|conseguir|aprovechar|ottieni|approfitta.*|obter|quero.*|krijg|nu starten|pak.*|odbierz|aktywuj|получить|взять|активировать|入手|入手する|ゲット|获取|立即获取|开通|领取|받기|시작하기|hemen basla|edin)$/u;

const total =
  /total|sum\b|amount|due|to pay|summe|gesamt|betrag|montant|importe|importo|totaal|razem|suma|kwota|итого|сумма|всего|合計|総額|合计|总计|總計|应付|합계|총|toplam|tutar/iu;

/** Two prices belong to a filter or a list. */
const range = /\d\s*(?:[-–—]|to|bis)\s*\p{Sc}?\s*\d/iu;

const checkout =
  /checkout|\bpayment\b|place.order|\bkasse\b|bezahlen|zahlung|paiement|\bcaisse\b|\bpago\b|pagamento|afrekenen|płatność|оплата|支払|お会計|结算|支付|결제|ödeme/u;

type Signs = Readonly<Record<ActRisk, RegExp>>;

/** Words of URLs, ids and classes; only whole words count. */
const signs: Signs = {
  deletion:
    /(?:^| )(?:delete|remove (?:account|user|member)|trash|trashcan|bin|destroy|unsubscribe|deactivate|close account|cancel (?:subscription|membership|order|booking|account)|erase|löschen|kuendigen|kündigen|supprimer|resilier|eliminar|borrar|excluir|cancella account|verwijderen)(?: |$)/,
  purchase:
    /(?:^| )(?:buy|buynow|purchase|checkout|pay|pay now|paynow|payment submit|place order|placeorder|one click|donate|btn donate|subscribe cc)(?: |$)/,
  message: /(?:^| )(?:send|paper plane|paperplane|send message|publish)(?: |$)/,
};

/** The action named by the function or id of a button, whatever its label. */
const deeds: Signs = {
  deletion:
    /(?:^| )(?:(?:delete|remove|close|destroy|erase|deactivate|wipe) (?:my |the |this |user )?(?:account|profile|data|user|everything|all data)|cancel (?:my )?(?:subscription|membership|order|booking)|unsubscribe)(?: |$)/,
  purchase:
    /(?:^| )(?:buy ?now|place ?order|(?:confirm|submit|make|process|complete) (?:order|purchase|payment|booking)|pay ?now|checkout (?:submit|complete)|complete checkout|submit checkout)(?: |$)/,
  message: /(?:^| )(?:send message|submit application|publish post|post comment|send email)(?: |$)/,
};

/** Words of the action, the fields and the hidden values of a form. */
const purposes: Signs = {
  deletion:
    /(?:^| )(?:delete|deletion|destroy|unsubscribe|deactivate|deactivation|terminate|cancellation|kuendigung|kündigung|resiliation|(?:cancel|close|remove|erase) (?:my |the |your )?(?:account|subscription|membership|order|booking|plan|contract|data))(?: |$)/,
  purchase:
    /(?:^| )(?:checkout|payments?|pay|purchase|buy|orders?(?= (?:confirm|submit|create|place|complete|new|post))|place order|donate|donation|donations|subscribe|billing|transfers?|transfer funds|bids?|place bid|booking|bookings|reserve|reservation|kasse|bezahlen|zahlung|bestellung|bestellen|paiement|pagar|pago|pagamento|afrekenen|iban|bic|sort code|account number|kontonummer)(?: |$)/,
  message:
    /(?:^| )(?:contact|contact form|message|messages|comment|comments|reply|apply|application|applications|enquiry|inquiry|feedback|petition|vote|review|reviews|bewerbung|kontakt|candidature|postuler|resume|cv|cover letter)(?: |$)/,
};

function riskOfSigns(of: Signs, words: string): ActRisk | undefined {
  const apart = words
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, ' ');
  return actRisks.find((risk) => of[risk].test(apart));
}

/** A target whose path deletes or buys when opened. */
function riskOfTarget(targets: string): ActRisk | undefined {
  const path = decodePercent(targets).toLowerCase();
  if (
    /[/=](?:delete|destroy|unsubscribe|deactivate|(?:remove|delete|close|cancel)[-_](?:account|subscription|membership|order|booking))(?:[/?&#\s]|$)/.test(
      path,
    )
  )
    return 'deletion';
  if (
    /[/=](?:buy-?now|one-?click|place-?order|(?:confirm|complete|submit)[-_](?:order|payment|purchase)|checkout\/(?:complete|confirm|pay))(?:[/?&#\s]|$)/.test(
      path,
    )
  )
    return 'purchase';
  return undefined;
}

function pathOf(url: string): string {
  return decodePercent(url)
    .replace(/^\w+:\/\/[^/]*/, '')
    .replace(/[?#].*$/s, '');
}
