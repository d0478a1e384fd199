-- Lists and the figures beside them stay quick as the camp grows: nothing new is kept here that is
-- not kept elsewhere already.

-- Names and, each on a line of its own, addresses: whatever a family is found by in one text.
update profiles
set search_text = search_text
    || coalesce((select '
' || a.email from profile_addresses a
                 where a.profile_id = profiles.id and a.kind = 'primary'), '')
    || coalesce((select '
' || a.email from profile_addresses a
                 where a.profile_id = profiles.id and a.kind = 'secondary'), '')
where deleted_at is null;

-- Each order of the list holds that text, so that a search reads one index and no rows.
drop index profiles_by_email;
drop index profiles_by_standing;
drop index profiles_by_paid;
drop index profiles_by_joined;
create index profiles_by_email on profiles (list_email, id, search_text) where deleted_at is null;
create index profiles_by_standing on profiles (list_standing, id, search_text)
    where deleted_at is null;
create index profiles_by_paid on profiles (list_paid, id, search_text) where deleted_at is null;
create index profiles_by_joined on profiles (created_at, id, search_text) where deleted_at is null;

-- What became of the mails of a category, once none of them waits any more; empty until then.
alter table notifications add column sent bigint;
alter table notifications add column failed bigint;
alter table notifications add column suppressed bigint;

drop index audit_log_subject;
create index audit_log_subject on audit_log (subject_id, id);

create index deliveries_failed on deliveries (updated_at) where status = 'failed';
create index messages_status on messages (spam, status);
create index payment_plans_paid on payment_plans (paid_amount);
create index video_comments_at on video_comments (created_at);
create index video_likes_at on video_likes (created_at);
create index users_at on users (created_at);
create index videos_published on videos (published_at) where status = 'published';
create index videos_shown on videos (upload_date, published_at, id) where status = 'published';
