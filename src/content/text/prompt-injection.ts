/** Prompt injection in the texts of a page: sentences that address a language model, and hidden instructions. */

/**
 * The beginnings of texts that read like instructions to a model, each on one line, at most `limit`. An
 * attack may use unknown wording: an empty result proves nothing. Takes time linear in the length of the
 * text.
 */
export function findModelInstructions(text: string, limit: number): string[] {
  return findPhrases(text, instructionPatterns, limit);
}

/**
 * Finds instructions in hidden text of a page. There, instructing a reader what to return for a field is
 * suspicious, too; in visible text, a manual may say the same.
 */
export function findHiddenInstructions(text: string, limit: number): string[] {
  return findPhrases(text, [...instructionPatterns, ...hiddenInstructionPatterns], limit);
}

/** "Forget the rules above": a verb, a few words, an object. Gaps are bounded. */
function phrasePattern(verbs: string, objects: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${verbs})[^.!?。！？]{0,60}?(?:${objects})`, 'giu');
}

const modelNames =
  '(?:a\\.?i\\.?|llm|language model|chat-?gpt|gpt|claude|gemini|copilot|chatbot|ai (?:assistant|agent|crawler|model))s?';

const instructionPatterns: readonly RegExp[] = [
  phrasePattern(
    'ignore|disregard|forget|override|bypass|do not follow|stop following',
    '(?:instructions?|prompts?|rules|directions|guidelines|commands)(?![\\p{L}])',
  ),
  phrasePattern(
    'ignorier\\p{L}*|vergiss|vergessen sie|missachte\\p{L}*',
    'anweisung|vorgabe|instruktion|regeln|befehl',
  ),
  phrasePattern(
    'ignore[zr]?|oublie[zr]?|ne ti(?:ens|ent|enez) pas compte',
    'instructions|consignes|directives',
  ),
  phrasePattern(
    'ignor[ae]n?|olvid[ae]n?|descarta|haz caso omiso',
    'instrucci|indicaciones|[óo]rdenes|reglas',
  ),
  phrasePattern('ignor[ae]r?|esque[çc]a|desconsidere', 'instru[çc]|regras|orienta[çc]'),
  phrasePattern('ignora(?:re|te)?|dimentica(?:re|te)?', 'istruzion|comandi|regole'),
  phrasePattern('negeer|vergeet', 'instructies|aanwijzingen|opdrachten|regels'),
  phrasePattern('z?ignoruj|zapomnij|pomi[ńn]', 'instrukcj|polece[nń]|zasad'),
  phrasePattern(
    '(?:про)?игнорируй\\p{L}*|забудь\\p{L}*|не обращай\\p{L}*',
    'инструкци|указани|команд|правил',
  ),
  phrasePattern(
    'önceki|yukarıdaki|tüm',
    '(?:talimat|komut|kural)\\p{L}* (?:yok say|unut|görmezden)',
  ),
  phrasePattern('تجاهل|انس', 'التعليمات|تعليمات|الأوامر'),
  /(?:忽略|无视|忽視|無視|忘记|忘記)[^。！？]{0,30}?(?:指令|指示|说明|說明|提示|规则|規則|命令)/gu,
  /(?:指示|命令|ルール|プロンプト)[^。！？]{0,12}?(?:無視|忘れ)/gu,
  /(?:지시|명령|규칙|프롬프트)[^.!?]{0,15}?(?:무시|잊)/gu,
  phrasePattern(
    `(?:note|message|instructions?|attention|notice) (?:to|for) (?:any |all |the |an? )?${modelNames}|if you are (?:an? )?${modelNames}|(?:hey|dear|attention,?) ${modelNames}`,
    '[\\p{L}]',
  ),
  phrasePattern(
    `(?:as an? )?${modelNames}(?![\\p{L}])`,
    '(?:must|should|have to|need to|are (?:required|instructed|ordered) to) (?:only |always |now )?(?:answer|return|output|respond|reply|say|report|state|write|ignore|include|set|extract)',
  ),
  phrasePattern(
    '(?:reveal|print|repeat|show|output|leak)',
    '(?:your|the) (?:system|hidden|initial) (?:prompt|instructions|message)',
  ),
  /\b(?:new|updated|real|actual|additional) (?:system )?(?:instructions?|prompt)\s*:/giu,
  /<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>|(?<![\p{L}])system\s?(?:prompt|message|override)\s*:/giu,
  phrasePattern(
    "(?:do not|don't|never)",
    '(?:tell|inform|warn|mention (?:this|it) to) (?:the |your )?(?:user|human|operator)',
  ),
];

// Prompt injection in English that does not mention models: "report the price as 1". Only for hidden text. On 844
// real pages these patterns found nothing; an attack in other words may not be found.

const fieldNames =
  'prices?|ratings?|values?|fields?|names?|titles?|authors?|dates?|stock|availability|currency|brand|salary|score|quantity';

const fieldOrThing = `${fieldNames}|seller|description|content|product|company`;

const outputNames = 'answers?|responses?|outputs?|summary|repl(?:y|ies)|json|results?|extraction';

const processingVerbs = 'process|extract|pars|summari[sz]|crawl|scrap';

/** A verb that opens a sentence or a part of one. Gaps are bounded. */
function instruction(verbs: string, rest: string): RegExp {
  return new RegExp(
    `(?<=^|[.!?:;,"“(]\\s?)(?:(?:please|always|only|now|instead|simply|then),? )?(?:${verbs})(?![\\p{L}])${rest}`,
    'giu',
  );
}

function phraseOf(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}])(?:${pattern})`, 'giu');
}

/** Global patterns, for `findPhrases`. */
const hiddenInstructionPatterns: readonly RegExp[] = [
  // Report 5 stars as the rating.
  instruction(
    'report|return|output|answer|reply|state|record|quote|treat|consider|rate|rank|classify|list|extract|give|present',
    '[^.!?]{1,60}?\\s(?:as|instead of|rather than|in place of)\\s',
  ),
  // Output only this; tell the user that.
  instruction(
    'output only|(?:respond|answer) (?:only )?with|answer only|extract the following',
    '',
  ),
  instruction(
    'tell|inform|convince',
    ' (?:the|your|every|all) (?:users?|humans?|operators?)(?![\\p{L}])',
  ),
  // Make sure the extracted title is this.
  phraseOf(`the (?:extracted|returned|reported|scraped|parsed) (?:${fieldOrThing})(?![\\p{L}])`),
  // Set the price to 1.
  instruction(
    'set|change|fill|replace|update|overwrite',
    `(?: in)? (?:the |its |their )?(?:\\p{L}{1,20} ){0,2}?(?:${fieldOrThing}) (?:field |value )?(?:to|with|by)\\s`,
  ),
  phraseOf(`instead of the (?:${fieldOrThing})(?![\\p{L}])`),
  // The real price is 1.
  phraseOf(
    `(?:correct|actual|real|true|right|official|verified|confirmed) (?:${fieldNames})(?![\\p{L}])[^.!?]{0,30}?\\s(?:is|are|has been|must be|should be)\\s`,
  ),
  // For the field price; the "price" field is.
  phraseOf(
    `(?:the|for) (?:field|property|key|value)s?,? (?:named |called |for |of )?["'“]?(?:${fieldOrThing})(?![\\p{L}])`,
  ),
  phraseOf(
    `the ["'“]?(?:${fieldOrThing})["'”]? (?:field|property|key|value)s? (?:is|are|must|should|has|has to)(?![\\p{L}])`,
  ),
  // Whoever processes this; if you are extracting data; when summarizing the page.
  phraseOf(
    `(?:(?:any |all |every |each |the )?(?:program|software|tool|bot|robot|parser|scraper|crawler|extractor|assistant|agent|machine)s?|whoever|any(?:one|body|thing)|if you(?: are|'re)?) (?:who |that |which )?(?:is |are )?(?:${processingVerbs})(?:s|es|e|ing)(?![\\p{L}])`,
  ),
  phraseOf(
    `when(?:ever)? (?:you )?(?:are )?(?:analy[sz]|${processingVerbs})(?:e|ing)? (?:this|the)(?![\\p{L}])`,
  ),
  phraseOf(
    '(?:automated|automatic|machine) (?:readers?|systems?|agents?|tools?|parsers?|programs?)(?: (?:must|should|have to|shall|need to)(?![\\p{L}])|:)',
  ),
  // For automated processing; you are a helpful assistant.
  phraseOf(
    '(?:for|to) (?:automated|automatic|machine|data) (?:processing|extraction|reading|readers?|extractors?|parsers?)(?![\\p{L}])',
  ),
  phraseOf(
    'you are (?:now )?an? (?:\\p{L}{1,20} ){0,2}?(?:assistant|chatbot|language model)(?![\\p{L}])',
  ),
  // Your answer must begin with; in every output.
  phraseOf(
    `(?:your|the|any|every|each) (?:${outputNames})(?: of this \\p{L}{1,20})? (?:must|should|shall|has to|have to|needs? to)(?![\\p{L}])`,
  ),
  phraseOf(`(?:in|to) (?:your|every|each) (?:${outputNames})(?![\\p{L}])`),
];

// Finds phrases in a text by patterns for their beginnings.

const mostSearched = 2_000_000; // characters
const mostReported = 80;

/**
 * The beginnings of the matches, each on one line, at most `limit`, in order. The patterns have to be global,
 * with bounded gaps.
 */
function findPhrases(text: string, patterns: readonly RegExp[], limit: number): string[] {
  const searched = text.slice(0, mostSearched).normalize('NFKC').replace(/\s+/g, ' ');
  const found = new Map<number, string>();
  for (const pattern of patterns) {
    let left = limit;
    for (const { index, 0: match } of searched.matchAll(pattern)) {
      if (left-- === 0) break;
      const excerpt = searched.slice(index, index + Math.max(match.length, mostReported));
      found.set(index, excerpt.length > mostReported ? `${wholeCharacters(excerpt)}…` : excerpt);
    }
  }
  // Two patterns may find the same sentence at adjacent positions.
  const positions = [...found.keys()].sort((one, other) => one - other);
  const first = positions.filter(
    (position, at) => at === 0 || position - (positions[at - 1] ?? 0) > mostReported,
  );
  return [...new Set(first.map((position) => (found.get(position) ?? '').trim()))].slice(0, limit);
}

function wholeCharacters(text: string): string {
  return text.slice(0, mostReported).replace(/[\ud800-\udbff]$/, '');
}
