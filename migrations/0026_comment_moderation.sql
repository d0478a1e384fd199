-- One queue of comments over all videos, and reports that staff close without deleting anything.

-- Why, from a short list; the reader's own words stay in reason.
alter table comment_reports add column category text not null default 'other';
-- Staff kept the comment.
alter table comment_reports add column closed_at timestamptz;
alter table comment_reports add column closed_by uuid references staff (id) on delete set null;

-- The first report that is still open.
alter table video_comments add column reported_at timestamptz;
-- Author and text, normalized.
alter table video_comments add column search_text text not null default '';

update video_comments
set reported_at = (select min(r.created_at) from comment_reports r
                   where r.comment_id = video_comments.id)
where id in (select comment_id from comment_reports);

update video_comments
set search_text = replace(replace(replace(replace(replace(
        replace(replace(replace(replace(replace(
            lower(author_name || ' ' || content),
            '''', ''), '’', ''), '"', ''), '״', ''), '׳', ''),
        'ך', 'כ'), 'ם', 'מ'), 'ן', 'נ'), 'ף', 'פ'), 'ץ', 'צ');

-- What waits for staff: reported ones first, each kind by age.
create index video_comments_to_review
    on video_comments ((case when held_at is null then 0 else 1 end), created_at, id)
    where held_at is not null or (reported_at is not null and hidden_at is null);
create index video_comments_reported on video_comments (created_at, id, video_id)
    where reported_at is not null and hidden_at is null;
create index video_comments_waiting on video_comments (created_at, id) where held_at is not null;
create index video_comments_hidden on video_comments (created_at, id)
    where hidden_at is not null and held_at is null;
drop index video_comments_at;
create index video_comments_at on video_comments (created_at, id);
