/** Recognises clicks and keys that would buy, delete or send something, in 13 languages. */
import { type ActRisk, actRisks } from '../act-recipe.ts';
import type { PageView, ViewedElement } from './in-page/page-view.ts';

/** The page around an element. */
type RiskyPage = Pick<PageView, 'url' | 'title'>;

/** What clicking the element looks like; undefined for anything else. */
export function riskOfClick(element: ViewedElement, page: RiskyPage): ActRisk | undefined {
  const { role, name, form, targets, words, area, areaName } = element;
  if (isField(element)) return undefined;
  const label = normal(name);
  const isLink = role === 'link' && !/^\s*(?:#|javascript:|$)/i.test(targets);
  const named = riskOfName(label) ?? riskOfName(normal(element.shown));
  // A menu has "Buy / Rent / Sell" and "Post" as names of pages.
  const isPageName =
    isLink && (named === 'message' || (named === 'purchase' && area === 'navigation'));
  if (named !== undefined && !isPageName) return named;
  const aimed = riskOfTarget(targets);
  if (aimed !== undefined && !isHarmless(label)) return aimed;
  // Icons have no name, or only a sign.
  if (!/[\p{L}]{2}/u.test(label)) {
    const icon = riskOfIcon(`${words} ${targets}`);
    if (icon !== undefined) return icon;
  }
  if (/dialog/.test(area) && agreement.test(label)) {
    const asked = riskOfName(normal(areaName));
    if (asked !== undefined) return asked;
  }
  return form.isSubmit ? riskOfSubmit(element, page) : undefined;
}

/** What a key looks like: Enter submits the form of its field, Enter and Space click a button. */
export function riskOfKey(
  key: string,
  element: ViewedElement | undefined,
  page: RiskyPage,
): ActRisk | undefined {
  if (element === undefined) return undefined;
  // All keys of "Control+Enter" are pressed, the last as well as the others.
  if (/(?:^|\+)(?:Delete|Backspace)(?:$|\+)/i.test(key)) {
    return isField(element) ? undefined : 'deletion';
  }
  if (!/(?:^|\+)(?:\w*Enter|[\r\n]|Space| )(?:$|\+)/i.test(key)) return undefined;
  const isEnter = /Enter|[\r\n]/i.test(key);
  const { form, tag, type, role } = element;
  const isBox = tag === 'input' && /^(?:checkbox|radio)$/.test(type);
  if (!isField(element) && !(isBox && isEnter)) return riskOfClick(element, page);
  if (!isEnter) return undefined;
  if (form.isThere && form.submitName !== '') {
    const submit = normal(form.submitName);
    return riskOfName(submit) ?? riskOfSubmit({ ...element, name: form.submitName }, page);
  }
  // Chats send on Enter, without a form.
  const isLong = tag === 'textarea' || (role === 'textbox' && tag !== 'input');
  return isLong ? 'message' : undefined;
}

/** A field takes text; a role alone makes a button no field. */
function isField({ role, tag, type }: ViewedElement): boolean {
  if (tag === 'textarea' || tag === 'select') return true;
  if (tag === 'input') return !/^(?:button|checkbox|image|radio|reset|submit)$/.test(type);
  return (
    /^(?:textbox|searchbox|combobox|spinbutton)$/.test(role) && !/^(?:a|button|summary)$/.test(tag)
  );
}

/** A form says by its fields what it is for. */
function riskOfSubmit(
  { name, form }: ViewedElement,
  { url, title }: RiskyPage,
): ActRisk | undefined {
  if (form.hasCard) return 'purchase';
  const label = normal(name);
  if (search.test(label)) return undefined;
  const written = riskOfIcon(form.words);
  if (written === 'deletion') return 'deletion';
  const isCheckout = checkout.test(`${title} ${decoded(url)}`.toLowerCase());
  if (isCheckout && !form.hasPassword && agreement.test(label)) return 'purchase';
  if (form.hasMessage && !form.hasPassword && !isHarmless(label)) return 'message';
  return undefined;
}

const end = '(?![\\p{L}])';

/** A verb at the start, after "please" and the like. */
function startingWith(verbs: string): RegExp {
  return new RegExp(`^(?:please |yes,? |ja,? |oui,? |sí,? )?(?:${verbs})`, 'u');
}

const names: Readonly<Record<ActRisk, readonly RegExp[]>> = {
  deletion: [
    startingWith(
      `(?:permanently )?(?:delete|erase|destroy|deactivate|terminate|unsubscribe|wipe)${end}|remove(?:$| (?!.*(?:filter|tag|facet|sort|highlight|format|search|ads?$))(?:.))|(?:cancel|close) (?:my |your |the |this )?(?:account|subscription|membership|plan|order|booking)`,
    ),
    startingWith(
      '(?:löschen|entfernen|endgültig löschen|abbestellen|abmelden vom newsletter|kündigen|abo kündigen)$|.{1,40} (?:löschen|kündigen|abbestellen|stornieren)$',
    ),
    startingWith(`(?:supprimer|effacer|se désabonner|se désinscrire|résilier|clôturer)${end}`),
    startingWith(
      `(?:eliminar|borrar|suprimir|darse de baja|cancelar (?:la |mi )?(?:suscripción|cuenta|pedido))${end}`,
    ),
    startingWith(
      `(?:elimina|eliminare|cancella|cancellare|rimuovi account|disiscriviti|annulla (?:l'|il )?(?:abbonamento|ordine))${end}`,
    ),
    startingWith(
      `(?:excluir|apagar|deletar|remover conta|cancelar (?:a |minha )?(?:assinatura|conta|inscrição|encomenda))${end}`,
    ),
    startingWith(`(?:verwijder|verwijderen|wissen|uitschrijven|afmelden|opzeggen)${end}`),
    startingWith(`(?:usuń|skasuj|wypisz się|anuluj (?:subskrypcję|zamówienie))${end}`),
    startingWith(`(?:удалить|стереть|отписаться|аннулировать)${end}`),
    /削除(?!履歴)|退会|解約|購読解除|删除|刪除|注销账|注銷帳|取消订阅|取消訂閱|退订|삭제|탈퇴|구독 ?취소/u,
    startingWith(`(?:sil|hesabı sil|aboneliği iptal|abonelikten çık)${end}`),
  ],
  purchase: [
    startingWith(
      `(?:buy|purchase)(?:$|[ !.:](?!guide|ing |protection|history|options?))|(?:pay|order)(?:$| (?:now|here|online|with|by|securely|and|&|for|my|the|this|[$€£¥\\d]))|(?:place|submit|complete|confirm|finish|finali[sz]e)(?: (?:my|your|the|this))? (?:order|purchase|payment|booking|reservation)|(?:check ?out|proceed to (?:check ?out|payment)|go to checkout|place bid|bid now|donate|book now|reserve now|subscribe|upgrade now|start (?:my |your )?(?:free )?trial|one-click|1-click)${end}`,
    ),
    startingWith(
      '(?:jetzt |sofort |kostenpflichtig |zahlungspflichtig )?(?:kaufen|bestellen|bezahlen|buchen|abonnieren|spenden)(?![\\p{L}])|(?:zur kasse|kauf abschließen|kauf bestätigen|bestellung (?:abschicken|abschließen|aufgeben|bestätigen))|(?:zahlungspflichtig|kostenpflichtig) ',
    ),
    startingWith(
      `(?:acheter|payer|commander|s'abonner|s’abonner|réserver maintenant|passer (?:la |ma )?commande|valider (?:la |ma )?commande|confirmer (?:la |ma )?commande|finaliser (?:la |ma )?commande|faire un don)${end}`,
    ),
    startingWith(
      `(?:comprar|pagar|realizar (?:el )?pedido|hacer (?:el )?pedido|confirmar (?:el |la )?(?:pedido|compra)|finalizar (?:la )?compra|suscribirse|suscribirme|tramitar pedido|donar|reservar ahora)${end}`,
    ),
    startingWith(
      `(?:acquista|compra|paga|ordina|abbonati|conferma (?:l'|l’|il )?(?:ordine|acquisto|pagamento)|effettua (?:l'|il )?(?:ordine|pagamento)|procedi all'acquisto|vai alla cassa|dona)${end}`,
    ),
    startingWith(
      `(?:comprar agora|finalizar (?:a |o )?(?:compra|pedido)|confirmar (?:a |o )?(?:compra|pedido|encomenda)|fechar pedido|assinar|encomendar|doar)${end}`,
    ),
    startingWith(
      `(?:koop|kopen|nu kopen|betaal|betalen|afrekenen|bestelling (?:plaatsen|bevestigen)|bestel nu|bestellen|abonneren|doneer)${end}`,
    ),
    startingWith(
      `(?:kup|kup teraz|kupuję|zapłać|zamów|zamawiam|zamawiam i płacę|złóż zamówienie|potwierdź zamówienie|subskrybuj)${end}`,
    ),
    startingWith(
      `(?:купить|оплатить|заказать|оформить (?:заказ|подписку)|подтвердить заказ|подписаться)${end}`,
    ),
    /購入(?:する|$|手続|を確定)|注文(?:する|$|を確定)|支払う|今すぐ買う|レジに進む|立即购买|立即購買|购买$|購買$|提交订单|提交訂單|立即支付|去支付|付款$|结算|結帳|구매하기|바로 ?구매|결제하기|주문하기|구독하기/u,
    startingWith(
      `(?:satın al|hemen al|öde|ödeme yap|sipariş(?:i)? (?:ver|onayla|tamamla)|abone ol)${end}`,
    ),
  ],
  message: [
    startingWith(
      `(?:send|reply|publish|tweet|e-?mail|contact|message|comment|post|invite)(?:$| (?!(?:history|settings?|archive|types?|list|categories)))|(?:submit|leave|add|write|post)(?: (?:a|your|my|the))? (?:comment|review|reply|message|question|feedback|answer)$`,
    ),
    startingWith(
      '(?:senden|absenden|abschicken|antworten|veröffentlichen|posten|kommentieren|einladen)$|(?:nachricht|kommentar|anfrage|e-mail|mail|bewertung|beitrag) (?:senden|absenden|abschicken|schreiben|veröffentlichen|posten)|kontakt aufnehmen',
    ),
    startingWith(
      `(?:envoyer|publier|répondre|commenter|contacter|poster (?:le|la|un|une|mon|ma)|inviter)${end}`,
    ),
    startingWith(`(?:enviar|publicar|responder|comentar|contactar|invitar)${end}`),
    startingWith(`(?:invia|inviare|pubblica|rispondi|commenta|contatta|invita)${end}`),
    startingWith(`(?:postar|mandar|contatar|convidar)${end}`),
    startingWith(
      `(?:verstuur|versturen|verzend|verzenden|plaatsen|publiceer|publiceren|beantwoorden|reageer|reageren|uitnodigen)${end}`,
    ),
    startingWith(`(?:wyślij|opublikuj|odpowiedz|skomentuj|dodaj komentarz|zaproś)${end}`),
    startingWith(`(?:отправить|опубликовать|ответить|комментировать|написать|пригласить)${end}`),
    /送信|投稿する|投稿$|公開する|返信|コメントする|发送|發送|发布|發佈|发表|發表|回复$|回覆$|评论$|보내기|전송|게시하기|게시$|답글 ?달기|댓글 ?달기/u,
    startingWith(`(?:gönder|yayınla|yanıtla|yorum yap|paylaş)${end}`),
  ],
};

function riskOfName(label: string): ActRisk | undefined {
  if (label === '' || isHarmless(label)) return undefined;
  return actRisks.find((risk) => names[risk].some((pattern) => pattern.test(label)));
}

/** Names that begin like a risk and change nothing outside of the page. */
function isHarmless(label: string): boolean {
  return harmless.test(label) || search.test(label);
}

const harmless =
  /^(?:(?:delete|clear|remove|erase|löschen|effacer|borrar|cancella|apagar|wissen|usuń|удалить)\b.*(?:filt(?:er|r)|search|suche|text|input|query|recherche|búsqueda|ricerca|pesquisa|zoek|szukaj|поиск|selection|sort|highlight|facet|formatting|recent|history of)|(?:filter|suche|auswahl|sucheingabe|text|eingabe|suchtext).* (?:löschen|entfernen)|(?:post|comment|reply|message|contact)s\b|posted|send to (?:printer|kindle)|order (?:by|history|status|details|number)|contact (?:us|info|details|information|page)$|cookies? )/u;

const search =
  /^(?:search|find|filter|apply filters?|such|finden|recherch|buscar|cerca|pesquis|zoek|szukaj|искать|найти|поиск|検索|搜索|검색|ara$)/u;

/** A submit button that only agrees. */
const agreement =
  /^(?:ok|okay|yes|confirm|continue|submit|finish|complete|agree|proceed|next|done|apply|ja|bestätigen|weiter|fortfahren|absenden|abschließen|oui|confirmer|continuer|valider|terminer|sí|si|confirmar|continuar|aceptar|conferma|continua|procedi|sim|concluir|bevestig|bevestigen|doorgaan|tak|potwierdź|dalej|да|подтвердить|продолжить|далее|はい|確認|確定|次へ|是|确认|確認|确定|继续|네|예|확인|계속|evet|onayla|devam)(?![\p{L}])/u;

const checkout =
  /checkout|\bpayment\b|place.order|\bkasse\b|bezahlen|zahlung|paiement|\bcaisse\b|\bpago\b|pagamento|afrekenen|płatność|оплата|支払|お会計|结算|支付|결제|ödeme/u;

/** Words of URLs, ids and classes; parts of words do not count. */
const signs: Readonly<Record<ActRisk, RegExp>> = {
  deletion:
    /(?:^| )(?:delete|remove account|trash|trashcan|bin|destroy|unsubscribe|löschen|supprimer|eliminar)(?: |$)/,
  purchase: /(?:^| )(?:buy|buynow|purchase|checkout|pay|place order|one click)(?: |$)/,
  message: /(?:^| )(?:send|paper plane|paperplane|send message|publish)(?: |$)/,
};

function riskOfIcon(words: string): ActRisk | undefined {
  const apart = words
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, ' ');
  return actRisks.find((risk) => signs[risk].test(apart));
}

/** Where it leads: a path that deletes or buys by being opened. */
function riskOfTarget(targets: string): ActRisk | undefined {
  const path = decoded(targets).toLowerCase();
  if (/[/=](?:delete|destroy|unsubscribe|remove-account|delete-account)(?:[/?&#\s]|$)/.test(path))
    return 'deletion';
  if (/[/=](?:buy-?now|place-?order|checkout\/(?:complete|confirm|pay))(?:[/?&#\s]|$)/.test(path))
    return 'purchase';
  return undefined;
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** Without signs, arrows and case. */
function normal(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’`]/g, "'")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}$€£¥)]+$/gu, '')
    .replace(/\s+/g, ' ');
}
