// The groups of the reference, in the words that it introduces them with. Every tag of a documented route is here.

export const TAGS: Readonly<Record<string, string>> = {
  Account: 'Credits, what was used, storage and channels.',
  Analysis: 'Summary, people, places, key subjects and answers to questions, of online videos and files.',
  Channels: 'Channels whose new videos are transcribed and become searchable.',
  Events: 'Progress and results as they happen, as server-sent events.',
  Extraction: 'Data in the caller’s own schema, out of what is said.',
  Files: 'Uploads, their processing, and their transcripts.',
  Namespaces: 'Groups of files.',
  OpenAI: 'The speech API of OpenAI, for clients that speak it: set their base URL to this server’s /v1.',
  Posts: 'The claim of a social post with its videos, analysed.',
  Search: 'What was said where, in online videos and files.',
  Service: 'The server itself.',
  'Short video': 'Profiles and searches of short-video platforms, read page by page.',
  Transcription: 'What is said in online videos.',
}
