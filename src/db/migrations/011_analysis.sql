-- Summaries by transcript and by what made them. Answers to questions are never kept.
create table summaries (
  transcript_id text not null references transcripts (id) on delete cascade,
  engine text not null,
  model text not null,
  -- JSON
  content text not null,
  prompt_tokens integer not null,
  completion_tokens integer not null,
  created_at integer not null,
  primary key (transcript_id, engine, model)
) strict, without rowid;

-- What belongs to the answer of an analysis task beside its result: who made it, and of which video.
create table analysis_runs (
  task_id text primary key references tasks (id) on delete cascade,
  engine text not null,
  model text not null,
  note text,
  -- JSON
  video_info text not null
) strict, without rowid;
