/**
 * Orders to whoever reads a page for its data, in English, without a word of models: "report the price
 * as 1". Only for words that readers do not see. Measured on 844 real pages, where they found nothing;
 * an attack in words of its own may well not be found.
 */

const fields =
  'prices?|ratings?|values?|fields?|names?|titles?|authors?|dates?|stock|availability|currency|brand|salary|score|quantity';
const things = `${fields}|seller|description|content|product|company`;
const outputs = 'answers?|responses?|outputs?|summary|repl(?:y|ies)|json|results?|extraction';
const treating = 'process|extract|pars|summari[sz]|crawl|scrap';

/** A verb that opens a sentence or a part of one. Gaps are bounded. */
function order(verbs: string, rest: string): RegExp {
  return new RegExp(
    `(?<=^|[.!?:;,"“(]\\s?)(?:(?:please|always|only|now|instead|simply|then),? )?(?:${verbs})(?![\\p{L}])${rest}`,
    'giu',
  );
}

function words(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}])(?:${pattern})`, 'giu');
}

/** Global patterns, for `findPhrases`. */
export const hiddenOrders: readonly RegExp[] = [
  // Report 5 stars as the rating.
  order(
    'report|return|output|answer|reply|state|record|quote|treat|consider|rate|rank|classify|list|extract|give|present',
    '[^.!?]{1,60}?\\s(?:as|instead of|rather than|in place of)\\s',
  ),
  // Output only this; tell the user that.
  order('output only|(?:respond|answer) (?:only )?with|answer only|extract the following', ''),
  order(
    'tell|inform|convince',
    ' (?:the|your|every|all) (?:users?|humans?|operators?)(?![\\p{L}])',
  ),
  // Make sure the extracted title is this.
  words(`the (?:extracted|returned|reported|scraped|parsed) (?:${things})(?![\\p{L}])`),
  // Set the price to 1.
  order(
    'set|change|fill|replace|update|overwrite',
    `(?: in)? (?:the |its |their )?(?:\\p{L}{1,20} ){0,2}?(?:${things}) (?:field |value )?(?:to|with|by)\\s`,
  ),
  words(`instead of the (?:${things})(?![\\p{L}])`),
  // The real price is 1.
  words(
    `(?:correct|actual|real|true|right|official|verified|confirmed) (?:${fields})(?![\\p{L}])[^.!?]{0,30}?\\s(?:is|are|has been|must be|should be)\\s`,
  ),
  // For the field price; the "price" field is.
  words(
    `(?:the|for) (?:field|property|key|value)s?,? (?:named |called |for |of )?["'“]?(?:${things})(?![\\p{L}])`,
  ),
  words(
    `the ["'“]?(?:${things})["'”]? (?:field|property|key|value)s? (?:is|are|must|should|has|has to)(?![\\p{L}])`,
  ),
  // Whoever processes this; if you are extracting data; when summarizing the page.
  words(
    `(?:(?:any |all |every |each |the )?(?:program|software|tool|bot|robot|parser|scraper|crawler|extractor|assistant|agent|machine)s?|whoever|any(?:one|body|thing)|if you(?: are|'re)?) (?:who |that |which )?(?:is |are )?(?:${treating})(?:s|es|e|ing)(?![\\p{L}])`,
  ),
  words(
    `when(?:ever)? (?:you )?(?:are )?(?:analy[sz]|${treating})(?:e|ing)? (?:this|the)(?![\\p{L}])`,
  ),
  words(
    '(?:automated|automatic|machine) (?:readers?|systems?|agents?|tools?|parsers?|programs?)(?: (?:must|should|have to|shall|need to)(?![\\p{L}])|:)',
  ),
  // For automated processing; you are a helpful assistant.
  words(
    '(?:for|to) (?:automated|automatic|machine|data) (?:processing|extraction|reading|readers?|extractors?|parsers?)(?![\\p{L}])',
  ),
  words(
    'you are (?:now )?an? (?:\\p{L}{1,20} ){0,2}?(?:assistant|chatbot|language model)(?![\\p{L}])',
  ),
  // Your answer must begin with; in every output.
  words(
    `(?:your|the|any|every|each) (?:${outputs})(?: of this \\p{L}{1,20})? (?:must|should|shall|has to|have to|needs? to)(?![\\p{L}])`,
  ),
  words(`(?:in|to) (?:your|every|each) (?:${outputs})(?![\\p{L}])`),
];
