-- Sums that the staff's pages show, so that they cost the same with many rows behind them as with few.
-- The triggers that keep them are made by the program (core/src/db/tallies.rs).
create table tallies (
    name text not null,
    -- An hour since 1970, a year or a standing; 0 where nothing is told apart.
    place bigint not null,
    -- A device or a status; empty where nothing is told apart.
    kind text not null,
    -- A video or a notification; all zeros where nothing is told apart.
    subject uuid not null,
    -- On PostgreSQL random, so that no transaction waits for another one. 0 once the cleanup has added
    -- it up.
    part bigint not null,
    total bigint not null,
    primary key (name, place, kind, subject, part)
);

-- When users last watched a video.
create table watchers (
    user_id uuid primary key references users (id) on delete cascade,
    watched_at timestamptz not null
);

create index watchers_at on watchers (watched_at);

insert into watchers (user_id, watched_at)
select user_id, max(watched_at) from video_positions group by user_id;

-- With who it was, so that counting people reads no rows.
drop index video_likes_at;
create index video_likes_at on video_likes (created_at, user_id);

-- With the standing, so that a filter reads no rows that it leaves out.
drop index profiles_by_paid;
create index profiles_by_paid on profiles (list_paid, id, list_standing, search_text)
    where deleted_at is null;

-- The order of the archive.
create index videos_by_day on videos (upload_date, created_at, id);

-- The order of messages that are spam or are not.
create index messages_listed on messages (spam, created_at, id);

-- The reported comments of a video.
create index video_comments_reported_on on video_comments (video_id)
    where reported_at is not null and hidden_at is null;

-- The orders of families that wait for approval.
create index profiles_to_approve_by_standing on profiles (list_standing, id)
    where approved_at is null and refused_at is null and user_type = 'parent' and deleted_at is null;
create index profiles_to_approve_by_paid on profiles (list_paid, id)
    where approved_at is null and refused_at is null and user_type = 'parent' and deleted_at is null;
