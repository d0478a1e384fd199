-- Whether the family asked for a note when tonight's video is late. The note is mail of the category
-- 'daily_videos', so whoever stops that gets no note either.
alter table profiles add column late_video_note boolean not null default false;
