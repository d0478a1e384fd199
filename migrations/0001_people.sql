-- People: families, their logins, staff, sessions, and the links that are sent by mail.
-- One set of migrations serves SQLite and PostgreSQL. Moments are UTC, written by the program
-- (never by the database), cut to microseconds. Hashes are SHA-256 of 256-bit random values.

-- A family record. It stays when its logins go; plans and payments will hang on it.
create table profiles (
    id uuid primary key,
    full_name text not null,
    -- all children of the family that are in camp, as one text; empty for visitors
    child_name text not null,
    user_type text not null check (user_type in ('parent', 'visitor')),
    -- who made it: the family itself at sign-up, staff, or an import
    origin text not null check (origin in ('self', 'staff', 'import')),
    -- the three kinds of mail (decision M1)
    email_notifications boolean not null,
    daily_video_email boolean not null,
    camp_updates_email boolean not null,
    welcome_popup_shown boolean not null,
    -- a family of the camp: made or approved by staff (decision P9)
    approved_at timestamptz,
    refused_at timestamptz,
    search_text text not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz
);

create index profiles_created on profiles (created_at);

-- The addresses of a family. One address never belongs to two families (decision P2), which is
-- why they are rows of their own.
create table profile_addresses (
    email text primary key,
    profile_id uuid not null references profiles (id) on delete cascade,
    kind text not null check (kind in ('primary', 'secondary')),
    entered_by_staff boolean not null,
    verified_at timestamptz,
    created_at timestamptz not null,
    unique (profile_id, kind)
);

-- A login of a parent or visitor.
create table users (
    id uuid primary key,
    email text not null unique,
    password_hash text not null,
    full_name text not null,
    verified_at timestamptz,
    profile_id uuid not null references profiles (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_sign_in_at timestamptz
);

create index users_profile on users (profile_id);

-- Accounts of the camp's staff, apart from families in every respect.
create table staff (
    id uuid primary key,
    username text not null,
    username_folded text not null unique,
    email text not null unique,
    password_hash text not null,
    role text not null check (role in ('owner', 'staff')),
    disabled_at timestamptz,
    -- the secret of the authenticator app; it counts once it is confirmed
    totp_secret text,
    totp_confirmed_at timestamptz,
    -- the last 30-second step that was used; a code works once
    totp_last_step bigint,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_sign_in_at timestamptz
);

create table recovery_codes (
    id uuid primary key,
    staff_id uuid not null references staff (id) on delete cascade,
    code_hash bytea not null,
    used_at timestamptz
);

create index recovery_codes_staff on recovery_codes (staff_id);

-- One row per signed-in browser, of a user or of staff. Only the hash of the cookie is kept.
create table sessions (
    id uuid primary key,
    token_hash bytea not null unique,
    user_id uuid references users (id) on delete cascade,
    staff_id uuid references staff (id) on delete cascade,
    device text not null check (device in ('phone', 'tablet', 'computer')),
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null,
    check ((user_id is null) <> (staff_id is null))
);

create index sessions_user on sessions (user_id);
create index sessions_staff on sessions (staff_id);
create index sessions_expiry on sessions (expires_at);

-- Links in mail: single use, expiring, only their hash is kept.
create table mail_tokens (
    id uuid primary key,
    token_hash bytea not null unique,
    purpose text not null check (purpose in
        ('verify', 'change_email', 'secondary_email', 'reset', 'invite', 'staff_reset')),
    user_id uuid references users (id) on delete cascade,
    profile_id uuid references profiles (id) on delete cascade,
    staff_id uuid references staff (id) on delete cascade,
    -- the address that the link proves, when it was sent to one
    email text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);

create index mail_tokens_user on mail_tokens (user_id);
create index mail_tokens_profile on mail_tokens (profile_id);
create index mail_tokens_expiry on mail_tokens (expires_at);

-- Failed and counted attempts. The key is a keyed hash, so that no address is kept.
create table attempts (
    key bytea primary key,
    count bigint not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    blocked_until timestamptz
);

create index attempts_last on attempts (last_at);

-- Keys that the portal made for itself, for example to sign the unsubscribe links.
create table secrets (
    name text primary key,
    value bytea not null
);
