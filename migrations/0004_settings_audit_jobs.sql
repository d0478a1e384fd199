-- Settings, the audit log, and jobs that gave up.

-- Only what differs from the default is stored, as JSON.
create table settings (
    key text primary key,
    value text not null,
    updated_at timestamptz not null,
    updated_by text not null
);

-- Who did what, when, to which record. Names and addresses never stand here, only ids.
create table audit_log (
    id uuid primary key,
    at timestamptz not null,
    actor_kind text not null check (actor_kind in ('staff', 'user', 'operator', 'system', 'nobody')),
    actor_id uuid,
    action text not null,
    subject_kind text not null,
    subject_id uuid,
    -- before and after of what changed, as JSON
    details text not null
);

create index audit_log_at on audit_log (at, id);
create index audit_log_subject on audit_log (subject_id);

-- Jobs that failed more often than they may; `camp jobs retry` gives them another chance.
create table failed_jobs (
    id uuid primary key,
    name text not null,
    args text not null,
    error text not null,
    attempts bigint not null,
    failed_at timestamptz not null
);

-- When each worker was last seen, for /readyz and `camp doctor`.
create table worker_beats (
    worker uuid primary key,
    beat_at timestamptz not null
);
