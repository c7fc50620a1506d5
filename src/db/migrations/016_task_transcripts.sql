-- Which transcript a transcription task gave, for those who want it in another form than the task's result.
create table task_transcripts (
  task_id text primary key references tasks (id) on delete cascade,
  transcript_id text not null references transcripts (id) on delete cascade
) strict, without rowid;

create index task_transcripts_transcript on task_transcripts (transcript_id);
