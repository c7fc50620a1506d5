// The closed word lists by which people and places are told apart: what stands before, inside and after names in English.
// No names themselves: those are the tagger's business.

/** Before a name, capitalised or not; they are no part of it. */
export const HONORIFIC =
  /^(?:mr|mrs|ms|miss|mister|missus|madam|sir|dame|lord|lady|dr|doctor|prof|professor|judge|justice|captain|colonel|general|sergeant|lieutenant|major|king|queen|prince|princess|pope|president|chancellor|senator|governor|minister|mayor|councillor|councilor|councilman|councilwoman|congressman|congresswoman|inspector|detective|officer|nurse|coach|reverend|father|sister|brother|aunt|auntie|uncle|saint|st|grandma|grandpa)$/

export const SPEECH =
  /^(?:says?|said|tells?|told|asks?|asked|explain(?:s|ed)|adds?|added|think(?:s)?|thought|argue[sd]?|writes?|wrote|wants?|wanted|believes?|believed|promise[sd]|suggest(?:s|ed)|claim(?:s|ed)|admit(?:s|ted)|recall(?:s|ed)|remember(?:s|ed)|laugh(?:s|ed)|smile[sd]|repl(?:ies|ied)|answer(?:s|ed)|propose[sd]?|note[sd]|call(?:s|ed)|know[s]?|knew|hope[sd]?|refuse[sd]?|decide[sd]?|studie[sd]|founded|invented|discovered|married|died|proposes|warn(?:s|ed)|insist(?:s|ed)|describe[sd]?|interview(?:s|ed))$/
export const PLACE_PREPOSITION: ReadonlyMap<string, number> = new Map([
  ...['in', 'near', 'outside', 'across', 'throughout', 'towards', 'beyond'].map((word): [string, number] => [
    word,
    2,
  ]),
  ...['from', 'at', 'into', 'around', 'through', 'between', 'over', 'up', 'inside', 'off', 'above'].map(
    (word): [string, number] => [word, 1],
  ),
  ...['to', 'on', 'via', 'down', 'behind', 'for'].map((word): [string, number] => [word, 0.6]),
])
export const MOTION =
  /^(?:g(?:o|oes|oing|one)|went|drive[sn]?|drove|driving|fl(?:y|ies|ew|own|ying)|travel(?:l?ed|l?ing|s)?|mov(?:e[sd]?|ing)|sail(?:s|ed|ing)?|walk(?:s|ed|ing)?|r[io]de(?:s)?|riding|cycl(?:e[sd]?|ing)|head(?:s|ed|ing)?|return(?:s|ed|ing)?|c[oa]me(?:s)?|coming|went|trip|road|train|flight|way|journey|tour|emigrated|over|up|down|back|along)$/
export const PLACE_HEAD =
  /^(?:river|lake|mount|mt|cape|street|road|avenue|lane|boulevard|square|bay|island|islands|isle|bridge|valley|pass|park|woods|forest|falls|rock|coast|beach|hill|hills|mountain|mountains|peak|desert|sea|ocean|gulf|harbour|harbor|port|castle|village|town|city|county|province|airport|station|cathedral|abbey|museum|hall|house|canyon|glacier|peninsula|point|head|springs|creek|canal|plaza|district|quarter|gardens|reef)$/
export const PLACE_NOUN =
  /^(?:town|city|village|coast|island|county|state|province|region|port|valley|district|suburb|capital|republic|kingdom|university|north|south|east|west|shores?|outskirts|streets|mayor|people|part|middle|centre|center|middle)$/
export const KIN_OR_ROLE =
  /^(?:friend|wife|husband|son|daughter|brother|sister|mother|father|mum|mom|dad|cousin|uncle|aunt|nephew|niece|grandson|granddaughter|grandmother|grandfather|great-granddaughter|great-grandson|colleague|co-founder|founder|partner|neighbour|neighbor|boss|lawyer|author|singer|guy|man|woman|boy|girl|lady|gentleman|kid|caller|guest|host|owner|victim|clerk|ranger|keeper|captain|pilot|poet|painter|composer|director|producer|professor|student|economist|biologist|geologist|meteorologist|physicist|chemist|historian|architect|engineer|minister|spokesman|spokeswoman|spokesperson|philosopher|mathematician|astronomer|scientist|researcher|journalist|reporter|pianist|violinist|drummer|guitarist|conductor|teacher|farmer|fisherman|winner|champion|skipper|chef|cook|baker|butcher|barber|surgeon|vet|expert|customer|chancellor)$/
export const ORGANISATION =
  /^(?:inc|ltd|llc|gmbh|corporation|corp|company|group|bank|university|institute|association|committee|council|party|union|church|fc|united|times|post|news|magazine|award|prize|cup|war|act|festival|conference|tower|hotel|restaurant|cafe|bar|press|records|foundation|ministry|department|agency|airlines|day)$/
