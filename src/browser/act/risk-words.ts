/**
 * Words of buttons by risk, in the languages that the guard of acts knows. Lower case, without accents on Latin
 * letters, a space for each hyphen, `;` for other punctuation: see `plain-label.ts`.
 */
import type { ActRisk } from '../actions/act-recipe.ts';

/** Alternatives of regular expressions; whole words, or parts of a text for scripts without spaces. */
interface RiskWords extends Readonly<Record<ActRisk, string>> {
  /** Phrases with such words that have no effect outside of the page. */
  readonly ordinary: string;
}

/** English verbs are nouns, too: they only count at the start of a clause. */
const clause =
  "(?<=^|; |(?:and|then|to|or|now|please|yes|ok|okay|continue|proceed|confirm|agree|accept|finish|review|i|i'll|i'd|we|want|wish|like|me|let's|click|tap|swipe|slide|press|hold|here|just|quickly|easily|instantly|securely|safely|permanently|express|secure|easy|quick|fast|complete|submit|save) )";

const price =
  '(?:\\p{Sc} ?\\d[\\d.,]*|\\d[\\d.,\\s]* ?(?:\\p{Sc}|(?:usd|eur|gbp|chf|pln|zl|kc|kr|tl|rub|руб|грн)\\b))';

const dealNouns =
  'orders?|purchase|payments?|booking|reservation|transfer|transaction|subscription|donation|bid|bet|check ?out|trade|deposit|withdrawal|upgrade|membership|enrol?lment|rental|pledge|sale|trip|stay|trial|offer|contract|agreement|lease|loan|policy|quote|instal?lments?';

const spaced: Readonly<Record<string, RiskWords>> = {
  en: {
    purchase: `${clause}(?:buy|buynow|purchase|pay|paynow|order|pre ?order|check ?out|subscribe|donate|pledge|bid|bet|wager|book(?! an? (?:call|demo|meeting))|reserve|rent|lease|hire|transfer|wire|withdraw|deposit|upgrade|renew|top up|recharge|tip|sponsor|invest|trade|sell|enrol?l|go premium|go pro|add (?:money|funds|credit)|make an? (?:offer|donation|payment|purchase|reservation|booking|deposit|transfer)|send (?:money|payment|a? ?tip|funds|cash|gift)|give (?:monthly|once|now|today|${price})|place (?:an? |my |your )?(?:order|bid|bet)|become a (?:member|patron|subscriber|supporter)|(?:start|begin|activate|get|try)(?: \\S+){0,4} (?:trial|subscription|membership|plan)|(?:try|start)(?: \\S+){0,2} (?:for )?free(?: for.*)?|sign(?: \\S+)? (?:contract|agreement|lease|loan|document|accept)|request to (?:book|rent|buy)|sign and (?:accept|pay|send|submit))|(?:confirm|complete|submit|finish|finali[sz]e|place|process|authori[sz]e|approve|accept|execute|continue(?: to)?|proceed(?: to)?|go to|secure|express)(?: (?!and\\b)\\S+){0,2} (?:${dealNouns})|increase(?: \\S+)? bid|(?:one|1) click|(?:get|unlock|join|support(?: \\S+){0,2} with|claim|start|try|continue|confirm|access|read|watch|listen|play|go|add|yes|ok|agree|accept|give|donate|contribute|back|claim|own|grab)\\b[^;]*${price}|${clause}(?:settle(?: \\S+)? (?:bill|invoice|balance)|make(?: an?)? (?:payment|purchase|deposit|donation|bid|offer)|charge(?=$|;| (?:my|your|the|card|${price}))|load (?:wallet|funds|money)|swap(?: \\S+)?|stake(?: \\S+)?|mint(?: \\S+)?|chip in|back this(?: \\S+)?|e ?sign(?: \\S+)*|sign(?: here)? and \\S+|sign(?=$|;| (?:now|here|digitally|electronically|document))|send (?:a )?${price}|extend (?:my |your )?(?:rental|stay|subscription|plan)|apply for (?:a |this )?(?:loan|card|credit|mortgage)|take out(?: \\S+){0,3}|fund (?:this|project|account|now)|claim (?:offer|deal|discount)|use (?:saved|this) card|get (?:tickets|insured|covered|coverage)|yes,? charge(?: \\S+)*)|(?:go|continue|proceed|on) to (?:payment|paypal|checkout|pay|billing|klarna|stripe|secure payment)|accept and (?:sign|pay|continue to pay)|continue with (?:trial|paypal|payment|purchase)|one tap (?:buy|pay)`,
    deletion: `${clause}(?:delete|erase|destroy|deactivate|terminate|unsubscribe|wipe|remove|purge|revoke|discard|disconnect|block|uninstall|(?:empty|clear)(?: the| my| your)? (?:trash|bin|recycle bin)|clear (?:all |my |your )?(?:data|history|messages?|chats?|conversations?|storage)|(?:move|send)(?: \\S+)? to (?:the )?(?:trash|bin|recycle bin)|leave (?:the |this )?(?:group|team|organi[sz]ation|workspace|channel|project)|(?:factory )?reset (?:to factory|account|device|everything|all (?:data|settings))|factory reset|end (?:my |your |the )?(?:membership|subscription|contract|trial|plan|account)|turn off auto ?(?:matic )?renew(?:al)?|opt out)|(?:cancel|close|quit)(?: (?:my|your|the|this|our|and|to|a|an|all|free|premium|paid))*(?: \\S+)? (?:account|subscription|membership|plan|orders?|booking|reservation|contract|trial|policy|insurance|appointment|ticket|trip|flight|transfer|donation|renewal|service)|(?:confirm|finish|complete|continue|proceed|submit|yes|request)(?: \\S+){0,2} (?:cancel|cancellation|deletion|removal|termination|erasure)|${clause}(?:drop (?:database|table|collection|index)|clear (?:cache|cookies) and (?:site )?data|withdraw (?:my |your |the )?(?:application|consent|offer|request|bid)|disable (?:my |your |the )?(?:account|user|profile)|i want to (?:leave|quit|go)|leave (?:now|anyway|\\S+ (?:group|team))|quit (?:group|team|job)|(?:shut ?down|decommission|reset|wipe|format) (?:the |this |my )?(?:server|instance|cluster|device|disk|drive|database|account)|reject and delete|forget (?:me|this device)|kick(?: \\S+)?|ban(?: \\S+)?|suspend(?: \\S+)?|expel(?: \\S+)?|unlink(?: \\S+)?|stop (?:subscription|membership|auto ?renew\\S*|donating)|(?:i )?(?:do not|don't) renew|roll ?back(?: \\S+)?|overwrite(?: \\S+)?)|delete$`,
    message: `${clause}(?:send|reply|publish|tweet|retweet|repost|forward|e ?mail|contact|message|comment|post|invite|vote|petition|apply (?:now|today|here|online|for|to (?!all|filter|selection|search)|with)|easy apply|share (?:now|publicly|post|to|on|with|this|it)|report (?:user|abuse|this|post|comment|a |an |spam|profile|content|ad\\b|seller)|add (?:as )?friend|book a (?:call|demo|meeting)|sign (?:the |this )?petition|cast (?:my |your |a )?(?:vote|ballot)|file (?:a |my |your )?(?:claim|complaint|report|dispute|appeal)|request (?:an? )?(?:quote|call ?back|demo|appointment|info|information|refund|access|introduction|connection)|connect and send|go live)|(?:quick|easy|one click|1 click) apply|(?:submit|leave|add|write|post|send|file|complete|finish)(?: (?:a|an|your|my|the|this|our))?(?: \\S+)? (?:comment|reply|message|question|feedback|answer|application|claim|complaint|enquiry|inquiry|request|vote|appeal|response|proposal|report|form|survey|ticket|entry|petition|invitation|post|document|assignment|return)|(?:submit|leave|add|post|send)(?: (?:a|your|my|the))? (?:review|rating)|review and submit|(?:submit|send|finish|start|complete) (?:my |your |the )?(?:paper|resume|cv|application|thesis|entry|homework|order form|registration|nomination|timesheet|expenses?|documents?|claim|complaint)|${clause}(?:apply (?:on|in|through|via)(?: \\S+)*|report (?:listing|item|user|this|abuse|problem|bug|it)|endorse|connect(?=$|;| with (?:\\S+)$)|rsvp(?: \\S+)?|nominate(?: \\S+)?|dispute(?: \\S+)?|appeal(?: \\S+)?|notify(?: \\S+)+|broadcast|dm(?=$|;)|nudge|poke|ask (?:a )?(?:question|seller|owner|community)|call now|dial|register (?:for|to) (?:event|webinar|course|this)|start (?:application|petition)|introduce (?:me|yourself))`,
    ordinary: `(?:how|where|what|when|why|who|ways|guide|reasons?|tips|things|steps) (?:to|can|do|does|is|are|for|we|you|i|should) [^;]*|why [^;]*|(?:sign|log) (?:in|up|on) (?:to|and|or|for) [^;]*|(?:login|register|learn) to [^;]*|(?<=^|; )(?:about|before|after|read|view|see|show|hide|browse|explore|check|track|find|compare|manage|edit|open|download|print|export|list|all|my|your|our|recent|latest|older|newer|past|previous|next|more|sort|filter|total|current|search|copy|choose|select|change|update|skip|visit|preview|switch|toggle|expand|collapse|jump to|back to|return to)(?: (?!and\\b|then\\b|to\\b)[^;\\s]+)? (?:orders?|purchases?|payments?|bids?|bookings?|reservations?|transfers?|transactions?|subscriptions?|donations?|posts?|comments?|messages?|contacts?|reviews?|applications?|invitations?|replies|trades?|books?|reports?|votes?|forms?|requests?|offers?|documents?|contracts?|agreements?|plans?|trials?|tips?|policy|policies|quotes?|emails?|history|upgrades?)\\b(?! (?:and|then) )|(?:delete|clear|remove|erase|discard|reset|cancel|deselect)(?: (?!account|data)[^;\\s]+){0,4}? (?:filters?|search(?:es)?|text|input|query|keyword|selections?|sort(?:ing)?|highlights?|facets?|format(?:ting)?|tags?|ads?|coupon|promo(?: code)?|discount|(?:from )?(?:cart|basket|bag|wish ?list|favou?rites|saved items|comparison|compare|watch ?list)|zoom|markers?|dates?|recently viewed|recent)(?: [^;\\s]+){0,3}|(?:buy|purchase|pay|payment|order|book|reserve|rent|rental|hire|transfer|trade|bid|bet|tip|upgrade|renew|renewal|subscription|donation|deposit|checkout|enrol?lment|invest|lease)(?: (?:or|and) \\S+)? (?:by (?:date|price|name|relevance|size|rating|popularity)|history|status|details?|numbers?|summary|tracking|guides?|policy|policies|terms|conditions|faqs?|news|gap|scales?|slip|stub|grades?|period|equity|rates?|calculator|transparency|phone|per view|reviews?|shel(?:f|ves)|club|fair|lists?|lovers?|series|students?|windows?|rumou?rs|market|stations?|fees?|shows?|unions?|marks?|control|notes|path|jar|settings?|archives?|types?|categor(?:y|ies)|options?|methods?|protection|information|requirements?|help|rules|limits?|statistics|report)|(?:send|post|message|comment|reply|contact|e ?mail|report|vote|petition|invite|publish|share|tweet|application) (?:history|settings?|archives?|types?|lists?|categor(?:y|ies)|guidelines|policy|counts?|statistics|preferences|templates?|requirements|cent(?:er|re)|us|info|details|information|page|form|to (?:printer|kindle|device))|(?:cancellation|deletion|removal|delivery) (?:policy|terms|fees?|conditions|options|information)|contact(?:|s| us| sales(?: team)?(?: page)?| support)(?=$|;)|best buy|buyers? [^;]*|(?:sign|log) up(?: now)?|tips? (?:of|for) [^;]*|sort order[^;]*|reorder columns|(?:deleted|removed|recently) [^;]*|cookies? [^;]*|(?:accept|allow|agree|confirm|continue|reject|decline|save)[^;]*cookies?[^;]*|block (?:all )?(?:cookies|quote|ads)|remove (?:background|watermark)|discard changes|email me a copy|(?:skip |fast )?forward (?:\\d+|seconds?)[^;]*|(?:skip|fast) forward|check out (?:our|the|these|this|more|what|how|some|all|other|his|her|their|my)[^;]*|post ?code|reply to(?=$|;)|share this (?:article|page|story|link)|order form pdf|(?:rent|rental|bid|buy|pay|order|trade|transfer|book)(?:ing)? (?:prices?|results?|rates?|calendar|information|forms?|board|levels?)|message board|connect (?:using|your browser)|report (?:a )?(?:pdf|\\d+)|call us|(?:withdraw|remove) zoom`,
  },
  de: {
    purchase:
      '(?:jetzt |sofort |direkt )?(?:kaufen|bestellen|vorbestellen|bezahlen|zahlen|buchen|abonnieren|spenden|uberweisen|ersteigern|mieten|leihen|aufladen|abheben|investieren|verlangern|upgraden|reservieren)|kostenpflichtig|zahlungspflichtig|zur kasse|(?:weiter|weiter gehts|direkt|jetzt)? ?(?:zur (?:zahlung|kasse|buchung|bezahlung)|zu paypal|mit paypal)|(?:kauf|bestellung|zahlung|buchung|reservierung|abo|abonnement|vertrag|mitgliedschaft|uberweisung|gebot|versicherung|probeabo)(?: \\S+){0,2} (?:abschliessen|bestatigen|abschicken|absenden|aufgeben|abgeben|ausfuhren|autorisieren|freigeben|unterschreiben|unterzeichnen|prufen und absenden|starten|annehmen)|bieten|gebot abgeben|(?:ich )?(?:kaufe|zahle|bezahle|bestelle|buche|spende)|(?:kostenlos|gratis) (?:testen|probieren)|mitglied werden|angebot annehmen|einzugsermachtigung erteilen|vertragsschluss|sepa mandat erteilen|(?:kredit|auftrag|uberweisung|sofortuberweisung|probeabo|probezeitraum|testphase|testzeitraum|angebot|kostenvoranschlag|darlehen|police|tarif|mietvertrag|kaufvertrag|lastschrift|einkauf|ruckzahlung|einzahlung|auszahlung|miete|verkauf|preisvorschlag)(?: \\S+){0,3} (?:erteilen|starten|annehmen|abschliessen|bestatigen|vornehmen|ausfuhren|beantragen und abschliessen|unterzeichnen|unterschreiben|beginnen|akzeptieren)|mitbieten|hochstgebot|(?:jetzt )?(?:handeln|verkaufen|versteigern|einzahlen|auszahlen|setzen|tippen und bezahlen)|ratenzahlung|beitreten|signieren|digital unterschreiben|buche|miete',
    deletion:
      'loschen|entfernen|abbestellen|stornieren|kundigen|deaktivieren|beenden(?<=(?:abo|abonnement|mitgliedschaft|vertrag|konto|account) beenden)|abmelden(?<=newsletter abmelden)|widerrufen|verwerfen|zurucksetzen(?<=(?:werkseinstellungen|daten|konto|alles|gerat) zurucksetzen)|(?:in den|in) papierkorb(?: verschieben)?|papierkorb leeren|(?:kundigung|stornierung|loschung|widerruf)(?: \\S+){0,2} (?:absenden|bestatigen|abschicken|einreichen|beantragen)|konto (?:auflosen|schliessen)|(?:gruppe|team) verlassen|blockieren|(?:lastschrift|zugriff) entziehen|(?:endgultig |unwiderruflich |jetzt )?loschen(?: \\S+){0,3}|(?:termin|reise|flug|treffen) absagen|absagen|vernichten|trennen(?<=(?:konto|verbindung|gerat) trennen)|(?:gruppe|verein|team) verlassen|austreten|sperren(?<=(?:konto|nutzer|benutzer|karte) sperren)|(?:zugriff|einwilligung|zustimmung) (?:entziehen|zuruckziehen)|leeren(?<=(?:papierkorb|datenbank|verlauf) leeren)|deinstallieren',
    message:
      '(?:ab)?senden|(?:ab|ver)schicken|verschicken|antworten|veroffentlichen|posten|kommentieren|einladen|bewerben|kontaktieren|abstimmen|melden(?<=(?:beitrag|nutzer|kommentar|missbrauch|profil|inhalt) melden)|kontakt aufnehmen|einreichen|beantragen|(?:antrag|anzeige|strafanzeige|frage|anfrage|bewertung|kommentar|nachricht|beitrag|rezension|beschwerde|stimme) (?:stellen|schreiben|abgeben|aufgeben|erstellen|verfassen|hinterlassen)|(?:beitrag|post|status) teilen|(?:angebot|ruckruf|kostenvoranschlag|termin|probefahrt) (?:anfordern|anfragen|vereinbaren|einholen)|unterschreiben|unterzeichnen|(?:als )?freund(?:in)? (?:hinzufugen|werden)|weiterleiten|(?:jetzt )?anfragen|(?:anmeldung|formular|steuererklarung|lebenslauf|unterlagen|widerspruch|bericht) (?:absenden|einreichen|senden|abgeben|hochladen und senden)|teilnehmen|zusagen|verifizierung senden|weitersagen|online stellen',
    ordinary:
      '(?<!unwiderruflich |endgultig )(?:filter|suche|auswahl(?! (?:endgultig|unwiderruflich))|sucheingabe|text|eingabe|suchtext|suchbegriff|sortierung|markierung|merkliste|warenkorb|gutschein|verlauf der suche)(?: \\S+){0,2} (?:loschen|entfernen|zurucksetzen)|(?:alle |aktive )?filter (?:loschen|entfernen|zurucksetzen)|aus (?:dem warenkorb|der merkliste|dem vergleich) entfernen|(?:wie|wo|warum|so|tipps zum|ratgeber)(?: \\S+){0,3} (?:kaufen|bestellen|bezahlen|buchen|kundigen|spenden|loschen|bewerben|mieten)|(?:bewertung|kommentar|bewertungen|kommentare) (?:lesen|anzeigen|ansehen)|anderungen verwerfen|mieten oder kaufen|richtig (?:kundigen|bewerben|spenden|kaufen)|kaufen (?:sie )?oder mieten|cookies [^;]*|(?:anmelden|einloggen) (?:um zu|zum) [^;]*',
  },
  fr: {
    purchase:
      "acheter|j'achete|payer|je paye|je paie|commander|je commande|precommander|s'abonner|je m'abonne|m'abonner|abonnez vous|reserver|je reserve|reservez(?: maintenant)?|donner|je donne|faire un don|encherir|placer une enchere|souscrire|je souscris|louer|virer|investir|miser|parier|recharger|renouveler|adherer|(?:passer|valider|confirmer|finaliser|effectuer|envoyer|proceder|autoriser|regler|completer|terminer|continuer|aller)(?: \\S+){0,3} (?:commande|achats?|paiement|reservation|virement|abonnement|panier et payer|transaction|l'achat|au paiement)|(?:passer|proceder|continuer|aller) (?:au|vers le) paiement|(?:passer|aller) (?:a la )?caisse|l'achat|(?:signer|accepter)(?: \\S+){0,2} (?:contrat|offre|devis|bail)|essai gratuit|essayer gratuitement|achetez|payez|commandez(?: maintenant)?|souscrivez|adherez|faites un don|(?:finaliser|confirmer|valider|faire|accepter|signer|demarrer|commencer|lancer|deposer|je fais|souscrire|prolonger)(?: \\S+){0,2} (?:achat|don|offre|devis|l'offre|essai|essai gratuit|mise|depot|pari|contrat|pret|assurance|bail|ordre|versement|location)|signer(?=$|;| (?:electroniquement|en ligne|maintenant|et))|vendre|echanger|j'adhere|je signe|m'inscrire et payer|transferer (?:de )?l'argent",
    deletion:
      "supprimer|supprimez|effacer|effacez|se desabonner|me desabonner|desabonnez vous|se desinscrire|me desinscrire|desinscription|resilier|je resilie|cloturer|desactiver|detruire|fermer(?: \\S+){0,2} compte|annuler(?: \\S+){0,2} (?:commande|reservation|abonnement|compte|contrat|inscription|vol|billet|rendez vous|essai|virement)|(?:mettre|deplacer|envoyer)(?: \\S+)? (?:a|vers|dans) la corbeille|vider la corbeille|(?:confirmer|valider)(?: \\S+){0,2} (?:suppression|annulation|resiliation|desinscription)|retirer (?:du|de) (?:groupe|compte|l'equipe|la liste d'amis)|revoquer|bloquer|quitter le groupe|mettre fin (?:a|au)(?: \\S+){1,3}|(?:annuler|resilier|arreter|suspendre)(?: (?:mon|ma|mes|le|la|les|l|cet|cette))? (?:abonnement|contrat|vol|l'abonnement|l'essai|adhesion|rendez vous|voyage|virement)|retirer (?:l'autorisation|l'acces|mon consentement|ma candidature)|desinstaller|quitter (?:le|la|l|ce)(?: \\S+)?|jeter|vider (?:l'historique|la base)|exclure(?: \\S+)?",
    message:
      "envoyer|envoyez|publier|publiez|repondre|commenter|contacter|contactez(?: le| l| la)?(?: \\S+)?(?= vendeur)|poster (?:le|la|un|une|mon|ma|maintenant|sur)|postuler|je postule|postulez|candidater|inviter|soumettre|transmettre|signaler|denoncer|voter|je vote|(?:partager|diffuser) (?:la|le|l|ma|mon|une)(?: \\S+)?|(?:demander|obtenir|recevoir) un (?:devis|rappel|rendez vous)|(?:deposer|laisser|ajouter|ecrire|rediger)(?: \\S+){0,2} (?:avis|commentaire|message|reponse|plainte|candidature|annonce|temoignage)|deposer(?: \\S+){0,2}|signer(?: \\S+)? petition|(?:ajouter|demander)(?: \\S+)? (?:en|comme) ami|transferer(?! de l'argent)|poser (?:une|ma|la) question|je candidate|participer|confirmer ma presence|transmettre|mettre en ligne|diffuser",
    ordinary:
      "(?:effacer|supprimer|annuler|retirer|vider)(?: \\S+){0,3} (?:filtres?|recherche|selection|tri|texte|saisie|panier|favoris|coupon)|(?:comment|pourquoi|ou|quand|guide pour|conseils pour|bien)(?: \\S+){0,2} (?:acheter|payer|commander|reserver|donner|resilier|supprimer|s'abonner|postuler|louer|investir)|guide d'achat|moyens? de paiement|suivi de commande|(?<=^|; )(?:voir|lire|afficher|mes|nos|mon)(?: \\S+){0,3} (?:commandes?|achats?|avis|commentaires|paiements?|reservations?|abonnements?)|connectez vous pour [^;]*|se connecter pour [^;]*|cookies? [^;]*",
  },
  es: {
    purchase:
      'comprar|compre|compralo|pagar|pague|reservar|reserve|suscribirse|suscribirme|suscribete|suscribase|donar|dona(?: ahora| \\S+)?|haz(?: \\S+)? (?:donacion|pedido|oferta|reserva)|pujar|apostar|contratar|alquilar|transferir|recargar|invertir|renovar|encargar|(?:hacer|realizar|confirmar|finalizar|tramitar|completar|continuar|continuar con|procesar|proceder|autorizar|efectuar|enviar|ir|pasar|aceptar|firmar)(?: \\S+){0,3} (?:pedido|compra|pago|pagos|reserva|transferencia|donacion|oferta|suscripcion|bizum|dinero|contrato|presupuesto|puja)|(?:confirmo|confirma) (?:la |el |mi )?(?:compra|pedido|pago|reserva)|hazte (?:socio|miembro|premium)|prueba(?:lo)? gratis|probar gratis|quiero (?:comprar|pagar|reservar|donar)|pago seguro ahora|pedir(?= ahora|$|;)|(?:firmar|firma)(?=$|;| (?:y|ahora|digitalmente|electronicamente|documento))(?: y \\S+)?|(?:empezar|iniciar|comenzar|activar)(?: \\S+){0,2} (?:prueba|prueba gratuita|suscripcion|plan)|vender|depositar|retirar (?:fondos|dinero)|ingresar dinero|hacerme socio|asociarme|abonar|adquirir|girar dinero|subastar',
    deletion:
      'eliminar|elimina|borrar|suprimir|darse de baja|darme de baja|dar de baja|date de baja|desactivar|anular|cancelar(?: \\S+){0,2} (?:suscripcion|cuenta|pedido|reserva|contrato|cita|compra|plan|membresia|vuelo|billete)|cerrar(?: \\S+)? cuenta|(?:mover|enviar)(?: \\S+)? a la papelera|vaciar(?: la)? papelera|confirmar(?: \\S+)? (?:eliminacion|cancelacion|baja|borrado)|revocar|bloquear|salir del grupo|rescindir|desinstalar|quitar (?:dispositivo|cuenta|usuario|miembro|amigo|tarjeta)|retirar (?:solicitud|consentimiento|candidatura)|abandonar grupo|destruir|vaciar (?:historial|base)|expulsar|desvincular|dejar de (?:ser|pagar)(?: \\S+)*',
    message:
      'enviar|envia|envie|publicar|publica|responder|comentar|contactar|contacta con(?: \\S+)+|invitar|postular|postularme|postularse|postulate|inscribirme|inscribirse en (?:la|esta) oferta|denunciar|reportar|votar|reenviar|solicitar|solicita|compartir (?:publicacion|en|ahora)|(?:dejar|escribir|anadir|agregar)(?: \\S+)? (?:comentario|resena|opinion|mensaje|respuesta)|firmar(?: \\S+)? peticion|aplicar (?:a|ahora|para)(?: \\S+)*|anadir (?:como |a )?amigos?|presentar (?:solicitud|reclamacion|queja|candidatura|documentos)|hacer (?:una )?pregunta|preguntar|subir (?:anuncio|post)|difundir|confirmar asistencia|apuntarme',
    ordinary:
      '(?:eliminar|borrar|limpiar|quitar|elimina|anular)(?: \\S+){0,3} (?:filtros?|busqueda|seleccion|orden|texto|carrito|favoritos|cupon)|(?:como|donde|por que|cuando|guia para|consejos para)(?: \\S+){0,2} (?:comprar|pagar|reservar|donar|cancelar|eliminar|alquilar|contratar|invertir|enviar)|(?:guia|historial) de compras?|(?:metodos|formas|medios) de pago|(?<=^|; )(?:ver|mis|leer|mostrar|inicia sesion para|iniciar sesion para)(?: \\S+){0,3} (?:pedidos?|compras?|comentarios?|opiniones|reservas?|comprar|comentar)|politica de [^;]*|cookies? [^;]*',
  },
  it: {
    purchase:
      "acquista(?:re|lo)?|compra(?:re|lo)?|paga(?:re)?|prenota(?:re)?|ordina(?! per\\b)(?:re)?|abbonati|abbonarsi|dona(?:re)?|noleggia(?:re)?|affitta(?:re)?|investi(?:re)?|scommetti|ricarica(?:re)?|rinnova(?:re)?|(?:conferma|effettua|completa|concludi|procedi|esegui|invia|vai|autorizza|finalizza|firma|accetta|fai|continua)(?: \\S+){0,3} (?:ordine|acquisto|pagamento|prenotazione|bonifico|donazione|abbonamento|contratto|offerta|cassa|l'ordine|l'acquisto|all'acquisto|un'offerta|l'abbonamento|l'offerta|preventivo|denaro|transazione)|prova(?:lo)? gratis|prova gratuita|diventa (?:socio|membro)|sottoscrivi(?:re)?|stipula|fai(?: una| un)? (?:puntata|offerta|donazione|bonifico|acquisto|l'ordine)|firma(?=$|;| (?:digitalmente|ora|e|il|documento))|(?:inizia|avvia|attiva|comincia)(?: \\S+){0,2} (?:prova|prova gratuita|abbonamento|piano)|vendi|deposita|preleva|versa|iscriviti e paga|associati|aderisci|stipula",
    deletion:
      "elimina(?:re)?|cancella(?:re)?|disiscriviti|disiscrivimi|disdici|disdire|disattiva(?:re)?|rescindi|recedi|annulla(?: \\S+){0,2} (?:abbonamento|l'abbonamento|ordine|l'ordine|prenotazione|account|contratto|iscrizione|acquisto|appuntamento|volo)|chiudi(?: \\S+){0,2} (?:account|conto|l'account)|(?:sposta|metti)(?: \\S+)? nel cestino|svuota(?: il)? cestino|conferma(?: \\S+)? (?:eliminazione|cancellazione|disdetta)|rimuovi (?:account|dispositivo|utente|amico|dal gruppo|membro)|revoca|blocca(?: utente)?|abbandona (?:il )?gruppo|formatta|disinstalla|(?:ritira|revoca)(?: \\S+)? (?:candidatura|consenso|richiesta|accesso)|distruggi|espelli|scollega|svuota (?:cronologia|database)|interrompi abbonamento",
    message:
      'invia(?:re)?|spedisci|pubblica(?:re)?|rispondi|commenta|contatta(?:re)?|invita|candidati|candidarsi|segnala|vota|inoltra|condividi (?:post|il|la|su|ora)|richiedi(?: \\S+){0,2}|(?:lascia|scrivi|aggiungi)(?: \\S+)? (?:commento|recensione|messaggio|risposta)|firma(?: \\S+)? petizione|aggiungi(?: \\S+)? amici|aggiungi agli amici|presenta(?: \\S+)? (?:domanda|reclamo|richiesta)|fai (?:una )?domanda|partecipa|iscriviti (?:al|alla)(?: \\S+)*(?<=concorso|evento|corso)|carica e invia|diffondi',
    ordinary:
      "(?:elimina|cancella|rimuovi|azzera|annulla)(?: \\S+){0,3} (?:filtri|filtro|ricerca|la ricerca|selezione|testo|carrello|preferiti|coupon)|(?:come|dove|perche|quando|guida per|guida al)(?: \\S+){0,2} (?:acquistare|comprare|pagare|prenotare|donare|disdire|ordinare|investire)|guida all'acquisto|(?:metodi|modalita) di pagamento|(?<=^|; )(?:vedi|leggi|i miei|mostra|le mie|accedi per)(?: \\S+){0,3} (?:ordini|acquisti|commenti|recensioni|prenotazioni|commentare|acquistare)|cookies? [^;]*",
  },
  pt: {
    purchase:
      'comprar|compre(?: agora| ja)?|pagar|pague|reservar|reserve(?: agora| ja)?|assinar(?! (?:a )?peticao)|assine|encomendar|doar|doe(?: agora)?|fechar (?:o )?pedido|alugar|contratar|contrate|apostar|transferir|recarregar|investir|renovar|dar lance|fazer lance|enviar pix|(?:fazer|realizar|confirmar|finalizar|concluir|completar|efetuar|ir|continuar|prosseguir|autorizar|enviar|aceitar|assinar|fazer)(?: \\S+){0,3} (?:compra|pagamento|reserva|encomenda|transferencia|doacao|lance|assinatura|contrato|proposta|orcamento|pix|dinheiro|subscricao)|(?:confirmar|finalizar|concluir|completar)(?: o| meu)? pedido|(?:teste|experimente|experimentar|testar)(?: \\S+)? gratis|torne se (?:socio|membro|assinante)|subscrever|(?:fazer|dar|efetuar)(?: um| uma)? (?:pedido|lance|oferta|doacao|pagamento|aposta|deposito)|(?:comecar|iniciar|ativar)(?: \\S+){0,2} (?:teste|teste gratis|assinatura|plano)|assinar e \\S+|vender|depositar|sacar|adquirir|associar se|pedir agora|aderir',
    deletion:
      'excluir|exclua|apagar|apague|deletar|remover (?:conta|usuario|dispositivo|amigo|membro)|cancelar(?: \\S+){0,2} (?:assinatura|conta|inscricao|encomenda|pedido|reserva|subscricao|contrato|plano|compra|consulta)|desativar|encerrar(?: \\S+)? conta|(?:mover|enviar)(?: \\S+)? para (?:a lixeira|o lixo|a reciclagem)|esvaziar(?: a)? lixeira|confirmar(?: \\S+)? (?:exclusao|cancelamento|eliminacao)|eliminar|descadastrar|revogar|bloquear|sair do grupo|rescindir|anular|desinstalar|(?:retirar|revogar)(?: \\S+)? (?:candidatura|consentimento|acesso)|destruir|expulsar|desvincular|limpar (?:historico|dados)|remover (?:cartao|conta)',
    message:
      'postar|mandar|contatar|contactar|convidar|enviar|envie|publicar|publique|responder|comentar|candidatar(?: se)?|candidate se|denunciar|votar|encaminhar|(?:compartilhar|partilhar) (?:publicacao|post|no|na|em|agora)|(?:solicitar|pedir)(?: \\S+){0,2}|(?:deixar|escrever|adicionar)(?: \\S+)? (?:comentario|avaliacao|mensagem|resposta)|assinar(?: a)? peticao|falar com (?:o |a )?(?:vendedora?|anunciante)|adicionar(?: \\S+)? amigos?|fazer (?:uma )?pergunta|perguntar|participar|confirmar presenca|divulgar|repassar',
    ordinary:
      '(?:apagar|excluir|limpar|remover|eliminar|deletar)(?: \\S+){0,3} (?:filtros?|busca|pesquisa|selecao|texto|carrinho|favoritos|cupom)|(?:como|onde|por que|quando|guia para)(?: \\S+){0,2} (?:comprar|pagar|reservar|doar|cancelar|excluir|assinar|alugar|investir|enviar)|guia de compras?|(?:formas|metodos|meios) de pagamento|(?<=^|; )(?:ver|meus|minhas|ler|mostrar|entre para|entrar para)(?: \\S+){0,3} (?:pedidos?|compras?|comentarios?|avaliacoes|reservas?|comprar|comentar)|cookies? [^;]*',
  },
  nl: {
    purchase:
      'koop(?! ?gids)|kopen|betaal|betalen|afrekenen|bestel|bestellen|abonneren|abonneer(?: je| nu)?|doneer|doneren|reserveer|reserveren|boek (?:nu|direct|deze|je)|(?:nu|direct|online|verder|en) boeken|bieden|bied|bod (?:plaatsen|uitbrengen|doen)|plaats bod|huren|overmaken|overboeken|opwaarderen|investeren|verlengen|(?:naar|verder naar|door naar) (?:de )?(?:kassa|betaling|betalen|afrekenen)|(?:bestelling|boeking|betaling|reservering|aankoop|abonnement|overboeking)(?: \\S+)? (?:plaatsen|bevestigen|afronden|afsluiten|voltooien)|(?:bevestig|rond)(?: \\S+)? (?:bestelling|boeking|betaling|reservering|aankoop)(?: af)?|neem (?:een )?abonnement|(?:probeer|proberen)(?: \\S+){0,3} gratis|gratis (?:proberen|uitproberen)|contract (?:ondertekenen|tekenen|afsluiten)|word lid|lid worden|(?:vlucht|kamer|reis|hotel|tafel|ticket|tickets|afspraak) boeken|breng bod uit|huur(?= nu|$|;)|(?:offerte|aanbod|voorstel) (?:accepteren|aanvaarden|ondertekenen)|ondertekenen|onderteken|(?:proefperiode|proefabonnement|abonnement) (?:starten|beginnen|activeren)|gratis proefperiode starten|(?:verzekering|lening|hypotheek|polis|contract) (?:afsluiten|aangaan)|verkopen|verkoop|storten|opnemen(?<=geld opnemen)|lidmaatschap afsluiten|machtigen|inzetten',
    deletion:
      'verwijder|verwijderen|wissen|wis|uitschrijven|schrijf (?:me|mij) uit|afmelden|opzeggen|zeg(?: \\S+)? op|deactiveren|beeindigen|annuleren(?<=(?:bestelling|boeking|reservering|abonnement|order|lidmaatschap|afspraak|contract) annuleren)|(?:bestelling|abonnement|boeking) stopzetten|stopzetten|account (?:sluiten|opheffen)|(?:naar|verplaats naar) (?:de )?prullenbak|prullenbak legen|annulering bevestigen|blokkeren|groep verlaten|(?:toegang|toestemming|machtiging) intrekken|(?:definitief|voorgoed|permanent) (?:verwijderen|sluiten)|deinstalleren|afzeggen|loskoppelen|uitloten|sollicitatie intrekken',
    message:
      'verstuur|versturen|verzend|verzenden|plaatsen|plaats (?:reactie|bericht|review|advertentie)|publiceer|publiceren|beantwoorden|reageer|reageren|uitnodigen|nodig uit|solliciteer|solliciteren|indienen|melden(?<=(?:misbruik|bericht|gebruiker) melden)|doorsturen|stemmen|stem nu|stuur(?: \\S+){0,2}|bericht delen|(?:offerte|terugbelverzoek|informatie) aanvragen|aanvragen|petitie (?:tekenen|ondertekenen)|(?:neem )?contact (?:opnemen|op met)(?: \\S+)*|vraag stellen|stel (?:een |je )?vraag|meedoen|deelnemen|aanmelden voor(?: \\S+)*|bezwaar maken|deel bericht',
    ordinary:
      '(?:filters?|zoekopdracht|selectie|tekst|sortering|zoekterm|alles)(?: \\S+)? (?:verwijderen|wissen)|(?:wis|verwijder)(?: \\S+)? (?:filters?|zoekopdracht|selectie)|(?:hoe|waar|waarom|wanneer)(?: \\S+){0,3} (?:kopen|betalen|bestellen|opzeggen|doneren|reserveren|huren|solliciteren)|uit (?:winkelwagen|winkelmand) verwijderen|huren of kopen|cookies? [^;]*',
  },
  pl: {
    purchase:
      'kup|kupic|kupuje|zaplac|zaplacic|place|placic|zamow|zamowic|zamawiam|subskrybuj|subskrybowac|zarezerwuj|rezerwuje|rezerwuj|wplac|wplacam|wesprzyj|przekaz (?:darowizne|datek)|licytuj|wynajmij|wypozycz|doladuj|przelej|odnow|zainwestuj|oplac|obstaw|(?:zloz|potwierdz|potwierdzam|sfinalizuj|dokoncz|wykonaj|przejdz do|podpisz|akceptuje|akceptuj|zawrzyj|zlecam|zlec|zatwierdz)(?: \\S+){0,2} (?:zamowienie|zakup|zakupy|platnosc|platnosci|kasy|rezerwacje|przelew|umowe|oferte|transakcje|subskrypcje)|(?:wyprobuj|przetestuj)(?: \\S+){0,2} (?:za darmo|bezplatnie)(?: .*)?|z obowiazkiem zaplaty|wykup(?: \\S+)?|zostan (?:patronem|czlonkiem)|(?:przedluz|odnow|rozpocznij|aktywuj|zaakceptuj|akceptuj|podpisz|przyjmij|zawrzyj|zlec|wykonaj)(?: \\S+){0,3} (?:subskrypcje|probny|abonament|oferte|dokument|umowe|wycene|wplate|polise|czlonkostwo|pozyczke|wyplate)|podbij(?: \\S+)?|sprzedaj|kupuj|wyplac|postaw|podpisuje|dolacz za(?: .*)?|nabadz|ubezpiecz sie',
    deletion:
      'usun|skasuj|wypisz (?:sie|mnie)|wyczysc dane|dezaktywuj|rozwiaz umowe|zrezygnuj|rezygnuje|wypowiedz(?: \\S+)?|anuluj(?: \\S+)? (?:subskrypcje|zamowienie|rezerwacje|konto|umowe|wizyte|przelew|bilet)|zamknij(?: \\S+)? (?:konto|rachunek)|przenies do kosza|oproznij kosz|potwierdz(?: \\S+)? (?:usuniecie|anulowanie)|zablokuj|opusc grupe|odsubskrybuj|usuwam|wyczysc (?:historie|dane|konto|baze)|odwolaj(?: \\S+)?|cofnij (?:zgode|dostep|wniosek)|wycofaj(?: \\S+)?|anuluj (?:lot|umowe|podroz|abonament|plan)|odinstaluj|odlacz(?: \\S+)?|zniszcz|opuszczam',
    message:
      'wyslij|opublikuj|odpowiedz|skomentuj|zapros|aplikuj|aplikuje|udostepnij (?:post|wpis|na|teraz)|zglos(?: \\S+)?|zaglosuj|glosuj|przeslij|zapytaj|popros o(?: \\S+)?|poprosze o(?: \\S+)?|napisz(?: \\S+){0,2}|(?:dodaj|zostaw|napisz|wystaw) (?:komentarz|opinie|recenzje|wpis|odpowiedz|ogloszenie)|podpisz petycje|zloz (?:wniosek|podanie|skarge|reklamacje)|skontaktuj sie(?: \\S+)*|zadaj pytanie|wez udzial|zapisz sie na(?: \\S+)*|udostepnij publicznie|potwierdz obecnosc|zamiesc',
    ordinary:
      '(?:usun|wyczysc|skasuj|anuluj)(?: \\S+){0,2} (?:filtry|filtr|wyszukiwanie|wybor|zaznaczenie|tekst|sortowanie|z koszyka)|(?:jak|gdzie|dlaczego|kiedy)(?: \\S+){0,2} (?:kupic|kupowac|placic|zaplacic|zamowic|zarezerwowac|usunac)|zaloguj sie aby [^;]*',
  },
  ru: {
    purchase:
      'купить|куплю|покупаю|оплатить|оплачиваю|заплатить|заказать|заказываю|предзаказ|оформить(?: \\S+)? (?:заказ|подписку|покупку|кредит|полис|карту|займ)|подписаться|забронировать|бронировать|бронирую|пожертвовать|поддержать|арендовать|снять деньги|перевести(?: \\S+)? (?:деньги|средства)|перевести \\d.*|пополнить(?: \\S+)?|продлить(?: \\S+)?|инвестировать|задонатить|(?:подтвердить|завершить|сделать|отправить|внести|провести|подтверждаю|принять)(?: \\S+)? (?:заказ|покупку|оплату|платеж|бронирование|ставку|перевод|взнос|пожертвование|подписку|предложение)|(?:перейти|перейти к|приступить) (?:к )?(?:оплате|оформлению)(?: \\S+)?|к оплате|подписать(?: \\S+)? (?:договор|контракт|соглашение)|заключить договор|(?:попробовать|начать)(?: \\S+)? бесплатно(?: .*)?|стать (?:участником|подписчиком|спонсором)|поставить(?: \\S+)? ставку|поставить(?= \\d)|перевести(?=$|;)|подписать(?=$|;| и | документ| онлайн)(?: и \\S+)?|оформить(?: \\S+){0,2} (?:страховку|рассрочку|покупку|предзаказ|доставку|заявку на кредит|вклад)|оформить(?=$|;)|приобрести|внести(?: \\S+)?|продать|обменять|вывести(?: \\S+)?|взять (?:кредит|заем|в аренду|в кредит)|пожертвую|начать (?:пробный|подписку)(?: \\S+)?|скинуться|выкупить|вступить(?: \\S+)?',
    deletion:
      'удалить|удаляю|стереть|отписаться|отписать|аннулировать|деактивировать|расторгнуть(?: \\S+)?|отменить(?: \\S+)? (?:подписку|заказ|бронирование|бронь|запись|перевод|покупку|тариф|аккаунт)|закрыть(?: \\S+)? (?:счет|аккаунт|учетную запись)|подтвердить(?: \\S+)? (?:удаление|отмену)|(?:переместить )?в (?:корзину удаленных|мусор|мусорную корзину)|(?:переместить|удалить) в корзину|очистить (?:корзину|историю|данные)(?: \\S+)?|отозвать(?: \\S+)?|заблокировать|выйти из группы|отказаться от (?:подписки|заказа|договора|услуги)|отменить (?:рейс|поездку|тренировку|визит|договор|платеж|членство|автопродление|вызов)|отказаться|покинуть(?: \\S+)?|отключить (?:аккаунт|подписку|автопродление|услугу)|отвязать(?: \\S+)?|уничтожить|исключить(?: \\S+)?|прекратить(?: \\S+)?|очистить (?:все|базу|кэш и данные)',
    message:
      'отправить|опубликовать|ответить|комментировать|прокомментировать|написать|пригласить|откликнуться|переслать|проголосовать|голосовать|пожаловаться|сообщить о нарушении|связаться с продавцом|подать(?: \\S+)? (?:заявление|заявку|жалобу|объявление|обращение|документы|претензию)|(?:оставить|добавить)(?: \\S+)? (?:комментарий|отзыв|сообщение|заявку|ответ|обращение)|поделиться (?:записью|постом|в|с друзьями)|запросить(?: \\S+)?|заказать звонок|разместить(?: \\S+)?|подписать петицию|добавить в друзья|подтвердить отправку|задать(?: \\S+)? вопрос|спросить|участвовать|принять участие|записаться(?: \\S+)*|выложить|зарегистрировать обращение|позвонить|подать(?=$|;)',
    ordinary:
      '(?:удалить|очистить|сбросить|стереть)(?: \\S+){0,2} (?:фильтры?|поиск|выбор|текст|запрос|из корзины|из избранного)|(?:как|где|почему|когда)(?: \\S+){0,2} (?:купить|оплатить|заказать|забронировать|удалить|отменить|подписаться|отправить)|войти чтобы [^;]*',
  },
  uk: {
    purchase:
      'купити|придбати|оплатити|сплатити|замовити|передзамовити|підписатися|передплатити|забронювати|пожертвувати|задонатити|поповнити(?: \\S+)?|переказати(?: \\S+)?|орендувати|(?:оформити|підтвердити|завершити|зробити|перейти до)(?: \\S+)? (?:замовлення|покупку|оплату|оплати|платіж|бронювання|ставку|переказ|підписку)|підписати договір|спробувати безкоштовно',
    deletion:
      'видалити|стерти|відписатися|деактивувати|розірвати(?: \\S+)?|скасувати(?: \\S+)? (?:підписку|замовлення|бронювання|запис|акаунт)|закрити(?: \\S+)? (?:рахунок|акаунт)|підтвердити (?:видалення|скасування)|очистити кошик|заблокувати',
    message:
      'надіслати|відправити|опублікувати|відповісти|коментувати|написати|запросити|відгукнутися|поскаржитися|проголосувати|подати(?: \\S+)? (?:заяву|заявку|скаргу)|(?:залишити|додати) (?:коментар|відгук)',
    ordinary:
      '(?:видалити|очистити|скинути|скасувати)(?: \\S+){0,2} (?:фільтри?|пошук|вибір|з кошика)|(?:як|де|чому) (?:купити|оплатити|замовити|видалити)',
  },
  tr: {
    purchase:
      '(?:hemen |simdi )?satin al|satin almayi (?:onayla|tamamla)|hemen al|ode|odeme yap|odemeye (?:gec|git|devam et|ilerle)|odemeyi (?:tamamla|onayla|yap)|(?:siparis|sipariş)i?(?:mi)? (?:ver|onayla|tamamla|gonder)|sepeti onayla|abone ol|rezervasyon(?:u|umu)? (?:yap|onayla|tamamla)|rezerve et|kirala|bagis yap|bagisla|teklif ver(?:me)?|para (?:gonder|yatir|cek)|havale yap|eft yap|transfer (?:et|yap)|sozlesmeyi (?:imzala|onayla)|(?:ucretsiz|bedava) dene|yukle(?<=bakiye yukle)|uyeligi baslat|biletini? al|bilet al|onayla ve ode|yenile(?<=aboneligi yenile)|bahis yap|alisverisi tamamla|pey sur|(?:para )?transferi? (?:yap|et|onayla)|teklifi (?:kabul et|onayla)|(?:ucretsiz )?(?:deneme|denemeyi|uyelik|abonelik)\\S* baslat|sat(?=$|;)|imzala|e imzala|yatirim yap|kredi (?:al|basvurusu yap)|police(?:yi)? al|para(?:yi)? cek|takas et|premium\\S* gec',
    deletion:
      'sil(?=$|;)|kalici olarak sil|silmeyi onayla|(?:hesab|uyelig|abonelig|siparis|rezervasyon|randevu|sozlesme|plan)\\S* (?:iptal et|kapat|sonlandir|devre disi birak|sil|feshet|dondur)|abonelikten (?:cik|ayril)|cop kutusuna (?:tasi|gonder)|cop kutusunu bosalt|iptali onayla|kaldir(?<=(?:cihazi|kullaniciyi|uyeyi|arkadasi) kaldir)|engelle|gruptan (?:ayril|cik)|(?:gecmis|veri|hesap)\\S* (?:temizle|sifirla|kaldir)|\\S+ iptal et|izni geri cek|erisimi kaldir|feshet|cihazi cikar|baglantiyi kes|gruptan cik',
    message:
      'gonder|yayinla|yanitla|yorum (?:yap|yaz|ekle)|paylas(?<=\\S paylas)|basvur|davet et|oy ver|oyla|ilet|teklif (?:iste|al)|talep (?:et|olustur)|degerlendirme (?:yap|yaz)|mesaj yaz|(?:\\S+ )?mesaj yaz|sikayet et|bildir(?<=\\S bildir)|dilekceyi imzala|arkadas(?: olarak)? ekle|ilan ver|soru sor|katil(?=$|;)|kaydini tamamla|itiraz et|dilekce ver|ara(?<=satici\\S* ara)',
    ordinary:
      '(?:filtre|arama|secim|metn|siralama)\\S* (?:temizle|sil|kaldir)|nasil [^;]*|nereden [^;]*',
  },
  sv: {
    purchase:
      'kop(?= nu| biljett| \\S+$)|kop nu|kopa?|betala|bestall|boka|reservera|hyr|prenumerera|donera|skank|overfor|lagg bud|ge bud|bekrafta (?:kop|betalning|bestallning|bokning)|slutfor (?:kop|kopet|bestallning|betalning)|till kassan|ga till kassan|bli medlem|teckna(?: \\S+)?|prova gratis|koper|kop biljett(?:er)?|bud|swisha|signera|skriva under avtal',
    deletion:
      'radera|ta bort|avsluta (?:konto|kontot|abonnemang|prenumeration|medlemskap)|sag upp(?: \\S+)?|avbestall|avboka|avprenumerera|inaktivera|avregistrera|flytta till papperskorgen|tom papperskorgen',
    message:
      'skicka|publicera|svara|kommentera|bjud in|ansok(?: nu)?|kontakta(?: \\S+)|anmal(?: \\S+)?|lamna (?:omdome|kommentar)|skriv under|rosta',
    ordinary:
      '(?:ta bort|rensa|radera)(?: \\S+){0,2} (?:filter|sokning|val|sortering)|sa koper du[^;]*',
  },
  da: {
    purchase:
      'kob nu|kob|kjop|kjop na|bestil|bestill|book nu|betal|reserver|doner|abonner|tegn abonnement|afgiv bud|ga til (?:kassen|betaling)|til kassen|gennemfor (?:kob|ordre|bestilling)|fullfor (?:kjop|bestilling)|bekraeft (?:kob|ordre|betaling|booking)|bekreft (?:kjop|bestilling|betaling)|bliv medlem|prov gratis',
    deletion:
      'slet|slett|fjern (?:konto|bruger|enhed|enhet)|opsig(?: \\S+)?|si opp(?: \\S+)?|afmeld|avmeld|annuller (?:ordre|bestilling|booking|abonnement)|kanseller(?: \\S+)?|luk konto|deaktiver|flyt til papirkurv|tom papirkurv',
    message:
      'send besked|send|del opslag|offentliggor|udgiv|publiser|svar|kommenter|ansog(?: \\S+)?|sok stillingen|inviter|kontakt saelger|skriv under|stem',
    ordinary: '(?:slet|fjern|ryd|slett|nullstill)(?: \\S+){0,2} (?:filtre|filter|sogning|sok|valg)',
  },
  fi: {
    purchase:
      'osta|osta nyt|maksa|tilaa(?: nyt)?|varaa|lahjoita|vuokraa|vahvista (?:tilaus|maksu|varaus|osto)|siirry (?:kassalle|maksamaan)|kassalle|tee tarjous|huuda',
    deletion:
      'poista|peruuta (?:tilaus|varaus|jasenyys)|irtisano|lopeta (?:tilaus|jasenyys)|sulje tili|tyhjenna roskakori',
    message: 'laheta|julkaise|vastaa|kommentoi|kutsu|hae (?:paikkaa|tyopaikkaa)|ilmianna|aanesta',
    ordinary: '(?:poista|tyhjenna)(?: \\S+)? (?:suodattimet|suodatin|haku|valinnat)',
  },
  vi: {
    purchase:
      'mua|dat (?:hang|phong|ve|ban|mua)|thanh toan|quyen gop|dang ky tra phi|nap tien|chuyen tien',
    deletion: 'xoa|huy|huy dang ky|go bo',
    message: 'gui|dang bai|ung tuyen|binh luan|nop don',
    ordinary: '(?:xoa|huy)(?: \\S+){0,2} (?:bo loc|tim kiem)|huy bo|phuong thuc thanh toan',
  },
  id: {
    purchase:
      'beli|bayar|(?<!kirim )pesan|(?:ber)?langganan(?: sekarang)?|donasi|transfer|checkout',
    deletion: 'hapus|batalkan|berhenti berlangganan|tutup akun',
    message: 'kirim|lamar|posting|balas|komentari|undang',
    ordinary: '(?:hapus|batalkan)(?: \\S+)? (?:filter|pencarian|pilihan)|pesanan [^;]*|pesan masuk',
  },
  ro: {
    purchase:
      'cumpar|cumpara|plateste|comanda(?= acum|$|;)|rezerva(?= acum|$|;)|aboneaza te|doneaza|(?:plaseaza|finalizeaza|trimite|confirma)(?: \\S+)? (?:comanda|plata|rezervarea)|liciteaza',
    deletion:
      'sterge|elimina|dezabonare|dezaboneaza te|dezactiveaza|reziliaza|anuleaza(?: \\S+)? (?:abonamentul|comanda|rezervarea|contractul)|inchide contul',
    message:
      'trimite|publica|raspunde|comenteaza|aplica (?:acum|la)(?: \\S+)*|invita|semneaza petitia',
    ordinary: '(?:sterge|anuleaza)(?: \\S+)? (?:filtrele|filtrul|cautarea|selectia)',
  },
  hu: {
    purchase:
      'megveszem|veszek|vasarlas|megvasarolom|fizetes|fizetek|megrendelem|megrendeles(?: \\S+)?|rendeles (?:leadasa|veglegesitese)|foglalas(?: veglegesitese)?|lefoglalom|elofizetek|elofizetes(?= most|$|;)|adomanyozok|licitalok',
    deletion:
      'torles|torlese|torlom|lemondas|lemondom|lemondasa|leiratkozas|leiratkozom|fiok (?:megszuntetese|bezarasa)',
    message: 'kuldes|kuldese|elkuldom|kozzetetel|kozzeteszem|valasz kuldese|jelentkezem|meghivas',
    ordinary: '(?:szuro|szurok|kereses|kijeloles)(?: \\S+)? torlese|fizetesi modok',
  },
  cs: {
    purchase:
      'koupit|kupte?|zaplatit|platit|objednat|objednavam|rezervovat|zarezervovat|predplatit|darovat|prispet|prihodit|pronajmout|(?:dokoncit|potvrdit|odeslat|zavazne|prejit k)(?: \\S+)? (?:objednavku|nakup|platbu|platbe|rezervaci|objednat|pokladne)|k pokladne|podepsat smlouvu|vyzkouset zdarma|s povinnosti platby|kupit|objednat s povinnostou platby',
    deletion:
      'smazat|odstranit|vymazat|zrusit(?: \\S+)? (?:ucet|predplatne|objednavku|rezervaci|clenstvi|smlouvu)|odhlasit (?:odber|se z odberu)|deaktivovat|presunout do kose|vysypat kos|vypovedet|zablokovat',
    message:
      'odeslat|poslat|zverejnit|publikovat|odpovedet|komentovat|pozvat|reagovat na nabidku|pridat (?:komentar|hodnoceni|recenzi)|nahlasit|podepsat petici|hlasovat',
    ordinary:
      '(?:smazat|zrusit|vymazat|odstranit)(?: \\S+){0,2} (?:filtry|filtr|hledani|vyber|z kosiku)|jak (?:koupit|zaplatit|objednat)',
  },
};

/** Chinese, Japanese and Korean, and scripts whose words take endings. */
const unspaced: RiskWords = {
  purchase:
    '(?:确认|確認|立即|马上|馬上|去|前往|同意并|同意並|并|並|继续|繼續|现在|現在|一键|一鍵|提交|完成|进行|進行|我要|直接|在线|線上|快速|点击|點擊|极速|免密|分期|余额|微信|支付宝)(?:支付|付款|购买|購買|下单|下單|结算|結算|结帐|結帳|结账|結賬|预订|預訂|预定|订购|訂購|订阅|訂閱|续费|續費|捐款|捐赠|转账|轉帳|充值|租|投标|打赏|预约|預約|抢购|交易|出价|购票|訂票|订票|买单)|(?:确认|確認|提交|送出)(?:并)?(?:订单|訂單|预订|預訂|转账|轉帳|购买|交易)|^(?:支付|付款|购买|購買|结算|結算|结账|結帳|下单|下單|充值|出价|捐款|捐赠|打赏|转账|提现|买单|续费|订阅|訂閱|订购|訂購|抢购|加价|竞拍|投资|借款|租用|立减购)(?:$| |;|[\\d¥￥])|(?:支付|付款)[¥￥$\\d]|[¥￥]\\d[^;]*(?:购买|订阅|开通|支付|付款)|开通(?:会员|vip|服务|订阅)|開通會員|成为会员|加入会员|免费试用|免費試用|(?:签署|签订|簽署|簽訂)(?:合同|协议|契约|合約)|签约|確認付費|同意(?:支付|购买|付款)|一口价|立即抢|发红包|购买(?:会员|套餐|此|该|本|商品|门票)|購入(?:する|を確定|手続|へ進|に進|$)|今すぐ(?:購入|買|予約|注文|申|契約|登録)|(?:注文|予約|支払い?|購入|決済|契約)(?:する|を?確定|を?完了|を?確認し|手続|へ進|に進|$)|(?:ご?注文|お?支払い?|購入|決済|お会計)(?:手続き?|画面|内容を確定)|支払う|買う|レジに進む|レジへ|定期購読|購読する|円で(?:登録|購入|申|契約|始)|無料(?:トライアル|体験|お試し|で試)|寄付する|入札|落札|振り込|振込(?:する|を実行)|送金(?:する|を|$)|契約(?:する|を結|に同意)|申し込む|申込(?:む|みを?確定|みを?完了|みを?する)|お?申し?込み?(?:する|を確定|を完了|へ進)|投資する|チャージする|(?:有料)?会員(?:になる|登録して支払)|サブスクを?開始|支払|구매(?:하기|하겠|확정| ?확정|합니다|$)|(?:바로|지금|즉시) ?(?:구매|결제|주문|예약|구독|구입)|결제(?:하기| ?진행|하고|합니다| ?완료| ?확인|하러|$)|주문(?:하기| ?완료| ?확정|합니다| ?확인|서 ?제출|$)|예약(?:하기| ?확정| ?완료|합니다| ?신청)|구독(?:하기| ?시작|합니다| ?신청)|무료 ?체험|(?:기부|후원|입찰|송금|이체|충전|계약|대여|구입|환전|출금|투자|가입하고 결제)(?:하기|합니다|하러| ?확인| ?실행| ?체결)|계약서? ?(?:서명|체결|동의)|원 ?결제|정기 ?결제|(?:اشتر|شراء|ادفع|دفع|اطلب|طلب الآن|احجز|حجز|تأكيد (?:الطلب|الدفع|الحجز|الشراء)|إتمام (?:الشراء|الطلب|الدفع)|اشترك|تبرع|تحويل الأموال|الدفع الآن)|(?:खरीदें|भुगतान करें|ऑर्डर करें|बुक करें|दान करें|सदस्यता लें)|(?:ซื้อ|ชำระเงิน|สั่งซื้อ|จองเลย|บริจาค)|(?:αγορα|πληρωμη|πληρωσ|παραγγελ|κρατησ|δωρεα|אישור תשלום|לתשלום|קנה|קנייה|רכישה|הזמן|תרום)|(?:有料)?プランに?(?:加入|変更|登録)|レンタルする|(?:見積り?|見積もり|オファー|提案)を?(?:承認|承諾|受け入れ)|契約を締結|電子?署名(?:する)?(?!.*請願)|トライアルを?(?:始|開始)|加入する|投げ銭|課金する|売却する|購入を|ローンを申|プレミアム(?:に|を)(?:登録|加入|開始)|(?:预订|預訂|预定|订)(?:房间|机票|酒店|门票|车票|座位|餐位|此房|该|這|这)|(?:续费|續費|购买|升级|升級)(?:会员|會員|套餐|vip|服务)|参与(?:竞拍|众筹|投标)|接受(?:报价|報價|合同|offer)|^(?:购票|訂房|订房|订票|投保|贷款|租房|租车|认购|申购|卖出|买入|赎回)$|立即(?:投保|开通|升级|租用|抢|认购|加入|签约|抢购|续订|入会|赞助|打赏)|签署|簽署|签字|签名并|구독 ?갱신|\\d(?:천|만)?원? ?(?:기부|후원|결제|충전)|입찰|(?:포인트|잔액|캐시) ?충전|돈 ?보내기|견적 ?수락|(?:계약서?|약관)에? ?서명|서명(?=$|하고)|대출 ?(?:신청|실행)|판매하기|(?:매수|매도)(?:하기|$)|(?:멤버십|유료) ?(?:가입|시작)|수락하고|업그레이드 ?(?:하기|결제)|가입하고 ?결제|해외송금',
  deletion:
    '削除|消去|退会|解約|(?:購読|契約|登録|会員|定期便?|友達)を?解除|配信停止|(?:注文|予約|購読|契約|サブスク(?:リプション)?|申し?込み?)(?:の|を)?(?:キャンセル|取り?消|取消|中止)|キャンセルを?(?:確定|実行|手続)|ゴミ箱|退出する|初期化する|ブロックする|アカウント(?:を)?(?:閉鎖|停止|無効)|删除|刪除|清空|移除(?!筛选)|注销(?!登录)|註銷|取消(?:订阅|訂閱|订单|訂單|预订|預訂|预约|預約|会员|會員|关注|服务|合同|续费|自动续费|报名|申请|行程)|退订|退訂|销户|关闭(?:账户|账号|帳戶|帐号)|解除(?:合同|合约|绑定|契约)|终止(?:合同|服务|合约)|移(?:到|至|入)(?:回收站|垃圾桶|垃圾箱|資源回收)|永久(?:移除|关闭)|拉黑|退群|退出群|停用(?:账|帳)|확인 ?삭제|삭제|탈퇴|해지|(?:구독|주문|예약|계약|결제|회원)[^;]{0,3} ?취소|휴지통|계정 ?(?:비활성화|폐쇄)|초기화(?<=(?:데이터|계정|기기|공장) ?초기화)|차단하기|(?:حذف|احذف|إلغاء (?:الاشتراك|الطلب|الحجز|الحساب)|إغلاق الحساب|مسح البيانات)|(?:हटाएं|मिटाएं|सदस्यता रद्द|ऑर्डर रद्द)|(?:ลบ|ยกเลิก(?:คำสั่งซื้อ|การสมัคร|การจอง))|(?:διαγραφ|ακυρωση (?:παραγγελ|συνδρομ|κρατησ)|מחק|מחיקה|בטל מנוי|ביטול הזמנה)|(?:購入|定期便?|契約|会員|サービス|利用)を?(?:停止|終了)|キャンセル(?:する|手続)(?<=(?:便|フライト|宿泊|プラン|契約).*)|取り消す|連携を?解除|アンインストール|破棄|取消[^;]{1,4}(?:预订|預訂|订单|会员|订阅|预约|套餐)|解约|撤销(?:授权|申请|订单)|撤回|解绑|退出(?:群|登陆群|组织|团队)|卸载|重置(?:账户|设备|所有)|销毁|踢出|屏蔽用户|(?:기록|데이터|내역) ?(?:지우기|삭제|초기화)|(?:사용자|회원|계정) ?차단|그룹 ?나가기|(?:기기|계정|카드|멤버) ?제거|수신 ?거부|(?:구독|계약|서비스|이용) ?(?:중단|중지|종료)|연결 ?해제|철회',
  message:
    '送信|応募|投稿(?:する|$|を確定|して)|(?:を|に)投稿|公開する|返信|コメントする|シェアする|転送する|拡散|依頼する|申請(?:する|を)|通報|投票する|署名する|問い合わせる|問い合わせを送|招待(?:する|を送)|リクエストを送|提出する|提出$|出品する|エントリーする|友達に追加|申告する|发送|發送|发布|發佈|發布|发表|發表|发帖|发微博|回复(?:$| |;)|回覆(?:$| |;)|转发|轉發|举报|檢舉|检举|投票$|立即投票|投诉|提交(?!订单|訂單|预订)|送出|投递|投遞|应聘|立即申请|立即申請|申请(?:职位|加入|贷款|退款|好友)|分享(?:到|至|给)|联系(?:卖家|商家|客服卖家)|聯絡賣家|邀请|邀請|加好友|添加好友|报名|報名|签名请愿|询价|索取报价|评论$(?<=(?:发|写|添加|提交)评论)|评价$(?<=(?:发|写|提交)评价)|보내기|전송|게시하기|게시$|답글 ?달기|댓글 ?(?:달기|등록|작성|쓰기)|(?:리뷰|후기|문의|글|게시글|답변|댓글) ?(?:등록|작성|올리기|남기기)|올리기|공유하기|지원하기|(?:지금|바로) ?지원|지원서? ?제출|제출|견적 ?(?:요청|받기)|요청하기|신청(?:하기|서 ?제출|합니다| ?완료)|신고하기|투표하기|서명하기|초대하기|문의하기(?<=판매자(?:에게)? ?문의하기)|추천하기|(?:إرسال|أرسل|نشر|انشر|تقديم الطلب|قدم الآن|تعليق|رد)(?:$| )|(?:भेजें|पोस्ट करें|आवेदन करें|जमा करें)|(?:ส่งข้อความ|ส่ง$|โพสต์|สมัครงาน)|(?:αποστολη|δημοσιευ|υποβολη|שלח|פרסם|הגש)|メールを送|を送る|^公開$|(?:友達|メンバー)を?招待|(?:違反|不適切)[^;]*報告|^転送$|質問(?:する|を投稿|を送)|参加(?:する|を?申)|出願|^提问$|^私信$|留言给|留言給|(?:写|發|发)(?:私信|邮件)|我要(?:投稿|报名|提问)|参加活动|提问$|글쓰기 ?(?:완료|등록)|답장(?=$|하기)|친구 ?초대|^투표$|^신고$|전달하기|질문 ?(?:등록|하기|올리기)|참여(?:하기|신청)|메일 ?(?:보내기|발송)|등록하기(?<=(?:글|공고|댓글|후기|의견) ?등록하기)',
  ordinary:
    '(?:支付|付款|结算|購買|购买|订购|订阅|捐款|预订|预订|充值|转账)(?:方式|记录|紀錄|记录|历史|歷史|指南|须知|須知|说明|說明|协议|帮助|条款|政策|攻略|流程|状态|管理|设置)|如何[^;]*|怎么[^;]*|怎麼[^;]*|已(?:购买|購買|支付|付款|下单|订购|删除|发送|发布)[^;]*|(?:我的|查看|全部|历史|待)[^;]{0,2}(?:订单|訂單|购买|支付|评论|評論|预订|订阅|付款)[^;]{0,2}|订单(?:查询|详情|状态|历史)|(?:删除|刪除|清空|清除|移除|清空)(?:所有|全部|已选|搜索|搜尋|当前)?(?:的)?(?:筛选|篩選|过滤|搜索|搜尋|条件|條件|历史搜索|关键词|输入|选择|文字)[^;]*|(?:评论|回复)(?:列表|区|数)|发布(?:时间|日期|会|于)[^;]*|发送验证码|获取验证码|(?:購入|注文|支払い?|お支払い?|予約|投稿|送信|削除|検索|閲覧|契約|応募|入札|寄付)(?:履歴|方法|ガイド|状況|一覧|日時?|日順|済み|済|条件|内容の確認|の流れ|について|資格|要項|手数料)|(?:絞り?込み|検索条件?|フィルター?|選択|履歴検索|入力|条件)(?:の|を)?(?:すべて)?(?:削除|解除|クリア|消去)|カートから削除|お気に入りから削除|返信(?:を)?(?:表示|見る|一覧|\\d+件?)|\\d+件の返信|(?:注文|予約|応募|投稿)を?(?:見る|確認(?:する)?$)|(?:필터|검색어?|선택|입력|정렬|조건) ?(?:전체 ?)?(?:삭제|초기화|해제|지우기)|(?:구매|결제|주문|예약|기부|구독|신청|배송|환불) ?(?:내역|수단|방법|가이드|안내|조회|정보|상태|목록|후기|관리|현황|이력|정책|문의)|장바구니에서 삭제|인증번호 ?(?:전송|발송)',
};

const bounds = { before: '(?<![\\p{L}\\p{N}])', after: '(?![\\p{L}\\p{N}])' };

/** For each kind one expression over all languages. */
function expression(kind: keyof RiskWords): RegExp {
  const words = Object.values(spaced).map((language) => language[kind]);
  return new RegExp(
    `${bounds.before}(?:${words.join('|')})${bounds.after}|${unspaced[kind]}`,
    'gu',
  );
}

/** Deletion comes first: its names have nouns of the others ("cancel my order"). */
const risks: readonly (readonly [ActRisk, RegExp])[] = [
  ['deletion', expression('deletion')],
  ['purchase', expression('purchase')],
  ['message', expression('message')],
];

const ordinary = expression('ordinary');

/** The risk named by a plain label; `;` replaces ordinary phrases. */
export function riskInWords(label: string): ActRisk | undefined {
  const rest = label
    .replace(ordinary, ' ; ')
    .replace(/\s+/g, ' ')
    .replace(/^ ?(?:; )+/, '')
    .trim();
  return risks.find(([, pattern]) => rest.search(pattern) >= 0)?.[0];
}

/** True if a text has an amount with its currency. */
export function hasPrice(text: string): boolean {
  return priced.test(text);
}

const priced = new RegExp(price, 'iu');
