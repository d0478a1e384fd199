-- What a user chose about emails at sign-up, as JSON, until the address is proved.
alter table users add column asked_mail text;

-- Verified addresses that a user has left: what was written from them and sent to them until then belongs to
-- the same person.
create table former_addresses (
    user_id uuid not null references users (id) on delete cascade,
    email text not null,
    left_at timestamptz not null,
    primary key (user_id, email)
);
