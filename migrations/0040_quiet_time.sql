-- Quiet time (decision M9): what staff marked as urgent does not wait for its end.
alter table live_updates add column urgent boolean not null default false;
alter table notifications add column urgent boolean not null default false;

-- What a notification of quiet time waits for.
create index notifications_created on notifications (created_at) where category is not null;
