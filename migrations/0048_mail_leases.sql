-- Sending mail writes each delivery once: when it was sent.

-- Which worker sends the mails of a notification. It alone does, until it has ended, its heartbeat is missing or the
-- lease has expired. Until then a delivery stays 'queued'; earlier versions wrote 'sending' into each.
create table delivery_leases (
    notification_id uuid primary key references notifications (id) on delete cascade,
    -- one run of a job
    lease uuid not null,
    -- the process
    worker uuid not null,
    -- given to others after this moment
    expires_at timestamptz not null
);

-- Mails that were sent and whose deliveries do not say so yet: one row for each group of results, for less than a
-- second. Without a foreign key, which would lock the notification for each of them.
create table sent_mails (
    notification_id uuid not null,
    lease uuid not null,
    -- of the group
    number bigint not null,
    -- the addresses, as a list in JSON
    emails text not null,
    sent_at timestamptz not null,
    primary key (notification_id, lease, number)
);
