-- Pins have an end (decision U4). Those of earlier versions had none: the upgrade gives them seven days
-- from their last change, which is the most that staff can choose. SQLite and PostgreSQL add days
-- in different ways, so `updates::end_old_pins` does it, and finds them by two equal moments.
alter table live_updates add column pinned_until timestamptz;
update live_updates set pinned_until = updated_at where pinned;
drop index live_updates_shown;
alter table live_updates drop column pinned;

create index live_updates_shown on live_updates (created_at, id) where is_active;
