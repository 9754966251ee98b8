/** Sentences that speak to a language model and not to a reader, in the common languages. */
import { findPhrases } from './find-phrases.ts';
import { hiddenOrders } from './hidden-orders.ts';

/**
 * The beginnings of texts that look like instructions to a model, each on one line, at most `limit`.
 * An attack may be worded in a way that is not known here: finding none proves nothing. The time grows
 * with the length of the text.
 */
export function findModelInstructions(text: string, limit: number): string[] {
  return findPhrases(text, patterns, limit);
}

/**
 * The same in words that a page hides from its readers. There it is suspicious, too, that somebody is
 * told what to give for a field; where it is seen, a manual says the same.
 */
export function findHiddenInstructions(text: string, limit: number): string[] {
  return findPhrases(text, [...patterns, ...hiddenOrders], limit);
}

/** "Forget the rules above": a verb, a few words, what is to be forgotten. Gaps are bounded. */
function phrase(verbs: string, objects: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${verbs})[^.!?。！？]{0,60}?(?:${objects})`, 'giu');
}

const models =
  '(?:a\\.?i\\.?|llm|language model|chat-?gpt|gpt|claude|gemini|copilot|chatbot|ai (?:assistant|agent|crawler|model))s?';

const patterns: readonly RegExp[] = [
  phrase(
    'ignore|disregard|forget|override|bypass|do not follow|stop following',
    '(?:instructions?|prompts?|rules|directions|guidelines|commands)(?![\\p{L}])',
  ),
  phrase(
    'ignorier\\p{L}*|vergiss|vergessen sie|missachte\\p{L}*',
    'anweisung|vorgabe|instruktion|regeln|befehl',
  ),
  phrase(
    'ignore[zr]?|oublie[zr]?|ne ti(?:ens|ent|enez) pas compte',
    'instructions|consignes|directives',
  ),
  phrase(
    'ignor[ae]n?|olvid[ae]n?|descarta|haz caso omiso',
    'instrucci|indicaciones|[óo]rdenes|reglas',
  ),
  phrase('ignor[ae]r?|esque[çc]a|desconsidere', 'instru[çc]|regras|orienta[çc]'),
  phrase('ignora(?:re|te)?|dimentica(?:re|te)?', 'istruzion|comandi|regole'),
  phrase('negeer|vergeet', 'instructies|aanwijzingen|opdrachten|regels'),
  phrase('z?ignoruj|zapomnij|pomi[ńn]', 'instrukcj|polece[nń]|zasad'),
  phrase(
    '(?:про)?игнорируй\\p{L}*|забудь\\p{L}*|не обращай\\p{L}*',
    'инструкци|указани|команд|правил',
  ),
  phrase('önceki|yukarıdaki|tüm', '(?:talimat|komut|kural)\\p{L}* (?:yok say|unut|görmezden)'),
  phrase('تجاهل|انس', 'التعليمات|تعليمات|الأوامر'),
  /(?:忽略|无视|忽視|無視|忘记|忘記)[^。！？]{0,30}?(?:指令|指示|说明|說明|提示|规则|規則|命令)/gu,
  /(?:指示|命令|ルール|プロンプト)[^。！？]{0,12}?(?:無視|忘れ)/gu,
  /(?:지시|명령|규칙|프롬프트)[^.!?]{0,15}?(?:무시|잊)/gu,
  phrase(
    `(?:note|message|instructions?|attention|notice) (?:to|for) (?:any |all |the |an? )?${models}|if you are (?:an? )?${models}|(?:hey|dear|attention,?) ${models}`,
    '[\\p{L}]',
  ),
  phrase(
    `(?:as an? )?${models}(?![\\p{L}])`,
    '(?:must|should|have to|need to|are (?:required|instructed|ordered) to) (?:only |always |now )?(?:answer|return|output|respond|reply|say|report|state|write|ignore|include|set|extract)',
  ),
  phrase(
    '(?:reveal|print|repeat|show|output|leak)',
    '(?:your|the) (?:system|hidden|initial) (?:prompt|instructions|message)',
  ),
  /\b(?:new|updated|real|actual|additional) (?:system )?(?:instructions?|prompt)\s*:/giu,
  /<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>|(?<![\p{L}])system\s?(?:prompt|message|override)\s*:/giu,
  phrase(
    "(?:do not|don't|never)",
    '(?:tell|inform|warn|mention (?:this|it) to) (?:the |your )?(?:user|human|operator)',
  ),
];
