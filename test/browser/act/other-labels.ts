/** More labels of buttons, written after the guard: shops, banks, offices, networks, clouds, agreements. */
import type { LabelTable } from './site-labels.ts';

/** Keys are BCP 47 tags. */
export const otherLabels: Readonly<Record<string, LabelTable>> = {
  en: {
    purchase: `Place your order | Place order - $84.20 | Buy tickets now | Complete checkout | Pay balance | Pay deposit | Pay in full | Pay invoice | Settle bill |
      Make payment | Submit order | Confirm order | Confirm purchase of 2 items | Yes, charge my card | Charge $15.00 | Authorise payment | Reserve now, pay later | Reserve a table |
      Book this flight | Book appointment | Book & pay | Confirm reservation | Confirm and reserve | Get Premium for $11.99 | Start free trial | Continue with trial | Subscribe & save |
      Subscribe to Premium | Renew subscription | Upgrade plan | Upgrade to Premium now | Add credit | Load wallet | Send $50 | Send payment | Transfer now | Wire transfer | Place a bet |
      Place bet £5 | Confirm bid | Submit offer | Buy shares | Sell shares | Confirm trade | Swap tokens | Donate monthly | Make a donation | Chip in $5 | Back this project | Pledge $25 |
      Accept quote | Accept and sign | Sign agreement | E-sign document | Sign here and submit | I accept the contract | Rent now | Hire this freelancer | Purchase licence | Order sample |
      Proceed to pay | Go to payment | Continue to PayPal | Buy with Apple Pay | Check out with Shop Pay | Finalize purchase | Agree & continue to payment | Accept terms and place order`,
    deletion: `Delete | Delete project | Delete repository | Delete this post | Delete selected | Delete 3 items | Delete anyway | Delete my data | Permanently remove | Remove account | Remove card |
      Remove payment method | Remove member | Destroy droplet | Drop database | Terminate instance | Purge cache | Wipe device | Factory reset | Reset account | Close my account | Deactivate |
      Cancel plan | Cancel membership | Cancel trial | Yes, cancel | Confirm cancel | Cancel appointment | Cancel my flight | Cancel policy | End subscription | End call and delete |
      Unsubscribe | Opt out | Unfollow and remove | Leave team | Revoke token | Revoke API key | Archive and delete | Empty recycle bin | Clear history | Clear cache and data | Discard | Discard post |
      Withdraw application | Withdraw consent | Uninstall app | Disable account | I want to leave | Proceed with deletion | Request account deletion`,
    message: `Send | Send email | Send message now | Send reply | Reply all | Post | Post comment | Post reply | Post job | Publish | Publish now | Publish article | Publish site | Go live | Tweet |
      Repost | Submit form | Submit request | Submit ticket | Submit feedback | Submit your answer | Submit assignment | Submit paper | Submit resume | Submit tax return | Apply with LinkedIn |
      Apply on company site | Start application | Finish application | Send resume | Invite | Invite members | Send invite | Message seller | Contact seller | Contact host | Share to Facebook |
      Share with team | Vote | Vote now | Report abuse | Report listing | Endorse | Connect | Request access | Request refund | Request demo | Leave feedback | Leave a review | Sign the petition | RSVP yes`,
    ordinary: `Find flights | Find hotels | Search flights | Check availability | Check prices | See prices | See availability | See plans | View details | View deal | View all | View more | View profile | View receipt |
      View invoice | Open menu | Open chat | Open in new tab | Load comments | Load more posts | Sort comments | All posts | Post archive | Popular posts | Job postings | Job details | Save job | Share this article |
      Print | Print receipt | Export CSV | Download invoice | Download PDF | Add to calendar | Add to compare | Add to bag | Add to list | Add another passenger | Select seat | Select dates | Choose plan | Compare |
      Remove from cart | Remove from wishlist | Remove coupon | Delete filter | Clear selection | Clear form | Unselect all | Deselect all | Undo | Redo | Refresh | Retry | Try again | Try another search | Go back |
      Go to homepage | Go to top | Skip | Skip intro | Skip to content | Not now | No thanks | Maybe later | Remind me later | Got it | Understood | Allow all | Accept | Accept necessary only | Decline | Learn more |
      Learn how to donate | Why donate | Where your money goes | Pay scales | Pay rates | Payment calendar | Payroll news | Ordering information | Order form PDF | Bookshop | Bookings calendar | Book summary | Booklist |
      Rental guide | Rent prices | Transfer news | Transfer rumours | Trade statistics | Bid results | Auction results | Offers | Today's offers | Gift cards | Membership benefits | Subscriber login | Press releases |
      Publications | Message board | Comment policy | Community guidelines | Trash collection | Cancellation terms | Deletion log | Account | My account | Account settings | Security | Profile | Inbox | Sent | Drafts |
      Dark mode | Zoom in | Rotate | Copy | Copy code | Run | Run code | Show answer | Show password | Hint | Submit search | Submit query | Start quiz | Start tour | Start reading | Watch trailer | Listen | Pause | Next video | Rewind`,
  },
  de: {
    purchase: `Zahlungspflichtig bestellen | Kostenpflichtig buchen | Jetzt für 9,99 € kaufen | Jetzt bezahlen | Bezahlen | Weiter zur Kasse | Zur Bezahlung | Bestellung aufgeben | Reservierung bestätigen | Zimmer buchen | Flug buchen |
      Ticket buchen | Probeabo starten | Abonnement verlängern | Mitgliedschaft abschließen | Kredit beantragen und abschließen | Versicherung abschließen | Auftrag erteilen | Sofortüberweisung starten | Guthaben aufladen |
      Zahlung freigeben | Preisvorschlag senden und kaufen | Jetzt mitbieten | Monatlich spenden | Angebot annehmen | Vertrag unterschreiben | Bestellen`,
    deletion: `Löschen | Account löschen | Profil löschen | Unwiderruflich löschen | Auswahl endgültig löschen und schließen | Eintrag entfernen | Mitglied entfernen | Kündigen | Vertrag jetzt kündigen | Abonnement kündigen |
      Termin absagen | Reise stornieren | Auftrag stornieren | Vom Newsletter abmelden | Konto schließen | Zugriff widerrufen | Auf Werkseinstellungen zurücksetzen | Gruppe verlassen`,
    message: `Absenden | Senden | E-Mail senden | Anfrage abschicken | Jetzt anfragen | Bewerbung einreichen | Online bewerben | Antrag einreichen | Beitrag veröffentlichen | Kommentieren | Frage stellen | Rezension schreiben | Einladen |
      Einladung verschicken | Beitrag melden | Abstimmen | Angebot einholen | Anzeige aufgeben`,
    ordinary: `Suche starten | Alle anzeigen | Mehr erfahren | Zum Angebot | Zum Shop | Angebote vergleichen | Preise ansehen | Verfügbarkeit prüfen | Datum wählen | Größe auswählen | Auf die Merkliste | Teilen | Drucken | Rechnung herunterladen |
      Sendung verfolgen | Meine Bestellungen | Meine Buchungen | Rücksendung | Ablehnen | Nur notwendige Cookies | Einstellungen | Passwort vergessen? | Startseite | Nächste Seite | Vorheriger Artikel | Spendenquittung | Buchhandlung | Kündigungsrecht |
      Kommentare (12) | Nachrichten | Newsletter | Löschwasser | Aufklappen | Ton aus`,
  },
  fr: {
    purchase: `Acheter | Acheter en 1 clic | Payer ma commande | Payer par carte | Valider ma commande | Confirmer ma commande | Procéder au paiement | Finaliser mon achat | Réserver cette chambre | Réserver un vol | S'abonner | M'abonner maintenant |
      Renouveler mon abonnement | Je fais un don | Donner maintenant | Donner 10 € par mois | Faire une offre | Accepter le devis | Signer électroniquement | Virer de l'argent | Recharger mon compte | Souscrire en ligne | Louer maintenant | Miser 5 €`,
    deletion: `Supprimer | Supprimer ce fichier | Supprimer mes données | Effacer tout l'historique | Clôturer mon compte | Résilier | Résilier mon contrat | Annuler mon abonnement | Annuler le vol | Se désinscrire | Bloquer | Retirer l'autorisation | Quitter le groupe`,
    message: `Envoyer | Envoyer un e-mail | Envoyer ma demande | Publier | Publier l'annonce | Répondre | Commenter | Soumettre | Soumettre ma candidature | Déposer ma candidature | Demander un rappel | Inviter des amis | Voter | Poster un commentaire | Transférer`,
    ordinary: `Continuer | Continuer sans accepter | Tout refuser | Paramétrer | En savoir plus | Découvrir | Afficher plus | Voir les offres | Voir les prix | Comparer | Choisir une date | Vérifier la disponibilité | Partager | Imprimer | Télécharger ma facture |
      Mon compte | Mes réservations | Mot de passe oublié | Accueil | Page suivante | Bons d'achat | Dons et legs | Conditions d'annulation | Offres d'emploi | Aide | Menu | Plan du site | Lire l'article | Écouter`,
  },
  es: {
    purchase: `Comprar | Pagar | Pagar con tarjeta | Realizar pedido | Tramitar pedido | Finalizar pedido | Proceder al pago | Confirmar y reservar | Reservar habitación | Reservar vuelo | Suscribirse | Suscribirse por 9,99 € | Renovar suscripción | Donar | Donar 20 € |
      Hacer una donación | Hacer una puja | Pedir ahora | Alquilar | Recargar saldo | Enviar dinero | Aceptar presupuesto | Firmar y enviar | Contratar seguro | Empezar prueba gratuita`,
    deletion: `Eliminar | Eliminar permanentemente | Borrar cuenta | Borrar historial | Eliminar mis datos | Darse de baja | Cancelar mi plan | Cancelar cita | Anular reserva | Rescindir contrato | Desinstalar | Bloquear usuario | Salir del grupo | Quitar dispositivo`,
    message: `Enviar | Enviar correo | Enviar formulario | Enviar mi CV | Publicar | Publicar anuncio | Responder | Comentar | Postularse ahora | Solicitar cita | Invitar amigos | Votar | Reportar abuso | Reenviar | Presentar solicitud`,
    ordinary: `Continuar | Continuar leyendo | Rechazar todo | Configurar cookies | Más información | Ver detalles | Ver ofertas | Ver precios | Comparar | Elegir fecha | Comprobar disponibilidad | Compartir | Imprimir | Descargar factura | Mi cuenta | Mis reservas |
      ¿Olvidaste tu contraseña? | Inicio | Página siguiente | Ayuda | Menú | Cerrar sesión | Empleo | Tarjetas regalo | Condiciones de reserva | Escuchar | Seguir | Guardar`,
  },
  it: {
    purchase: `Acquista | Compra ora | Paga | Paga con carta | Effettua ordine | Conferma ordine | Completa ordine | Concludi acquisto | Prenota camera | Prenota volo | Abbonati | Rinnova abbonamento | Dona 10 € | Fai una puntata | Noleggia ora | Ricarica | Invia denaro |
      Accetta preventivo | Firma digitalmente | Inizia prova gratuita | Vai alla cassa | Sottoscrivi polizza`,
    deletion: `Elimina | Elimina per sempre | Cancella account | Cancella cronologia | Disdici abbonamento | Annulla prenotazione | Annulla il mio ordine | Recedi dal contratto | Blocca utente | Abbandona gruppo | Rimuovi dispositivo | Revoca accesso | Annulla iscrizione`,
    message: `Invia | Invia email | Invia modulo | Invia CV | Pubblica | Pubblica annuncio | Rispondi | Commenta | Invita amici | Vota | Segnala abuso | Inoltra | Richiedi appuntamento | Presenta domanda | Scrivi una recensione adesso`,
    ordinary: `Continua | Continua senza accettare | Rifiuta tutto | Gestisci preferenze | Scopri di più | Vedi dettagli | Vedi offerte | Vedi prezzi | Confronta | Scegli data | Verifica disponibilità | Condividi | Stampa | Scarica fattura | Il mio account | Le mie prenotazioni |
      Password dimenticata? | Home | Pagina successiva | Aiuto | Menu | Esci | Lavora con noi | Carte regalo | Ascolta | Segui | Salva`,
  },
  pt: {
    purchase: `Comprar | Compre já | Pagar | Pagar com cartão | Pagar com Pix | Concluir compra | Finalizar pedido | Fazer pedido | Reservar quarto | Reservar voo | Assinar | Assinar por R$ 19,90 | Renovar assinatura | Doar | Doe agora | Dar um lance | Alugar | Recarregar | Transferir dinheiro |
      Aceitar orçamento | Assinar e enviar | Contratar seguro | Começar teste grátis | Encomendar agora`,
    deletion: `Excluir | Excluir para sempre | Apagar conta | Apagar histórico | Remover dispositivo | Cancelar plano | Cancelar minha assinatura | Cancelar consulta | Anular reserva | Rescindir contrato | Bloquear usuário | Sair do grupo | Desinstalar | Encerrar conta`,
    message: `Enviar | Enviar e-mail | Enviar formulário | Enviar currículo | Publicar | Publicar anúncio | Responder | Comentar | Candidatar-se à vaga | Solicitar atendimento | Convidar amigos | Votar | Denunciar abuso | Encaminhar`,
    ordinary: `Continuar | Continuar lendo | Rejeitar todos | Gerenciar cookies | Saiba mais | Ver detalhes | Ver ofertas | Ver preços | Comparar | Escolher data | Verificar disponibilidade | Compartilhar | Imprimir | Baixar fatura | Minha conta | Minhas reservas | Esqueci minha senha |
      Início | Próxima página | Ajuda | Menu | Sair | Trabalhe conosco | Ouvir | Seguir | Salvar`,
  },
  nl: {
    purchase: `Kopen | Bestel nu | Betalen | Betaal met iDEAL | Bestelling plaatsen | Bestelling bevestigen | Afrekenen | Door naar betaling | Kamer reserveren | Vlucht boeken | Nu reserveren | Abonneren | Abonnement verlengen | Doneer € 10 | Breng bod uit | Huur nu | Saldo opwaarderen |
      Geld overboeken | Offerte accepteren | Ondertekenen en versturen | Gratis proefperiode starten | Verzekering afsluiten`,
    deletion: `Verwijderen | Voorgoed verwijderen | Geschiedenis wissen | Opzeggen | Lidmaatschap opzeggen | Abonnement stopzetten | Reservering annuleren | Afspraak annuleren | Uitschrijven | Gebruiker blokkeren | Groep verlaten | Toegang intrekken | Profiel verwijderen`,
    message: `Versturen | E-mail versturen | Formulier verzenden | Plaatsen | Publiceren | Advertentie plaatsen | Reageren | Direct solliciteren | Aanvraag indienen | Vrienden uitnodigen | Stemmen | Misbruik melden | Doorsturen | Vraag stellen`,
    ordinary: `Doorgaan | Verder winkelen | Alles weigeren | Voorkeuren beheren | Meer informatie | Bekijk details | Bekijk aanbiedingen | Vergelijken | Kies datum | Beschikbaarheid bekijken | Delen | Afdrukken | Factuur downloaden | Mijn account | Mijn reserveringen |
      Wachtwoord vergeten? | Startpagina | Volgende pagina | Hulp | Menu | Uitloggen | Cadeaubonnen | Luisteren | Volgen | Opslaan`,
  },
  pl: {
    purchase: `Kupuję | Kup i zapłać | Zapłać kartą | Zapłać BLIKIEM | Zamawiam | Zamów teraz | Potwierdź zamówienie | Dokończ zakup | Zarezerwuj pokój | Zarezerwuj lot | Kup bilety | Subskrybuj | Przedłuż subskrypcję | Wpłać 20 zł | Przekaż darowiznę | Podbij cenę | Wynajmij | Doładuj konto |
      Przelej pieniądze | Zaakceptuj ofertę | Podpisz dokument | Rozpocznij bezpłatny okres próbny`,
    deletion: `Usuń | Usuń trwale | Usuń profil | Wyczyść historię | Zrezygnuj z subskrypcji | Odwołaj wizytę | Anuluj lot | Wypowiedz umowę | Zablokuj użytkownika | Opuść grupę | Usuń urządzenie | Cofnij zgodę | Zamknij rachunek`,
    message: `Wyślij | Wyślij e-mail | Wyślij formularz | Wyślij CV | Opublikuj | Dodaj ogłoszenie | Odpowiedz | Skomentuj | Aplikuj na stanowisko | Złóż wniosek | Zaproś znajomych | Głosuj | Zgłoś nadużycie | Prześlij dalej`,
    ordinary: `Kontynuuj | Kontynuuj czytanie | Odrzuć wszystkie | Ustawienia cookies | Dowiedz się więcej | Zobacz szczegóły | Zobacz oferty | Porównaj | Wybierz datę | Sprawdź dostępność | Udostępnij | Drukuj | Pobierz fakturę | Moje konto | Moje rezerwacje | Nie pamiętasz hasła? |
      Strona główna | Następna strona | Pomoc | Menu | Wyloguj | Praca | Posłuchaj | Obserwuj | Zapisz`,
  },
  ru: {
    purchase: `Купить | Купить билет | Оплатить | Оплатить картой | Оплатить заказ | Заказать | Заказать сейчас | Подтвердить заказ | Завершить покупку | Забронировать номер | Забронировать рейс | Подписаться | Продлить подписку | Пожертвовать 100 ₽ | Поставить ставку | Арендовать |
      Пополнить баланс | Перевести | Принять предложение | Подписать и отправить | Оформить страховку | Приобрести | Внести депозит`,
    deletion: `Удалить | Удалить безвозвратно | Удалить профиль | Очистить историю | Отказаться от подписки | Отменить запись | Отменить рейс | Отменить поездку | Заблокировать пользователя | Покинуть группу | Отозвать доступ | Стереть данные | Удалить устройство`,
    message: `Отправить | Отправить письмо | Отправить форму | Отправить резюме | Опубликовать | Разместить объявление | Ответить | Комментировать | Подать заявку | Пригласить друзей | Голосовать | Сообщить о нарушении | Переслать | Задать вопрос`,
    ordinary: `Продолжить | Продолжить чтение | Отклонить все | Настройки cookies | Узнать больше | Посмотреть детали | Смотреть предложения | Сравнить | Выбрать дату | Проверить наличие | Поделиться | Печать | Скачать счёт | Мой аккаунт | Мои бронирования | Забыли пароль? | Главная |
      Следующая страница | Помощь | Меню | Выйти | Вакансии | Слушать | Сохранить | Оплата и доставка | Подписки`,
  },
  tr: {
    purchase: `Satın al | Öde | Kartla öde | Sipariş ver | Alışverişi tamamla | Ödemeye devam et | Oda rezerve et | Uçuş rezervasyonu yap | Abone ol | Aboneliği yenile | Bağış yap | 50 TL bağışla | Pey sür | Kirala | Bakiye yükle | Para transferi yap | Teklifi kabul et | Ücretsiz denemeyi başlat | Bilet satın al`,
    deletion: `Sil | Tamamen sil | Profili sil | Geçmişi temizle | Aboneliği sonlandır | Randevuyu iptal et | Uçuşu iptal et | Sözleşmeyi feshet | Kullanıcıyı engelle | Gruptan ayrıl | Cihazı kaldır | Üyeliğimi iptal et`,
    message: `Gönder | E-posta gönder | Formu gönder | CV gönder | Yayınla | İlan ver | Yanıtla | Yorum gönder | İlana başvur | Arkadaşlarını davet et | Oy ver | Kötüye kullanımı bildir | İlet`,
    ordinary: `Devam et | Okumaya devam et | Tümünü reddet | Çerez ayarları | Daha fazla bilgi | Ayrıntıları gör | Teklifleri gör | Karşılaştır | Tarih seç | Paylaş | Yazdır | Faturayı indir | Hesabım | Rezervasyonlarım | Şifremi unuttum | Ana sayfa | Sonraki sayfa | Yardım | Menü | Çıkış yap | Dinle | Takip et | Kaydet`,
  },
  ja: {
    purchase: `購入する | 今すぐ買う | 注文する | ご注文を確定する | 支払いへ進む | カードで支払う | 決済する | 予約確定 | この部屋を予約 | 航空券を予約する | 会員登録して購入 | 定期購入する | 有料プランに加入 | 有料プランに申し込む | 1,000円寄付する | レンタルする | チャージする | 送金を実行 | 見積を承認 | 契約を締結する | 電子署名する | トライアルを始める`,
    deletion: `削除 | 削除する | 完全に消去 | 退会する | 解約手続き | 予約を取り消す | 注文を取り消す | 定期購入を停止 | ブロックする | グループを退会 | 端末を削除 | 履歴を消去 | サブスクを解約 | アカウント停止`,
    message: `送信 | 送信する | メールを送る | フォームを送信 | 履歴書を送信 | 投稿 | 公開 | 返信する | コメントする | エントリーする | 申請を提出 | 友達を招待 | 投票 | 違反を報告 | 転送 | 質問を投稿`,
    ordinary: `続ける | すべて拒否 | 設定を管理 | 詳しく見る | 詳細を見る | 料金を見る | 比較する | 日付を選択 | 空室を確認 | シェア | 印刷 | 領収書をダウンロード | マイページ | 予約一覧 | パスワードを忘れた方 | ホーム | 次のページ | ヘルプ | メニュー | ログアウト | 採用情報 | 聴く | フォロー | 保存 | 商品を探す | 購入者のレビュー | 送信済み | 投稿一覧`,
  },
  zh: {
    purchase: `购买 | 支付 | 付款 | 下单 | 微信支付 | 使用支付宝付款 | 确认下单 | 预订房间 | 预订机票 | 开通VIP | 续费会员 | 捐赠10元 | 参与竞拍 | 租用 | 余额充值 | 转账 | 接受报价 | 签署协议 | 开始免费试用 | 购票 | 提交付款 | 结账 | 直接購買 | 前往付款 | 立即預訂`,
    deletion: `删除 | 彻底删除 | 删除所选 | 清空历史 | 取消会员 | 取消航班预订 | 退订邮件 | 解约 | 拉黑 | 退出群聊 | 移除设备 | 撤销授权 | 停用账号 | 刪除 | 取消訂單`,
    message: `发送 | 发送邮件 | 提交表单 | 发送简历 | 发布 | 发帖 | 回复 | 发送评论 | 应聘此职位 | 邀请好友 | 立即投票 | 举报滥用 | 转发微博 | 提问 | 私信 | 發佈 | 留言給賣家`,
    ordinary: `继续 | 全部拒绝 | Cookie设置 | 了解更多 | 查看详情 | 查看价格 | 对比 | 选择日期 | 查看空房 | 分享 | 打印 | 下载发票 | 我的账户 | 我的预订 | 忘记密码 | 首页 | 下一张 | 帮助 | 菜单 | 退出登录 | 招聘信息 | 收听 | 关注 | 收藏 | 购物车 | 支付安全 | 订单列表 | 发现`,
  },
  ko: {
    purchase: `구매 | 구매하기 | 결제 | 결제하기 | 카드로 결제 | 주문하기 | 주문서 제출 | 객실 예약하기 | 항공권 예약하기 | 구독하기 | 멤버십 가입하고 결제 | 구독 갱신 | 1만원 기부 | 입찰 참여 | 대여하기 | 포인트 충전 | 돈 보내기 | 견적 수락 | 계약서에 서명 | 무료 체험 시작 | 티켓 구매`,
    deletion: `삭제 | 삭제하기 | 완전히 삭제 | 기록 지우기 | 멤버십 해지 | 항공편 예약 취소 | 결제 취소 | 사용자 차단 | 그룹 나가기 | 기기 제거 | 계정 탈퇴 | 수신 거부`,
    message: `보내기 | 이메일 보내기 | 양식 제출 | 이력서 제출 | 게시 | 글쓰기 완료 | 답장 | 댓글 달기 | 입사 지원하기 | 친구 초대 | 투표 | 신고 | 전달하기 | 질문 등록 | 판매자에게 문의하기`,
    ordinary: `계속 | 모두 거부 | 쿠키 설정 | 자세히 보기 | 가격 보기 | 비교하기 | 날짜 선택 | 빈 객실 확인 | 공유 | 인쇄 | 영수증 다운로드 | 내 계정 | 내 예약 | 비밀번호 찾기 | 홈 | 다음 페이지 | 도움말 | 메뉴 | 로그아웃 | 채용 정보 | 듣기 | 팔로우 | 저장 | 구매 후기 | 결제 내역`,
  },
  ro: {
    purchase: `Cumpără acum | Plătește | Plasează comanda | Finalizează comanda | Rezervă acum`,
    deletion: `Șterge contul | Șterge | Anulează abonamentul | Dezabonare`,
    message: `Trimite mesajul | Trimite | Publică | Aplică acum`,
    ordinary: `Înainte | Caută | Afișează mai mult | Autentificare | Șterge filtrele | Adaugă în coș | Acceptă toate`,
  },
  hu: {
    purchase: `Megveszem | Fizetés | Megrendelem | Megrendelés véglegesítése | Foglalás`,
    deletion: `Fiók törlése | Törlés | Előfizetés lemondása | Leiratkozás`,
    message: `Üzenet küldése | Küldés | Közzététel | Jelentkezem`,
    ordinary: `Tovább | Keresés | Több megjelenítése | Bejelentkezés | Szűrők törlése | Kosárba | Összes elfogadása`,
  },
  vi: {
    purchase: `Mua ngay | Thanh toán | Đặt hàng | Đặt phòng ngay`,
    deletion: `Xóa tài khoản | Xóa | Hủy đơn hàng`,
    message: `Gửi tin nhắn | Gửi | Đăng bài | Ứng tuyển ngay`,
    ordinary: `Tiếp theo | Tìm kiếm | Xem thêm | Đăng nhập | Xóa bộ lọc | Thêm vào giỏ hàng`,
  },
  id: {
    purchase: `Beli sekarang | Bayar | Pesan sekarang | Langganan sekarang`,
    deletion: `Hapus akun | Hapus | Batalkan pesanan`,
    message: `Kirim pesan | Kirim | Posting | Lamar sekarang`,
    ordinary: `Selanjutnya | Cari | Lihat lainnya | Masuk | Hapus filter | Tambah ke keranjang`,
  },
};
