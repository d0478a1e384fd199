-- Videos of the day and the archive, and what people do with them.

create table videos (
    id uuid primary key,
    title text not null,
    description text,
    -- own files: '/media/videos/{id}'; Drive and YouTube: the embed, rebuilt from the id
    video_url text not null,
    video_type text not null check (video_type in ('upload', 'google_drive', 'youtube')),
    -- an address elsewhere, or '/media/thumbnails/{id}', or nothing
    thumbnail_url text,
    -- where an own file lies in the object store
    file_key text,
    thumbnail_key text,
    content_type text,
    duration_seconds bigint,
    -- the day filmed, in the camp's time zone; the year follows from it (decision V1)
    upload_date date not null,
    year bigint not null,
    status text not null check (status in ('published', 'scheduled', 'draft')),
    scheduled_date timestamptz,
    published_at timestamptz,
    is_featured boolean not null,
    view_count bigint not null,
    like_count bigint not null,
    -- visible comments only
    comment_count bigint not null,
    uploaded_by uuid references staff (id) on delete set null,
    -- title and description, folded; staff also search type and date
    search_text text not null,
    staff_search_text text not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check (status <> 'scheduled' or scheduled_date is not null),
    check (status <> 'published' or published_at is not null)
);

create index videos_newest on videos (status, year, upload_date, published_at, id);
create index videos_popular on videos (status, year, view_count, upload_date, id);
create index videos_created on videos (created_at, id);
create index videos_due on videos (scheduled_date) where status = 'scheduled';

-- One row per viewer, video and hour. The viewer is a keyed hash of the login or of a random cookie.
create table video_views (
    video_id uuid not null references videos (id) on delete cascade,
    viewer bytea not null,
    hour bigint not null,
    device text not null check (device in ('phone', 'tablet', 'computer')),
    viewed_at timestamptz not null,
    primary key (video_id, viewer, hour)
);

create index video_views_at on video_views (viewed_at);

create table video_likes (
    video_id uuid not null references videos (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    created_at timestamptz not null,
    primary key (video_id, user_id)
);

create index video_likes_user on video_likes (user_id, created_at);

create table video_comments (
    id uuid primary key,
    video_id uuid not null references videos (id) on delete cascade,
    -- empty when the writer has left
    user_id uuid references users (id) on delete set null,
    -- the person's name at the time (decision C1)
    author_name text not null,
    content text not null,
    created_at timestamptz not null,
    hidden_at timestamptz,
    hidden_by uuid references staff (id) on delete set null
);

create index video_comments_newest on video_comments (video_id, created_at, id);
create index video_comments_user on video_comments (user_id);

create table comment_reports (
    comment_id uuid not null references video_comments (id) on delete cascade,
    -- keyed hash of the login or of the cookie: one report each
    reporter bytea not null,
    reason text not null,
    created_at timestamptz not null,
    primary key (comment_id, reporter)
);
