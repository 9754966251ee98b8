/** Labels of buttons as sites write them, by language: those that act for good, and ordinary ones. */
import type { ActRisk } from '../../../src/browser/actions/act-recipe.ts';

/** One language: labels apart by `|`. */
export type LabelTable = Readonly<Record<ActRisk | 'ordinary', string>>;

/** Keys are BCP 47 tags. */
export const siteLabels: Readonly<Record<string, LabelTable>> = {
  en: {
    purchase: `Confirm and pay | Agree & Subscribe | Agree and pay | Accept & pay $49.00 | Review and place order |
      Continue to payment | Continue to checkout | Confirm payment | Confirm your booking | Complete my booking |
      Reserve this room | Request to book | I'll reserve | Start subscription | Start membership | Start your 7-day free trial |
      Try free for 30 days | Become a member for $5/month | Renew now | Renew membership | Upgrade to Pro | Buy with 1-Click |
      Buy it now | Yes, buy it | Get it now for $9.99 | Pay €25.00 | Pay in 3 instalments | Pay with PayPal | Swipe to pay |
      Tap to pay | Slide to confirm order | Send money | Transfer funds | Confirm transfer | Withdraw | Place bid of $120 | Bid $75 |
      Increase max bid | Make an offer | Donate $20 now | Give monthly | Support us with $10 | Add money | Top up | Rent for $3.99 |
      Pre-order now | Preorder | Add to cart & checkout | Finish and pay | Secure checkout | Express checkout | Submit payment |
      Authorize payment | I agree to pay | Sign contract | Sign and accept | Accept offer | Enroll now and pay | Join now for $12 |
      Hire now | Order & pay | Yes, upgrade my plan | Unlock for $1.99 | Send tip | Purchase tickets | Get tickets for £18 | Subscribe for €4.99/month | Submit bid document`,
    deletion: `Yes, delete it | Yes, I want to delete my account | Delete all data | Delete permanently | Delete forever |
      Confirm deletion | Confirm and delete | I understand, delete this repository | Move to trash | Move to bin | Empty trash |
      Erase everything | Wipe data | Deactivate my account | Close account permanently | Cancel my subscription | Confirm cancellation |
      Continue to cancel | Finish cancellation | End membership | Turn off auto-renewal | Cancel reservation | Cancel booking | Cancel order |
      Opt out and delete | Remove from team | Remove this device | Revoke access | Reset to factory settings | Discard draft |
      Leave group | Terminate contract | Unsubscribe from all | Unsubscribe me | Block user | Disconnect account | Clear all data`,
    message: `Send now | Yes, send | Submit application | Apply now | Apply for this job | Easy apply | Send application |
      Submit and send | Review and submit | Post now | Post to wall | Publish post | Save and publish | Publish changes | Share now |
      Share publicly | Send invitation | Send request | Send friend request | Add friend | Connect and send | Submit complaint | Report user |
      Submit review | Submit claim | File claim | Send enquiry | Request a quote | Request a callback |
      Sign petition | Cast vote | Submit vote | Book a call with sales | Post your answer | Comment now | Send feedback | Retweet | Forward`,
    ordinary: `Search | Next | Show more | Add filter | Accept cookies | Accept all cookies | Log in | Sort | Continue reading |
      Download | Read more | Play | Pay gap report | Order history | Track order | My orders | View order | Payment methods |
      Payment options | How to pay | Where to buy | Buying guide | Find a store | Book reviews | Books | Bookmarks | Booking terms |
      Compare plans | Plans & pricing | View cart | Add to cart | Add to wishlist | Save for later | Remove filter | Clear all | Clear filters |
      Delete all filters | Clear search | Reset | Reset filters | Cancel | Close | Back | Previous page | Page 2 | Sign up | Create account |
      Sign in to comment | Log in to buy | View comments | Show comments | Hide comments | Latest posts | Blog post | Next post | Older posts |
      Share | Copy link | Contact us | Contact sales team page | Careers | See all jobs | Apply filters | Apply | Apply coupon | Submit |
      I agree | Agree and continue | Accept & continue | Reject all | Manage preferences | Subscription plans | Manage subscription |
      Newsletter | Donations | About donating | Transfer students | Message center | Messages (3) | Notifications | Deleted items | Recently deleted |
      Cancellation policy | Refund policy | Return policy | Delivery & returns | Trash bags | Bin collection days | Order status | Sort order: price |
      Reorder columns | Preview | Edit | Expand all | Collapse | Menu | Language | Currency: USD | Under $25 | $25 to $50 | Price: low to high |
      Details | Specifications | Reviews (120) | Write a review | Overview | Select size | Choose options | Quick view | Mute | Full screen`,
  },
  de: {
    purchase: `Jetzt kostenpflichtig bestellen | Bestätigen und bezahlen | Zahlung bestätigen | Jetzt verbindlich buchen | Weiter zur Zahlung |
      Kauf abschließen | In den Warenkorb und bezahlen | Mit PayPal bezahlen | Direkt zu PayPal | Gebot abgeben | Sofort-Kaufen | Jetzt abonnieren |
      Abo abschließen | Vertrag abschließen | Kostenlos testen, danach 9,99 € | Jetzt spenden | 50 € spenden | Geld überweisen | Überweisung ausführen |
      Tisch verbindlich reservieren | Bestellung prüfen und absenden | Ich stimme zu und zahle | Tickets kaufen | Mitglied werden für 5 €`,
    deletion: `Konto endgültig löschen | Ja, löschen | Alle Daten löschen | Löschen bestätigen | Vertrag kündigen | Jetzt kündigen | Kündigung absenden |
      Bestellung stornieren | Buchung stornieren | Abo beenden | Mitgliedschaft beenden | In den Papierkorb verschieben | Papierkorb leeren |
      Newsletter abbestellen | Profil deaktivieren | Gerät entfernen`,
    message: `Jetzt bewerben | Bewerbung absenden | Nachricht jetzt senden | Kommentar veröffentlichen | Beitrag teilen | Anfrage senden | Angebot anfordern |
      Rückruf anfordern | Bewertung abgeben | Formular absenden | Petition unterschreiben | Verkäufer kontaktieren | Antrag stellen | Freund hinzufügen`,
    ordinary: `Weiter | Zurück | Suchen | Mehr anzeigen | Mehr laden | Alle akzeptieren | Cookies akzeptieren | Anmelden | Registrieren | Filter löschen |
      Alle Filter zurücksetzen | Auswahl löschen | Bestellungen | Bestellübersicht | Zahlungsarten | Kaufratgeber | Versandkosten | Widerrufsrecht |
      In den Warenkorb | Zum Warenkorb | Merken | Herunterladen | Weiterlesen | Abspielen | Sortieren nach Preis | Kontakt | Kommentare anzeigen |
      Bewertungen lesen | Details | Schließen | Abbrechen | Bücher | Buchungsbedingungen | Kündigungsfristen | Löschfahrzeuge | Spendenkonto | Stellenangebote`,
  },
  fr: {
    purchase: `Confirmer et payer | Valider le paiement | Payer maintenant | Payer 25,00 € | Passer au paiement | Commander et payer | Acheter maintenant |
      Confirmer l'achat | Valider mon panier et payer | Réserver | Réserver maintenant | Confirmer la réservation | Je m'abonne | S'abonner pour 4,99 € |
      Essai gratuit 7 jours | Faire un don | Je donne 20 € | Enchérir | Placer une enchère | Effectuer le virement | Signer le contrat | Souscrire | Précommander`,
    deletion: `Supprimer mon compte | Oui, supprimer | Supprimer définitivement | Confirmer la suppression | Résilier mon abonnement | Annuler ma commande |
      Annuler la réservation | Mettre à la corbeille | Vider la corbeille | Se désabonner | Me désinscrire | Fermer mon compte | Désactiver le compte | Retirer du groupe`,
    message: `Envoyer le message | Envoyer ma candidature | Postuler | Postuler maintenant | Publier maintenant | Partager la publication | Demander un devis |
      Envoyer la demande | Déposer un avis | Laisser un commentaire | Signer la pétition | Contacter le vendeur | Ajouter en ami | Signaler`,
    ordinary: `Suivant | Précédent | Rechercher | Voir plus | Lire la suite | Tout accepter | Accepter les cookies | Se connecter | Créer un compte |
      Effacer les filtres | Supprimer les filtres | Réinitialiser | Ajouter au panier | Voir le panier | Mes commandes | Suivi de commande | Moyens de paiement |
      Guide d'achat | Comment payer | Télécharger | Lecture | Trier par prix | Annuler | Fermer | Commentaires (5) | Lire les avis | Nos offres | Détails | Contact`,
  },
  es: {
    purchase: `Confirmar y pagar | Pagar ahora | Pagar 25,00 € | Continuar al pago | Ir a pagar | Comprar ahora | Comprar ya | Finalizar compra | Realizar pago |
      Confirmar compra | Confirmar reserva | Reservar | Reservar ahora | Suscribirme ahora | Suscríbete por 4,99 € | Aceptar y pagar | Prueba gratis 30 días | Donar ahora |
      Haz tu donación | Pujar | Hacer una oferta | Transferir dinero | Firmar contrato | Contratar | Contratar ahora | Añadir y pagar`,
    deletion: `Eliminar cuenta | Sí, eliminar | Eliminar definitivamente | Confirmar eliminación | Borrar todos los datos | Cancelar suscripción |
      Cancelar pedido | Cancelar reserva | Darme de baja | Mover a la papelera | Vaciar papelera | Cerrar mi cuenta | Desactivar cuenta | Anular pedido`,
    message: `Enviar mensaje | Enviar solicitud | Enviar ahora | Postularme | Inscribirme en esta oferta | Publicar ahora | Publicar comentario | Compartir publicación |
      Solicitar presupuesto | Dejar un comentario | Firmar petición | Contactar al vendedor | Aplicar a la oferta | Denunciar`,
    ordinary: `Siguiente | Anterior | Buscar | Ver más | Leer más | Mostrar más | Aceptar todo | Aceptar cookies | Iniciar sesión | Registrarse | Borrar filtros |
      Eliminar filtros | Limpiar búsqueda | Añadir al carrito | Ver carrito | Mis pedidos | Métodos de pago | Guía de compra | Cómo comprar | Descargar | Reproducir |
      Ordenar por precio | Cancelar | Cerrar | Comentarios | Opiniones | Detalles | Contacto | Política de cancelación | Ofertas`,
  },
  it: {
    purchase: `Conferma e paga | Paga ora | Paga 25,00 € | Vai al pagamento | Procedi al pagamento | Acquista ora | Compra subito | Completa l'acquisto | Conferma acquisto |
      Conferma prenotazione | Prenota | Prenota ora | Abbonati ora | Abbonati a 4,99 € | Accetta e paga | Prova gratis 30 giorni | Dona ora | Fai una donazione |
      Fai un'offerta | Esegui bonifico | Firma il contratto | Invia ordine | Ordina e paga`,
    deletion: `Elimina account | Sì, elimina | Elimina definitivamente | Conferma eliminazione | Cancella tutti i dati | Annulla abbonamento | Annulla ordine |
      Annulla prenotazione | Disdici | Sposta nel cestino | Svuota cestino | Chiudi il mio account | Disattiva account | Disiscriviti`,
    message: `Invia messaggio | Invia candidatura | Candidati | Candidati ora | Invia richiesta | Pubblica ora | Pubblica commento | Condividi post |
      Richiedi preventivo | Lascia un commento | Firma la petizione | Contatta il venditore | Segnala`,
    ordinary: `Avanti | Indietro | Cerca | Mostra altro | Leggi tutto | Continua a leggere | Accetta tutti | Accetta i cookie | Accedi | Registrati | Cancella filtri |
      Rimuovi filtri | Aggiungi al carrello | Vai al carrello | I miei ordini | Ordina per prezzo | Metodi di pagamento | Guida all'acquisto | Come acquistare | Scarica | Riproduci |
      Annulla | Chiudi | Commenti | Recensioni | Dettagli | Contatti | Offerte di lavoro`,
  },
  pt: {
    purchase: `Confirmar e pagar | Pagar agora | Pagar R$ 25,00 | Ir para o pagamento | Continuar para pagamento | Comprar agora | Comprar com 1 clique | Finalizar compra |
      Confirmar compra | Fechar pedido | Confirmar reserva | Reservar | Reservar agora | Assinar agora | Assine por R$ 9,90 | Aceitar e pagar | Teste grátis por 30 dias | Doar agora |
      Fazer uma doação | Dar lance | Fazer transferência | Enviar Pix | Assinar contrato | Contratar plano | Enviar pedido`,
    deletion: `Excluir conta | Sim, excluir | Excluir permanentemente | Confirmar exclusão | Apagar todos os dados | Cancelar assinatura | Cancelar pedido | Cancelar reserva |
      Mover para a lixeira | Esvaziar lixeira | Encerrar minha conta | Desativar conta | Eliminar conta | Cancelar subscrição`,
    message: `Enviar mensagem | Enviar candidatura | Candidatar-se | Candidate-se agora | Publicar agora | Publicar comentário | Compartilhar publicação |
      Solicitar orçamento | Deixar um comentário | Assinar petição | Falar com o vendedor | Denunciar`,
    ordinary: `Próximo | Seguinte | Anterior | Buscar | Pesquisar | Ver mais | Leia mais | Continuar lendo | Aceitar todos | Aceitar cookies | Entrar | Cadastrar-se | Limpar filtros |
      Apagar filtros | Adicionar ao carrinho | Ver carrinho | Meus pedidos | Formas de pagamento | Guia de compras | Como comprar | Baixar | Reproduzir | Ordenar por preço |
      Cancelar | Fechar | Comentários | Avaliações | Detalhes | Contato`,
  },
  nl: {
    purchase: `Bevestigen en betalen | Nu betalen | Betaal € 25,00 | Verder naar betalen | Naar de kassa | Bestelling afronden | Bestellen en betalen | Nu bestellen | Koop nu | Direct kopen |
      Reserveren | Nu boeken | Boeking bevestigen | Abonnement afsluiten | Neem een abonnement | Probeer 30 dagen gratis | Doneer nu | Bod plaatsen | Bieden | Geld overmaken | Contract ondertekenen`,
    deletion: `Account verwijderen | Ja, verwijderen | Definitief verwijderen | Verwijderen bevestigen | Alle gegevens wissen | Abonnement opzeggen | Bestelling annuleren |
      Boeking annuleren | Naar prullenbak | Prullenbak legen | Account sluiten | Uitschrijven voor nieuwsbrief | Lidmaatschap beëindigen`,
    message: `Bericht versturen | Verstuur bericht | Solliciteren | Solliciteer nu | Sollicitatie versturen | Reactie plaatsen | Nu publiceren | Bericht delen | Offerte aanvragen |
      Aanvraag versturen | Review plaatsen | Petitie tekenen | Contact opnemen met verkoper`,
    ordinary: `Volgende | Vorige | Zoeken | Meer tonen | Meer laden | Lees meer | Lees verder | Alles accepteren | Cookies accepteren | Inloggen | Registreren | Filters wissen |
      Filters verwijderen | In winkelwagen | Bekijk winkelwagen | Mijn bestellingen | Betaalmethoden | Koopgids | Downloaden | Afspelen | Sorteren op prijs | Annuleren | Sluiten |
      Reacties bekijken | Beoordelingen | Details | Contact | Boeken | Vacatures`,
  },
  pl: {
    purchase: `Potwierdź i zapłać | Zapłać teraz | Zapłać 25,00 zł | Przejdź do płatności | Przejdź do kasy | Kupuję i płacę | Kup teraz | Kup bilet | Zamawiam z obowiązkiem zapłaty |
      Złóż zamówienie | Potwierdzam zakup | Zarezerwuj | Zarezerwuj teraz | Potwierdź rezerwację | Subskrybuj za 19,99 zł | Wypróbuj za darmo przez 30 dni | Wpłać | Wesprzyj nas | Licytuj |
      Złóż ofertę | Wykonaj przelew | Podpisz umowę | Akceptuję i płacę`,
    deletion: `Usuń konto | Tak, usuń | Usuń na zawsze | Potwierdź usunięcie | Usuń wszystkie dane | Anuluj subskrypcję | Anuluj zamówienie | Anuluj rezerwację | Przenieś do kosza |
      Opróżnij kosz | Zamknij konto | Dezaktywuj konto | Rozwiąż umowę | Wypisz się z newslettera`,
    message: `Wyślij wiadomość | Wyślij zgłoszenie | Aplikuj | Aplikuj teraz | Opublikuj teraz | Dodaj komentarz | Dodaj opinię | Udostępnij post | Poproś o wycenę | Wyślij zapytanie |
      Podpisz petycję | Napisz do sprzedającego | Zgłoś naruszenie`,
    ordinary: `Dalej | Wstecz | Szukaj | Pokaż więcej | Czytaj dalej | Czytaj więcej | Akceptuj wszystkie | Akceptuję cookies | Zaloguj się | Zarejestruj się | Wyczyść filtry | Usuń filtry |
      Dodaj do koszyka | Zobacz koszyk | Moje zamówienia | Metody płatności | Poradnik zakupowy | Jak kupować | Pobierz | Odtwórz | Sortuj według ceny | Anuluj | Zamknij |
      Komentarze | Opinie | Szczegóły | Kontakt`,
  },
  ru: {
    purchase: `Подтвердить и оплатить | Оплатить сейчас | Оплатить 2 500 ₽ | Перейти к оплате | Купить сейчас | Купить в один клик | Оформить заказ | Подтвердить покупку | Заказать и оплатить |
      Забронировать | Подтвердить бронирование | Оформить подписку | Подписаться за 199 ₽ | Попробовать бесплатно | Пожертвовать | Сделать ставку | Перевести деньги | Отправить перевод |
      Подписать договор | Внести платёж | Пополнить счёт`,
    deletion: `Удалить аккаунт | Да, удалить | Удалить навсегда | Подтвердить удаление | Удалить все данные | Отменить подписку | Отменить заказ | Отменить бронирование | В корзину удалённых |
      Очистить корзину | Закрыть счёт | Деактивировать профиль | Расторгнуть договор | Отписаться от рассылки`,
    message: `Отправить сообщение | Отправить заявку | Откликнуться | Откликнуться на вакансию | Подать заявление | Опубликовать пост | Оставить комментарий | Оставить отзыв | Поделиться записью |
      Запросить цену | Подписать петицию | Написать продавцу | Пожаловаться | Проголосовать`,
    ordinary: `Далее | Назад | Поиск | Найти | Показать ещё | Читать далее | Принять все | Принять cookies | Войти | Регистрация | Сбросить фильтры | Удалить фильтры | Добавить в корзину |
      В корзину | Мои заказы | Способы оплаты | Как купить | Скачать | Воспроизвести | Сортировать по цене | Отмена | Закрыть | Комментарии | Отзывы | Подробнее | Контакты | Доставка и оплата`,
  },
  tr: {
    purchase: `Onayla ve öde | Şimdi öde | 250 TL öde | Ödemeye geç | Ödemeyi tamamla | Hemen satın al | Sepeti onayla | Siparişi tamamla | Siparişi onayla | Satın almayı onayla | Rezervasyon yap |
      Rezervasyonu onayla | Hemen abone ol | 30 gün ücretsiz dene | Bağış yap | Teklif ver | Para gönder | Havale yap | Sözleşmeyi imzala | Kabul et ve öde`,
    deletion: `Hesabımı sil | Evet, sil | Kalıcı olarak sil | Silmeyi onayla | Tüm verileri sil | Aboneliği iptal et | Siparişi iptal et | Rezervasyonu iptal et | Çöp kutusuna taşı |
      Çöp kutusunu boşalt | Hesabı kapat | Üyeliği sonlandır | Hesabı devre dışı bırak`,
    message: `Mesaj gönder | Başvuruyu gönder | Hemen başvur | Başvur | Şimdi yayınla | Yorum yap | Yorumu gönder | Gönderiyi paylaş | Teklif iste | Talep gönder | Değerlendirme yap | Satıcıya mesaj yaz | Şikayet et`,
    ordinary: `İleri | Geri | Ara | Daha fazla göster | Devamını oku | Tümünü kabul et | Çerezleri kabul et | Giriş yap | Kayıt ol | Filtreleri temizle | Filtreleri sil | Sepete ekle | Sepete git |
      Siparişlerim | Ödeme yöntemleri | Nasıl satın alınır | İndir | Oynat | Fiyata göre sırala | Vazgeç | Kapat | Yorumlar | Değerlendirmeler | Ayrıntılar | İletişim`,
  },
  ja: {
    purchase: `確認して支払う | お支払いを確定する | 今すぐ購入 | 購入を確定 | 購入手続きへ進む | 注文を確定する | ご注文手続きへ | レジへ進む | 予約する | 今すぐ予約 | 予約を確定する | 定期購読する | 月額980円で登録 |
      無料トライアルを開始 | 寄付する | 入札する | 振り込む | 送金する | 契約する | 同意して支払う | 同意して申し込む | 申し込む`,
    deletion: `アカウントを削除 | 完全に削除する | はい、削除します | すべてのデータを消去 | 解約する | 退会手続きへ進む | 注文をキャンセルする | 予約をキャンセル | ゴミ箱に移動 | ゴミ箱を空にする | 購読を解除する | 配信停止`,
    message: `メッセージを送信 | 応募する | 今すぐ応募 | 投稿する | コメントを投稿 | 公開する | シェアする | 見積もりを依頼する | 問い合わせを送信する | レビューを投稿する | 署名する | 申請する | 通報する | 投票する`,
    ordinary: `次へ | 戻る | 検索 | もっと見る | 続きを読む | すべて同意する | Cookieを受け入れる | ログイン | 新規登録 | 絞り込みを解除 | フィルターをクリア | カートに入れる | カートを見る | 注文履歴 |
      購入履歴 | お支払い方法 | 購入ガイド | ダウンロード | 再生 | 並べ替え | キャンセル | 閉じる | コメントを見る | レビュー | 詳細 | お問い合わせ | 予約状況 | 検索条件を削除`,
  },
  zh: {
    purchase: `确认支付 | 确认并支付 | 立即支付 | 去支付 | 确认付款 | 立即购买 | 马上购买 | 确认订单 | 提交订单 | 去结算 | 立即下单 | 立即预订 | 确认预订 | 立即订阅 | 开通会员 | 立即续费 | 免费试用30天 | 立即捐款 |
      出价 | 确认转账 | 充值 | 签署合同 | 同意并支付 | 確認付款 | 立即購買 | 前往結帳 | 立即訂購`,
    deletion: `删除账号 | 确认删除 | 永久删除 | 是，删除 | 清空数据 | 取消订单 | 取消预订 | 取消订阅 | 移到回收站 | 清空回收站 | 注销账号 | 关闭账户 | 解除合同 | 刪除帳號 | 移至垃圾桶`,
    message: `发送消息 | 立即发送 | 投递简历 | 立即申请 | 申请职位 | 提交申请 | 发表评论 | 发布动态 | 立即发布 | 分享到微博 | 转发 | 联系卖家 | 提交评价 | 举报 | 投票 | 送出訊息 | 送出留言`,
    ordinary: `下一步 | 上一步 | 下一页 | 搜索 | 查看更多 | 加载更多 | 继续阅读 | 全部接受 | 接受Cookie | 登录 | 注册 | 清除筛选 | 删除筛选条件 | 加入购物车 | 查看购物车 | 我的订单 | 支付方式 | 购买指南 | 如何购买 |
      下载 | 播放 | 排序 | 取消 | 关闭 | 评论 | 查看评论 | 详情 | 联系我们 | 订单查询 | 搜尋 | 下一頁 | 購買須知`,
  },
  ko: {
    purchase: `확인 및 결제 | 지금 결제하기 | 25,000원 결제하기 | 결제 진행 | 바로 구매 | 지금 구매 | 구매 확정 | 주문 완료하기 | 주문 확인 및 결제 | 예약하기 | 지금 예약 | 예약 확정 | 구독 시작하기 | 지금 구독 |
      30일 무료 체험 시작 | 기부하기 | 후원하기 | 입찰하기 | 송금하기 | 이체하기 | 충전하기 | 계약하기 | 동의하고 결제`,
    deletion: `계정 삭제 | 영구 삭제 | 네, 삭제합니다 | 삭제 확인 | 모든 데이터 삭제 | 구독 취소 | 구독 해지 | 주문 취소 | 예약 취소 | 휴지통으로 이동 | 휴지통 비우기 | 회원 탈퇴 | 해지하기`,
    message: `메시지 보내기 | 지원하기 | 지금 지원 | 지원서 제출 | 게시하기 | 댓글 등록 | 리뷰 등록 | 글 올리기 | 공유하기 | 견적 요청 | 문의 보내기 | 신청하기 | 신고하기 | 투표하기`,
    ordinary: `다음 | 이전 | 검색 | 더 보기 | 계속 읽기 | 모두 동의 | 쿠키 허용 | 로그인 | 회원가입 | 필터 초기화 | 필터 삭제 | 장바구니 담기 | 장바구니 보기 | 주문 내역 | 결제 수단 | 구매 가이드 |
      다운로드 | 재생 | 정렬 | 취소 | 닫기 | 댓글 보기 | 리뷰 | 상세 정보 | 고객센터`,
  },
  sv: {
    purchase: `Bekräfta och betala | Betala nu | Köp nu | Slutför köp | Till kassan | Boka nu | Lägg bud`,
    deletion: `Radera konto | Ta bort konto | Säg upp abonnemang | Avbeställ`,
    message: `Skicka meddelande | Skicka ansökan | Publicera inlägg`,
    ordinary: `Nästa | Sök | Visa mer | Läs mer | Logga in | Rensa filter | Lägg i varukorgen | Godkänn alla | Mina beställningar | Stäng`,
  },
  cs: {
    purchase: `Potvrdit a zaplatit | Zaplatit | Koupit | Objednat s povinností platby | Dokončit objednávku | Rezervovat`,
    deletion: `Smazat účet | Zrušit předplatné | Zrušit objednávku | Odstranit`,
    message: `Odeslat zprávu | Odeslat žádost | Zveřejnit`,
    ordinary: `Další | Hledat | Zobrazit více | Číst dále | Přihlásit se | Zrušit filtry | Přidat do košíku | Přijmout vše | Moje objednávky | Zavřít`,
  },
  uk: {
    purchase: `Підтвердити та оплатити | Купити зараз | Оформити замовлення | Сплатити`,
    deletion: `Видалити акаунт | Скасувати підписку | Скасувати замовлення`,
    message: `Надіслати повідомлення | Надіслати заявку | Опублікувати`,
    ordinary: `Далі | Пошук | Показати більше | Увійти | Очистити фільтри | До кошика | Прийняти все | Мої замовлення`,
  },
};
