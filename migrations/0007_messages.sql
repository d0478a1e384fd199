-- Letters in both directions: what people write to the camp, what the camp answers, what it writes
-- to many, and the mailing list.

create table messages (
    id uuid primary key,
    name text not null,
    email text not null,
    child_name text,
    subject text not null,
    user_type text not null check (user_type in ('parent', 'guest')),
    department text not null check (department in ('staff', 'video_team')),
    message text not null,
    status text not null check (status in ('unread', 'read', 'replied')),
    spam boolean not null,
    assigned_to uuid references staff (id) on delete set null,
    -- an answer that somebody has begun
    draft text,
    -- sender, subject and child's name, folded
    search_text text not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);

create index messages_newest on messages (created_at, id);
create index messages_email on messages (email);

-- What became of the mail stands in its delivery (kind 'message_reply', subject: the reply).
create table message_replies (
    id uuid primary key,
    message_id uuid not null references messages (id) on delete cascade,
    body text not null,
    sent_by uuid references staff (id) on delete set null,
    created_at timestamptz not null
);

create index message_replies_message on message_replies (message_id, created_at);

-- Letters of the camp to many. The mails are deliveries (kind 'letter', subject: the letter).
create table letters (
    id uuid primary key,
    subject text not null,
    body text not null,
    audience text not null check (audience in ('families', 'mailing_list', 'both')),
    sent_by uuid references staff (id) on delete set null,
    -- chosen by the browser, so that a second click is the same letter
    idempotency_key uuid unique,
    created_at timestamptz not null
);

create index letters_newest on letters (created_at, id);

-- The mailing list behind "Stay Updated". A row without confirmed_at is only a wish: it gets no
-- letter, and goes after a week.
create table subscribers (
    id uuid primary key,
    email text not null unique,
    confirmed_at timestamptz,
    created_at timestamptz not null
);

create index subscribers_newest on subscribers (created_at, id);

-- The links that confirm: single use, expiring, only their hash is kept.
create table subscriber_tokens (
    token_hash bytea primary key,
    subscriber_id uuid not null references subscribers (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);

create index subscriber_tokens_subscriber on subscriber_tokens (subscriber_id);
