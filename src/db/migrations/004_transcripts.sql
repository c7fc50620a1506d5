-- A transcript grows while its job runs (complete = 0) and serves as cache afterwards.
create table transcripts (
  id text primary key,
  -- Canonical URL, item, speech model and language; null for media that is not cached by URL.
  cache_key text,
  complete integer not null default 0,
  video_info text not null,
  language text,
  speech_model text not null,
  duration_s real,
  created_at integer not null
) strict;

create unique index transcripts_cache on transcripts (cache_key) where complete = 1 and cache_key is not null;

create table transcript_segments (
  transcript_id text not null references transcripts (id) on delete cascade,
  position integer not null,
  start_ms integer not null,
  end_ms integer not null,
  text text not null,
  -- Word times where the engine gives them: JSON array of [word, start_ms, end_ms, probability].
  words text,
  primary key (transcript_id, position)
) strict, without rowid;
