-- When a mail was first tried and not sent: how long it is tried again counts from then, and not from
-- when it was queued, since it may have waited for a worker. Empty until then.
alter table deliveries add column first_tried_at timestamptz;
