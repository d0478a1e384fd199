-- Live updates, and what open pages are told as it happens.

create table live_updates (
    id uuid primary key,
    -- empty once it is deleted: its address then says that it was withdrawn (decision U4)
    title text not null,
    message text not null,
    -- free text, as families read it (decision U3)
    author text not null,
    priority text not null check (priority in ('low', 'medium', 'high')),
    is_active boolean not null,
    pinned boolean not null,
    -- from then on it is treated as inactive; the worker makes it so
    expires_at timestamptz,
    posted_by uuid references staff (id) on delete set null,
    search_text text not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz
);

create index live_updates_shown on live_updates (pinned, created_at, id) where is_active;
create index live_updates_newest on live_updates (created_at, id);
create index live_updates_expiry on live_updates (expires_at) where is_active;

-- What happened, for the pages that are open: numbers grow by one in the order of the commits, so a
-- page that names the last one it heard misses nothing. Only ids: what is told is looked up when it
-- is told, so that nothing is told that was taken back meanwhile.
create table events (
    id bigint primary key,
    kind text not null check (kind in
        ('update.created', 'update.changed', 'update.removed', 'video.published', 'video.changed',
         'comment.created', 'comment.removed', 'messages.changed', 'site.changed')),
    -- the video, also the one of a comment
    video_id uuid,
    -- the update or the comment
    subject_id uuid,
    created_at timestamptz not null
);

create index events_created on events (created_at);
