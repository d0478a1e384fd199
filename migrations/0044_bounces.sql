-- Bounces and complaints: what mail servers reported about a mail after the camp's own mail server had
-- accepted it. A row goes with the name of its delivery: it is deleted when that is erased.

create table mail_reports (
    id uuid primary key,
    notification_id uuid not null,
    email text not null,
    -- hard: the address takes no mail; soft: for now; blocked: the mail was refused, not the address;
    -- complaint: the recipient marked it as spam
    kind text not null check (kind in ('hard', 'soft', 'blocked', 'complaint')),
    -- why, as far as the report says: 'no_such_address', 'mailbox_full', …
    cause text not null,
    -- what the other mail server said
    reason text not null,
    -- how the report came: 'maildir', 'pipe' or the name of a mail provider
    source text not null,
    -- soft: when it stopped mail to the address, together with others; it does not count again
    counted_at timestamptz,
    reported_at timestamptz not null,
    -- the same report twice has no further effect
    unique (notification_id, email, kind),
    foreign key (notification_id, email) references deliveries (notification_id, email)
        on update cascade on delete cascade
);

create index mail_reports_reported on mail_reports (reported_at, id);
create index mail_reports_email on mail_reports (email, reported_at);
