/** Words of consent dialogs in about 40 languages, as sources of case-insensitive regular expressions. */

/**
 * Patterns for the text of a dialog or the label of a button. Short ones also match parts of words.
 */
export const consentWords = {
  cookies:
    'cookie|gdpr|dsgvo|rgpd|lgpd|ccpa|ciastecz|kolačić|piškot|slapuk|sīkdat|küpsis|eväste|куки|бисквит|קוקי|עוגיות|כעוגיות|كوكي|ملفات تعريف|کوکی|クッキー|쿠키|饼干|คุกกี้|çerez|informasjonskaps|\\bkakor|vafrak|süti|galetes|témoins de connexion|\\bkuki|колачи|कुकी|কুকি|குக்கீ|ქუქი|քուքի|cwcis|fianá',
  privacy:
    'privac|datenschutz|privatsphäre|confidentialit|vie privée|données personnelles|privacidad|protección de datos|proteção de dados|riservatezza|dati personali|prywatnoś|danych osobowych|soukromí|osobních údajů|adatvéd|integritet|personvern|privatliv|tietosuoj|yksityisyy|confidențial|приватн|конфиденц|персональн|gizlilik|kişisel ver|απορρήτ|プライバシー|個人情報|개인정보|隐私|隱私|פרטיות|خصوصية|ความเป็นส่วนตัว',
  consent:
    'consent|einwillig|zustimm|consentimiento|consentimento|consenso|zgod|souhlas|súhlas|hozzájárul|samtyck|samtykke|suostumu|acord|соглас|згод|съглас|rıza|onay|συγκατάθεσ|toestemming|同意|동의|הסכמ|موافق|ยินยอม|vendors|third part|sutikim|nõusole|pristanak|samþykk|đồng ý|persetujuan|सहमति|رضایت|თანხმ|համաձայն|cydsyn|toiliú',
  use: 'use|using|site|experience|browser|verwend|nutz|einsetz|utilis|usamos|utiliz|usiamo|gebruik|bruger|bruker|använd|käyt|používá|używa|wykorzyst|használ|folosi|использ|използв|використ|kullan|χρησιμοποι|使用|利用|사용|משתמש|שימוש|نستخدم|ใช้|sử dụng|gunakan|उपयोग|استفاده|იყენებ|օգտագործ|notum|notkun|defnydd|úsáid|naudoj|izmanto|kasuta|uporablja|koristi|користи|fem servir',
  reject:
    "reject|refus|refuz|declin|deny|disagree|necessary|essential|required only|only required|without accepting|do not|don't|opt.?out|no,? thanks|ablehn|verweiger|notwendig|erforderlich|essenziell|ohne (?:einwilligung|zustimm)|rejeter|sans accepter|nécessaires|rechaz|deneg|necesari|rifiut|necessari|senza accettare|recus|rejeitar|weiger|afwij|noodzakelijk|odrzu|odmaw|niezbędn|odmít|nezbytn|odmiet|nevyhnut|elutasít|szükséges|avvis|afvis|nødvendig|avvisa|avböj|neka|nödvändig|hylkää|välttämät|kiellä|respinge|отклон|отказ|отхвърл|необходим|відхил|відмов|reddet|zorunlu|gerekli|απόρριψη|απορρίπτω|απαραίτητ|odbij|zavrni|拒否|必須|拒绝|拒絕|仅必要|거부|필수|דחה|דחייה|הכרחי|رفض|الضرورية|ปฏิเสธ|keeldu|atmest|atsisak|noraid|hafna|từ chối|tolak|अस्वीकार|نمی.?پذیر|უარყოფ|մերժ|gwrthod|diúlta|одби",
  accept:
    'accept|agree|allow|consent|akzept|zustimm|einverstanden|erlaub|autoriser|acept|aceit|permit|accett|consenti|akkoord|toestaan|zgadzam|akceptuj|přijmout|prijať|souhlas|elfogad|godta|godkend|tillad|godkänn|tillåt|hyväksy|salli|принять|принима|соглас|приема|прийняти|kabul|αποδοχή|αποδέχομαι|prihva|sprejm|同意|許可|允许|接受|동의|수락|허용|אישור|אשר|קבל|قبول|موافق|ยอมรับ|nõustu|sutink|priim|piekrī|pieņem|strinjam|прифа|прихва|слажем|samþykk|chấp nhận|đồng ý|terima|setuju|स्वीकार|सहमत|می.?پذیر|ვეთანხმ|მიღება|ընդունել|համաձայն|derbyn|glac',
  acknowledge:
    "^(?:ok|okay|ok,? .{1,20}|got it|i (?:understand|see)|understood|close|dismiss|×|x|✕|✖|⨯|continue|all ?right|fine|hide|verstanden|alles klar|schließen|weiter|compris|j'ai compris|fermer|continuer|entendido|cerrar|ho capito|capito|chiudi|entendi|fechar|begrepen|sluiten|rozumiem|zamknij|rozumím|zavřít|értem|bezárás|forstått|lukk|forstået|luk|jag förstår|stäng|selvä|sulje|am înțeles|închide|понятно|закрыть|хорошо|разбрах|зрозуміло|anladım|tamam|kapat|κατάλαβα|κλείσιμο|閉じる|了解|关闭|知道了|我知道了|닫기|확인|הבנתי|סגור|حسنا|حسنًا|إغلاق|ตกลง)[\\s!.]*$",
  settings:
    'setting|preferen|manage|custom|option|choose|einstell|anpass|auswahl|paramètr|personnalis|gérer|préféren|configur|personali|gestisci|gestion|impostaz|definiç|instelling|aanpassen|voorkeur|ustawie|dostosuj|nastav|uprav|beállít|innstilling|indstilling|tilpas|inställning|anpassa|asetu|setări|настро|налашт|ayarlar|özelleştir|ρυθμίσεις|設定|设置|設置|설정|הגדרות|إعدادات|ตั้งค่า',
  payment:
    'subscri|abonn|abo\\b|suscri|assin|purchase|\\bpay|zahl|\\bpur\\b|premium|[€$£]|購読|订阅|구독|подпис',
} as const;
