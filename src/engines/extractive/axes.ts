// The five axes of a claim analysis: labels, what each means in words that an encoder can compare, and cues that give it
// away. The labels are the contract's; the cues are closed lists of English phrases.

export const AXES = {
  claim_type: {
    factual_claim: 'A statement of fact with numbers, dates or events that can be checked.',
    opinion: 'In my opinion this is good or bad; a personal view or judgement.',
    question: 'Asking a question and wondering what the answer is.',
    call_to_action: 'Calling on people to act now: sign, vote, join, share, donate.',
    satire: 'A joke, parody or ironic exaggeration that is not meant seriously.',
    news_sharing: 'Breaking news, reported and announced by officials today.',
    personal_experience: 'Something that happened to me today; a story of my own life.',
  },
  intent: {
    educate: 'Teaching how something works; here is what you should know.',
    inform: 'Reporting what happened and telling people the news.',
    analyze: 'Analysing causes and consequences, comparing the data and the trends.',
    persuade: 'Convincing people that they should change their minds.',
    entertain: 'Making people laugh with a funny story.',
    inspire: 'Encouraging people to believe in themselves and never give up.',
    challenge: 'Questioning those in power and demanding an answer.',
  },
  tone: {
    serious: 'A grave and serious matter.',
    humorous: 'Funny, joking and playful.',
    provocative: 'A provocation that attacks and insults.',
    neutral: 'A matter-of-fact and neutral report.',
    warm: 'Kind, thankful and loving words.',
    skeptical: 'Doubtful, not convinced that it is true.',
    inspirational: 'Uplifting, motivating words about dreams.',
  },
  emotion: {
    curiosity: 'Curious and wanting to find out more.',
    urgency: 'Urgent, there is no time to lose.',
    outrage: 'Outraged and angry about an injustice.',
    fear: 'Afraid and worried about a danger.',
    hope_inspiration: 'Hopeful that the future will be better.',
    confidence_reassurance: 'Confident and reassuring, everything is under control.',
    empathy_warmth: 'Compassion and warmth for other people.',
    awe_wonder: 'Amazed by the beauty and wonder of it.',
  },
  authority: {
    data_driven: 'According to a study, the data and percentages show it.',
    expert_led: 'Experts, scientists and professors say so.',
    experience_based: 'I have seen it myself, from my own experience.',
    speculative: 'It might be, perhaps, probably; a guess or a rumour.',
  },
} as const

export type Axis = keyof typeof AXES

/** Where nothing speaks for a label. */
export const DEFAULT_LABEL: Readonly<Record<Axis, string>> = {
  claim_type: 'opinion',
  intent: 'inform',
  tone: 'neutral',
  emotion: 'curiosity',
  authority: 'speculative',
}

/** Each match adds its weight to the label's similarity. */
export const CUES: readonly (readonly [Axis, string, RegExp, number])[] = [
  [
    'claim_type',
    'factual_claim',
    /\d+(?:[.,]\d+)?\s?(?:%|percent|million|billion)|\b(?:is|are|was|were|has|have)\b.*\b\d{2,}\b/i,
    0.3,
  ],
  [
    'claim_type',
    'opinion',
    /\b(?:i think|i believe|in my opinion|imo|imho|should|the best|the worst|overrated|underrated|better than|terrible|amazing|disgrace)\b/i,
    0.3,
  ],
  ['claim_type', 'question', /\?\s*$/, 0.45],
  [
    'claim_type',
    'call_to_action',
    /\b(?:sign (?:the|this)|vote|join us|share this|donate|retweet|call your|boycott|stand up|please help|register|sign up)\b/i,
    0.45,
  ],
  ['claim_type', 'satire', /\b(?:lol|lmao|satire|parody|jk|just kidding)\b|😂|🤣|\/s\b/iu, 0.4],
  [
    'claim_type',
    'news_sharing',
    /\b(?:breaking|just in|reports?:|reportedly|announced|according to|officials? (?:say|said)|confirmed|via @)\b/i,
    0.4,
  ],
  [
    'claim_type',
    'personal_experience',
    /\b(?:i (?:was|went|saw|had|got|lost|met|tried|spent|grew|moved|started)|my (?:mum|mom|dad|wife|husband|son|daughter|doctor|boss|first))\b/i,
    0.35,
  ],
  [
    'intent',
    'educate',
    /\b(?:how to|here(?:'s| is) (?:how|why|what)|did you know|a thread|explained?|tips?|lesson|learn)\b/i,
    0.35,
  ],
  ['intent', 'inform', /\b(?:breaking|announced|reported|update|today|has been|will be)\b/i, 0.2],
  [
    'intent',
    'analyze',
    /\b(?:because|therefore|compared (?:to|with)|trend|data|suggests|correlat\w+|causes?|consequences?|means that)\b/i,
    0.25,
  ],
  ['intent', 'persuade', /\b(?:should|must|need to|have to|vote|wrong|right thing|stop|ban|support)\b/i, 0.3],
  ['intent', 'entertain', /\b(?:lol|lmao|funny|haha\w*)\b|😂|🤣/iu, 0.45],
  [
    'intent',
    'inspire',
    /\b(?:never give up|believe in|dreams?|keep going|you can|proud|together we)\b/i,
    0.35,
  ],
  [
    'intent',
    'challenge',
    /\b(?:why (?:does|do|is|are|did|has|have|won't|isn't|aren't)|how (?:can|dare)|explain (?:this|why)|really\?|prove)\b/i,
    0.3,
  ],
  ['tone', 'humorous', /\b(?:lol|lmao|haha\w*|funny|joke)\b|😂|🤣/iu, 0.45],
  ['tone', 'serious', /\b(?:died|killed|death|war|crisis|victims?|disease|crime|cancer|emergency)\b/i, 0.3],
  [
    'tone',
    'provocative',
    /\b(?:idiots?|stupid|liars?|corrupt|shame|clowns?|disgrace|pathetic|cowards?|wake up)\b|!{2,}/i,
    0.35,
  ],
  ['tone', 'warm', /\b(?:thank(?:s| you)|grateful|love|congratulations|happy birthday|proud of)\b|❤/iu, 0.35],
  [
    'tone',
    'skeptical',
    /\b(?:really\?|doubt|supposedly|so-called|allegedly|i don't buy|not convinced|sure about)\b/i,
    0.35,
  ],
  ['tone', 'inspirational', /\b(?:never give up|dream big|believe in yourself|you can do)\b/i, 0.4],
  ['tone', 'neutral', /\b(?:according to|announced|reported|percent|said)\b|\d%/i, 0.2],
  ['emotion', 'curiosity', /\?|\b(?:wonder|curious|interesting)\b/i, 0.2],
  [
    'emotion',
    'urgency',
    /\b(?:now|urgent|immediately|hurry|deadline|before it's too late|breaking|last chance)\b/i,
    0.25,
  ],
  [
    'emotion',
    'outrage',
    /\b(?:outrag\w+|disgust\w+|shame\w*|unacceptable|scandal|corrupt\w*|how dare|disgrace\w*|furious)\b/i,
    0.4,
  ],
  ['emotion', 'fear', /\b(?:afraid|scared|fear|danger\w*|threat\w*|terrify\w*|risk|deadly|warning)\b/i, 0.3],
  [
    'emotion',
    'hope_inspiration',
    /\b(?:hope\w*|dream\w*|future|better|finally|progress|breakthrough)\b/i,
    0.25,
  ],
  [
    'emotion',
    'confidence_reassurance',
    /\b(?:safe|confident|under control|no need to|guarantee\w*|proven|works?|strong)\b/i,
    0.25,
  ],
  [
    'emotion',
    'empathy_warmth',
    /\b(?:sorry|love|thoughts are with|thank\w*|grateful|heart\w*|families)\b|❤/iu,
    0.3,
  ],
  [
    'emotion',
    'awe_wonder',
    /\b(?:wow|amazing|incredible|stunning|beautiful|breathtaking|unbelievable|mind-?blowing)\b/i,
    0.35,
  ],
  [
    'authority',
    'data_driven',
    /\d+(?:[.,]\d+)?\s?(?:%|percent)|\b(?:study|studies|data|survey|statistics|research|report|census|million|billion)\b/i,
    0.35,
  ],
  [
    'authority',
    'expert_led',
    /\b(?:experts?|scientists?|doctors?|professor|dr\.?|economists?|researchers?|officials?|according to)\b/i,
    0.3,
  ],
  ['authority', 'experience_based', /\b(?:i|i've|my|me|we|our)\b/i, 0.2],
  [
    'authority',
    'speculative',
    /\b(?:might|maybe|perhaps|probably|could be|i guess|rumou?r|apparently|what if|imagine|i think)\b/i,
    0.3,
  ],
]
