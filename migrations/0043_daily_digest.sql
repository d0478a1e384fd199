-- One email a day (decision M8) instead of one for each video, update and newsletter.
alter table profiles add column daily_digest boolean not null default false;

-- Whether the mail goes out as part of a daily email. It stays queued until that was sent.
alter table deliveries add column collected boolean not null default false;
-- The notification of the daily email that took it; empty while it waits for one. The delivery of that
-- notification to the same address says what became of it.
alter table deliveries add column digest_id uuid references notifications (id) on delete set null;

-- What waits for a daily email is not in the way of what is sent by itself.
drop index deliveries_status;
create index deliveries_status on deliveries (notification_id, status, collected);
create index deliveries_collected on deliveries (email)
    where collected and digest_id is null and status = 'queued';
create index deliveries_digest on deliveries (digest_id, email) where digest_id is not null;
