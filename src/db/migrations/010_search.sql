-- What has been indexed of a file; everything below goes with it, and it goes with the file.
create table search_documents (
  id integer primary key,
  account_id text not null,
  file_id text not null unique references files (id) on delete cascade,
  transcript_id text not null,
  -- ISO 639-1 code of what is spoken, where it is known.
  language text,
  chunk_count integer not null,
  indexed_at integer not null
) strict;

create index search_documents_account on search_documents (account_id, id);

-- Stretches of a transcript, overlapping a little.
create table search_chunks (
  id integer primary key,
  document_id integer not null references search_documents (id) on delete cascade,
  start_ms integer not null,
  end_ms integer not null,
  text text not null
) strict;

create index search_chunks_document on search_chunks (document_id, start_ms);

create virtual table search_words using fts5 (
  text, content = 'search_chunks', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);

create virtual table search_vocabulary using fts5vocab ('search_words', 'row');

create trigger search_chunks_inserted after insert on search_chunks begin
  insert into search_words (rowid, text) values (new.id, new.text);
end;

create trigger search_chunks_deleted after delete on search_chunks begin
  insert into search_words (search_words, rowid, text) values ('delete', old.id, old.text);
end;

create trigger search_chunks_updated after update of text on search_chunks begin
  insert into search_words (search_words, rowid, text) values ('delete', old.id, old.text);
  insert into search_words (rowid, text) values (new.id, new.text);
end;

-- Which models a document has been through. Without vectors where the model does not understand the language.
create table search_embeddings (
  document_id integer not null references search_documents (id) on delete cascade,
  model_id text not null,
  primary key (document_id, model_id)
) strict, without rowid;

create index search_embeddings_model on search_embeddings (model_id);

-- Float32 numbers of unit length, and their signs, one bit each, for a first look at many.
create table search_vectors (
  id integer primary key,
  document_id integer not null references search_documents (id) on delete cascade,
  model_id text not null,
  chunk_id integer not null,
  signs blob not null,
  embedding blob not null
) strict;

-- Holds the signs, so that a first look reads nothing else.
create unique index search_vectors_signs on search_vectors (document_id, model_id, chunk_id, signs);
