/** By what a consent dialog is known: the boxes of consent managers, and words in about 25 languages. */

/** What a function in the page is given; words as the sources of regular expressions. */
export interface ConsentSigns {
  /** The ids and classes of consent managers' boxes: nothing else has these names. */
  readonly managerIds: readonly string[];
  readonly managerClasses: readonly string[];
  readonly cookies: string;
  readonly privacy: string;
  readonly consent: string;
  readonly use: string;
  readonly reject: string;
  readonly accept: string;
  readonly acknowledge: string;
  readonly settings: string;
  readonly payment: string;
}

/** Names that a manager gives to its boxes. */
const managerIds = [
  'axeptio_overlay',
  'BorlabsCookieBox',
  'BorlabsCookieBoxWrap',
  'ccc-overlay',
  'cmpbox',
  'cmpbox2',
  'cmplz-cookiebanner-container',
  'cmpwrapper',
  'cookie-law-info-bar',
  'cookiefirst-root',
  'cookiescript_injected',
  'CybotCookiebotDialog',
  'CybotCookiebotDialogBodyUnderlay',
  'didomi-host',
  'didomi-notice',
  'didomi-popup',
  'ez-cookie-dialog-wrapper',
  'hs-eu-cookie-confirmation',
  'iubenda-cs-banner',
  'ketch-banner',
  'moove_gdpr_cookie_info_bar',
  'onetrust-banner-sdk',
  'onetrust-consent-sdk',
  'onetrust-pc-sdk',
  'qc-cmp2-container',
  'shopify-pc__banner',
  'tarteaucitronRoot',
  'termly-code-snippet-support',
  'transcend-consent-manager',
  'trustarc-banner-overlay',
  'truste-consent-track',
  'usercentrics-cmp-ui',
  'usercentrics-root',
];

const managerClasses = [
  'brlbs-cmpnt-dialog',
  'cc-window',
  'cky-consent-container',
  'cky-overlay',
  'cmplz-cookiebanner',
  'evidon-banner',
  'fc-consent-root',
  'osano-cm-window',
  'truste_box_overlay',
  'truste_overlay',
];

/** The texts of a button are short, so that parts of words do. */
export const consentSigns: ConsentSigns = {
  managerIds,
  managerClasses,
  cookies:
    'cookie|gdpr|dsgvo|rgpd|lgpd|ccpa|ciastecz|kolačić|piškot|slapuk|sīkdat|küpsis|eväste|куки|бисквит|קוקי|עוגיות|כעוגיות|كوكي|ملفات تعريف|کوکی|クッキー|쿠키|饼干|คุกกี้',
  privacy:
    'privac|datenschutz|privatsphäre|confidentialit|vie privée|données personnelles|privacidad|protección de datos|proteção de dados|riservatezza|dati personali|prywatnoś|danych osobowych|soukromí|osobních údajů|adatvéd|integritet|personvern|privatliv|tietosuoj|yksityisyy|confidențial|приватн|конфиденц|персональн|gizlilik|kişisel ver|απορρήτ|プライバシー|個人情報|개인정보|隐私|隱私|פרטיות|خصوصية|ความเป็นส่วนตัว',
  consent:
    'consent|einwillig|zustimm|consentimiento|consentimento|consenso|zgod|souhlas|súhlas|hozzájárul|samtyck|samtykke|suostumu|acord|соглас|згод|съглас|rıza|onay|συγκατάθεσ|toestemming|同意|동의|הסכמ|موافق|ยินยอม|vendors|third part',
  use: 'use|using|site|experience|browser|verwend|nutz|einsetz|utilis|usamos|utiliz|usiamo|gebruik|bruger|bruker|använd|käyt|používá|używa|wykorzyst|használ|folosi|использ|използв|використ|kullan|χρησιμοποι|使用|利用|사용|משתמש|שימוש|نستخدم|ใช้',
  reject:
    "reject|refus|refuz|declin|deny|disagree|necessary|essential|required only|only required|without accepting|do not|don't|opt.?out|no,? thanks|ablehn|verweiger|notwendig|erforderlich|essenziell|ohne (?:einwilligung|zustimm)|rejeter|sans accepter|nécessaires|rechaz|deneg|necesari|rifiut|necessari|senza accettare|recus|rejeitar|weiger|afwij|noodzakelijk|odrzu|odmaw|niezbędn|odmít|nezbytn|odmiet|nevyhnut|elutasít|szükséges|avvis|afvis|nødvendig|avvisa|avböj|neka|nödvändig|hylkää|välttämät|kiellä|respinge|отклон|отказ|отхвърл|необходим|відхил|відмов|reddet|zorunlu|gerekli|απόρριψη|απορρίπτω|απαραίτητ|odbij|zavrni|拒否|必須|拒绝|拒絕|仅必要|거부|필수|דחה|דחייה|הכרחי|رفض|الضرورية|ปฏิเสธ",
  accept:
    'accept|agree|allow|consent|akzept|zustimm|einverstanden|erlaub|autoriser|acept|aceit|permit|accett|consenti|akkoord|toestaan|zgadzam|akceptuj|přijmout|prijať|souhlas|elfogad|godta|godkend|tillad|godkänn|tillåt|hyväksy|salli|принять|принима|соглас|приема|прийняти|kabul|αποδοχή|αποδέχομαι|prihvat|sprejm|同意|許可|允许|接受|동의|수락|허용|אישור|אשר|קבל|قبول|موافق|ยอมรับ',
  acknowledge:
    "^(?:ok|okay|ok,? .{1,20}|got it|i (?:understand|see)|understood|close|dismiss|×|x|✕|✖|⨯|continue|all ?right|fine|hide|verstanden|alles klar|schließen|weiter|compris|j'ai compris|fermer|continuer|entendido|cerrar|ho capito|capito|chiudi|entendi|fechar|begrepen|sluiten|rozumiem|zamknij|rozumím|zavřít|értem|bezárás|forstått|lukk|forstået|luk|jag förstår|stäng|selvä|sulje|am înțeles|închide|понятно|закрыть|хорошо|разбрах|зрозуміло|anladım|tamam|kapat|κατάλαβα|κλείσιμο|閉じる|了解|关闭|知道了|我知道了|닫기|확인|הבנתי|סגור|حسنا|حسنًا|إغلاق|ตกลง)[\\s!.]*$",
  settings:
    'setting|preferen|manage|custom|option|choose|einstell|anpass|auswahl|paramètr|personnalis|gérer|préféren|configur|personali|gestisci|gestion|impostaz|definiç|instelling|aanpassen|voorkeur|ustawie|dostosuj|nastav|uprav|beállít|innstilling|indstilling|tilpas|inställning|anpassa|asetu|setări|настро|налашт|ayarlar|özelleştir|ρυθμίσεις|設定|设置|設置|설정|הגדרות|إعدادات|ตั้งค่า',
  payment:
    'subscri|abonn|abo\\b|suscri|assin|purchase|\\bpay|zahl|\\bpur\\b|premium|[€$£]|購読|订阅|구독|подпис',
};
