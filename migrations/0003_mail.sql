-- Mail: one row per notification, one per recipient. What is written here in the transaction that
-- causes it will be sent; the job queue is only the wake-up.

create table notifications (
    id uuid primary key,
    -- names the letter: 'video', 'verify', 'reset', …
    kind text not null,
    -- the video, user, profile or staff account that it is about
    subject_id uuid not null,
    -- for what must happen once, ever ("this video was announced"); otherwise empty
    once_key text unique,
    -- category mail may be unsubscribed from; empty for transactional mail
    category text check (category in ('daily_videos', 'camp_updates', 'general')),
    -- what the letter needs besides its subject, as JSON; never a token, never a password
    data text not null,
    created_at timestamptz not null
);

create index notifications_subject on notifications (subject_id, kind);

create table deliveries (
    notification_id uuid not null references notifications (id) on delete cascade,
    email text not null,
    full_name text not null,
    profile_id uuid references profiles (id) on delete set null,
    status text not null check (status in ('queued', 'sending', 'sent', 'failed', 'suppressed')),
    attempts bigint not null,
    -- queued: not before this moment; sending: given back after it
    due_at timestamptz not null,
    claimed_by uuid,
    last_error text,
    sent_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (notification_id, email)
);

create index deliveries_due on deliveries (due_at) where status in ('queued', 'sending');
create index deliveries_status on deliveries (notification_id, status);

-- Addresses that refused mail for good.
create table suppressed_addresses (
    email text primary key,
    reason text not null,
    created_at timestamptz not null
);

-- One address of a family that has two may leave a category without taking it from the other.
create table unsubscribes (
    email text not null,
    category text not null check (category in ('daily_videos', 'camp_updates', 'general')),
    created_at timestamptz not null,
    primary key (email, category)
);
