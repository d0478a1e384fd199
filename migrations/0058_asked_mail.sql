-- What an invited login asked for about emails when it signed up, as JSON, until its address is proved.
alter table users add column asked_mail text;

-- Addresses that a login had before, proved, until it is deleted: what was written from them and sent to
-- them belongs to the same person.
create table former_addresses (
    user_id uuid not null references users (id) on delete cascade,
    email text not null,
    left_at timestamptz not null,
    primary key (user_id, email)
);

create index former_addresses_email on former_addresses (email);
