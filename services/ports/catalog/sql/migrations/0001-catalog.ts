import type { Migration } from './migration.js';

const installation = `
  create table installation (
    one boolean primary key default true check (one),
    id text not null,
    created_at timestamptz not null default clock_timestamp()
  )`;

const collections = `
  create table collections (
    workspace text collate "C" not null check (workspace <> ''),
    id text collate "C" not null check (id <> ''),
    name text not null,
    description text not null,
    metadata jsonb not null,
    space jsonb not null,
    target_space jsonb,
    chunker_spec jsonb,
    lexical jsonb not null,
    state text not null check (state in ('active', 'deleting')),
    generation bigint not null,
    deletion_operations text[] not null default '{}',
    deletion_walked boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (workspace, id)
  )`;

/** Outlives its collection, so that nothing of an old one can land in a new one of the same id. */
const generations = `
  create table collection_generations (
    workspace text collate "C" not null,
    id text collate "C" not null,
    generation bigint not null,
    primary key (workspace, id)
  )`;

/** A row without a newest version is a tombstone: it keeps the last version number. */
const documents = `
  create table documents (
    workspace text collate "C" not null,
    collection text collate "C" not null,
    document_id text collate "C" not null,
    seq bigint not null,
    last_version bigint not null,
    live_version bigint,
    newest_version bigint,
    newest_state text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (workspace, collection, document_id)
  ) with (fillfactor = 80)`;

const versions = `
  create table versions (
    workspace text collate "C" not null,
    collection text collate "C" not null,
    document_id text collate "C" not null,
    version bigint not null,
    version_hash text collate "C" not null unique,
    state text not null
      check (state in ('pending', 'processing', 'ready', 'failed', 'superseded', 'deleting')),
    purge_begun boolean not null,
    upload_id text collate "C" not null,
    content_hash text not null,
    size_bytes bigint not null,
    given_type text,
    decoded_type text,
    given_title text,
    decoded_title text,
    source text collate "C",
    tags text[] not null,
    given_attributes jsonb not null,
    decoded_attributes jsonb,
    attribute_revision bigint not null,
    points_outdated boolean not null,
    file_time timestamptz,
    flow text not null,
    text_sha256 text,
    text_bytes bigint,
    packs bigint,
    chunks bigint,
    chunker_spec jsonb not null,
    confirmed jsonb not null,
    redrives integer not null,
    stage text,
    code text,
    reason text,
    operations text[] not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    live_since timestamptz,
    superseded_at timestamptz,
    claimed_until timestamptz,
    primary key (workspace, collection, document_id, version)
  ) with (fillfactor = 80)`;

const handledCommands = `
  create table handled_commands (
    id uuid primary key,
    outputs jsonb,
    handled_at timestamptz not null
  )`;

const operations = `
  create table operations (
    id text collate "C" primary key,
    workspace text collate "C" not null,
    collection text collate "C" not null,
    document_id text collate "C" not null,
    kind text not null,
    state text not null,
    version bigint,
    chunk_count bigint,
    unchanged boolean not null default false,
    replaced bigint,
    code text,
    reason text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  ) with (fillfactor = 80)`;

const partitionStarts = `
  create table partition_starts (
    consumer_group text collate "C" not null,
    topic text collate "C" not null,
    partition integer not null,
    committed bigint not null,
    starts integer not null,
    suspect bigint,
    in_hand boolean not null default false,
    deaths integer not null default 0,
    primary key (consumer_group, topic, partition)
  )`;

const drainPass = `
  create table drain_pass (
    one boolean primary key default true check (one),
    number bigint not null,
    started_at timestamptz not null,
    step integer not null,
    step_started_at timestamptz not null,
    ends jsonb,
    ended boolean not null,
    last_started_at timestamptz
  )`;

export const firstMigration: Migration = {
  name: 'catalog',
  statements: [
    installation,
    'insert into installation (id) values (gen_random_uuid()::text)',
    collections,
    generations,
    documents,
    'create index documents_by_state on documents (workspace, newest_state, collection, document_id) where newest_version is not null',
    versions,
    "create index versions_in_flight on versions (created_at) where state in ('pending', 'processing')",
    "create index versions_dead on versions (superseded_at) where state in ('superseded', 'deleting')",
    'create index versions_by_upload on versions (workspace, upload_id)',
    'create index versions_by_source on versions (workspace, collection, source) where source is not null',
    "create index versions_live on versions (workspace, collection, coalesce(source, document_id), document_id) where state = 'ready'",
    handledCommands,
    'create index handled_commands_by_time on handled_commands using brin (handled_at)',
    operations,
    'create index operations_by_document on operations (workspace, collection, document_id, created_at)',
    'create index operations_by_time on operations using brin (updated_at)',
    partitionStarts,
    drainPass,
  ],
};
