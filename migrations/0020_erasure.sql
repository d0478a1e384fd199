-- Names and addresses go from the mails of people who were deleted, and from all mails after a while.

-- Set once the mails of a notification have lost names and addresses, because they are old.
alter table notifications add column forgotten_at timestamptz;

create index notifications_not_forgotten on notifications (created_at) where forgotten_at is null;

create index deliveries_email on deliveries (email);
create index deliveries_profile on deliveries (profile_id) where profile_id is not null;

-- Opt-outs of addresses that belong to nobody any more, under a keyed hash: a later list of the
-- office that has the address again must not bring the mail back.
create table kept_opt_outs (
    email_hash bytea not null,
    category text not null check (category in ('daily_videos', 'camp_updates', 'general')),
    created_at timestamptz not null,
    primary key (email_hash, category)
);
