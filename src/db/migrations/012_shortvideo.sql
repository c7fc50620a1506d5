-- How far the scrape of a profile or search has come. Its rows go with the task.
create table shortvideo_runs (
  task_id text primary key references tasks (id) on delete cascade,
  -- The attempt that may write; one that was presumed dead may not.
  attempt text not null,
  -- JSON: the profile, or where a search would go on.
  about text,
  items_scanned integer not null default 0,
  pages integer not null default 0
) strict, without rowid;

create table shortvideo_items (
  task_id text not null references shortvideo_runs (task_id) on delete cascade,
  -- In the order in which they came.
  position integer not null,
  -- Results are shown in ascending order of sort_key, then position.
  sort_key real not null,
  item text not null,
  primary key (task_id, position)
) strict, without rowid;

create index shortvideo_items_order on shortvideo_items (task_id, sort_key, position);
