-- What the camp decides about its own look and about who may speak at once.

-- Pictures that the camp put in the place of the built-in ones.
create table site_pictures (
    id uuid primary key,
    place text not null check (place in ('logo', 'hero')),
    file_key text not null,
    -- for phones; a logo has none
    small_key text,
    -- of the larger file, in pixels
    width bigint not null,
    height bigint not null,
    created_by uuid references staff (id) on delete set null,
    created_at timestamptz not null
);

-- Since when a comment waits for the camp to read it. It is hidden meanwhile: whoever asks for
-- hidden_at alone shows neither.
alter table video_comments add column held_at timestamptz;

create index video_comments_held on video_comments (video_id) where held_at is not null;
