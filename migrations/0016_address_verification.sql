-- Addresses that nobody proved, and links in mail that end with the password.

-- A second address that a member typed for the family and whose owner has not confirmed it yet. It
-- is not an address of the family: it matches nothing, blocks nobody and gets one mail, which asks
-- its owner. Several families may wait for the same one. (The address that somebody typed at
-- sign-up stands in users, with no verified_at.)
create table pending_addresses (
    profile_id uuid primary key references profiles (id) on delete cascade,
    email text not null,
    created_at timestamptz not null
);

-- From now on profile_addresses holds only what staff or an import entered or its owner proved.
update profile_addresses
set verified_at = (select u.verified_at from users u
                   where u.email = profile_addresses.email
                     and u.profile_id = profile_addresses.profile_id)
where verified_at is null;

insert into pending_addresses (profile_id, email, created_at)
select a.profile_id, a.email, a.created_at
from profile_addresses a
where a.kind = 'secondary'
  and a.verified_at is null
  and not a.entered_by_staff
  and not exists (select 1 from users u where u.email = a.email and u.profile_id = a.profile_id);

delete from profile_addresses where verified_at is null and not entered_by_staff;

-- A family with one address has a primary one.
update profile_addresses
set kind = 'primary'
where kind = 'secondary'
  and not exists (select 1 from profile_addresses other
                  where other.profile_id = profile_addresses.profile_id and other.kind = 'primary');

update profiles
set list_email = coalesce((select a.email from profile_addresses a
                           where a.profile_id = profiles.id and a.kind = 'primary'), '')
where deleted_at is null;

-- A link in a mail is good only while its account still has the number with which the link was
-- asked for. A new password, signing out everywhere and a changed address raise it.
alter table users add column token_version bigint not null default 0;
alter table staff add column token_version bigint not null default 0;
alter table mail_tokens add column token_version bigint not null default 0;

-- Nothing tells who asked for these.
update mail_tokens set used_at = created_at where purpose = 'secondary_email' and used_at is null;

-- An authenticator app whose set-up was begun without the password has to begin again.
update staff set totp_secret = null where totp_confirmed_at is null;
