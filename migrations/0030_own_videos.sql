-- Files that staff upload as videos, from the first byte to the converted file.
create table uploads (
    -- also the id in the address of the resumable upload
    id uuid primary key,
    staff_id uuid references staff (id) on delete set null,
    -- empty until a form is saved with it; then the video that it is for
    video_id uuid references videos (id) on delete cascade,
    -- as the file was called on the computer of the person who sent it
    file_name text not null,
    size_bytes bigint not null,
    state text not null check (state in ('uploading', 'waiting', 'converting', 'ready', 'failed')),
    -- of the conversion, in percent
    progress bigint not null check (progress between 0 and 100),
    -- why it failed, for staff
    problem text,
    -- the end of ffmpeg's output
    log text,
    -- conversions that were begun
    attempts bigint not null,
    -- the conversion belongs to one worker until then
    claimed_until timestamptz,
    -- the prefix of the keys of the finished files in the object store
    folder text,
    -- JSON, the best first
    renditions text,
    -- the size of all finished files
    stored_bytes bigint,
    duration_seconds bigint,
    -- instead of a file that was sent: the upload whose files are cut, and what stays of them
    trims uuid references uploads (id) on delete set null,
    trim_start_seconds bigint,
    trim_end_seconds bigint,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check (state <> 'ready' or folder is not null)
);

create index uploads_state on uploads (state, created_at, id);
create index uploads_video on uploads (video_id) where video_id is not null;
create index uploads_staff on uploads (staff_id) where staff_id is not null;
create index uploads_trims on uploads (trims) where trims is not null;
create index uploads_old on uploads (state, updated_at);

-- The upload whose files are served. Another upload for the same video is its replacement, which is
-- not ready yet.
alter table videos add column media_upload_id uuid references uploads (id) on delete set null;

-- Lines of staff such as '0:42 Bunk 7', in order.
alter table videos add column chapters text;

-- Whether viewers are offered the file to keep it.
alter table videos add column is_downloadable boolean not null default false;

create index videos_media_upload on videos (media_upload_id) where media_upload_id is not null;

-- Captions of videos, as WebVTT without styles.
create table video_captions (
    video_id uuid not null references videos (id) on delete cascade,
    language text not null check (language in ('en', 'he', 'yi')),
    vtt text not null,
    -- how many texts are shown
    cues bigint not null,
    updated_at timestamptz not null,
    primary key (video_id, language)
);

-- Where signed-in viewers stopped watching.
create table video_positions (
    user_id uuid not null references users (id) on delete cascade,
    video_id uuid not null references videos (id) on delete cascade,
    -- 0 at the beginning and at the end
    seconds bigint not null,
    watched_at timestamptz not null,
    primary key (user_id, video_id)
);

create index video_positions_video on video_positions (video_id);
