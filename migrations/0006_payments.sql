-- Money: what each family owes the camp and what it has paid. Cents throughout. Rows of the ledger
-- are never changed and never deleted: a mistake is taken back by a void, which is a row itself.

-- At most one per family. It stays when the family is deleted.
create table payment_plans (
    id uuid primary key,
    profile_id uuid not null unique references profiles (id),
    total_amount bigint not null check (total_amount between 0 and 100000000),
    -- always the sum of the plan's rows in the ledger, written in the transaction that adds one
    paid_amount bigint not null check (paid_amount >= 0),
    due_date date,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);

-- The ledger. Amounts are signed as they change what was paid: refunds are below zero.
create table payments (
    id uuid primary key,
    plan_id uuid not null references payment_plans (id),
    kind text not null check (kind in ('payment', 'adjustment', 'refund', 'void')),
    amount bigint not null check (amount <> 0),
    -- a day of the camp's calendar
    payment_date date not null,
    notes text,
    -- the row that a void takes back; no row is taken back twice
    void_of uuid unique references payments (id),
    recorded_by uuid references staff (id) on delete set null,
    created_at timestamptz not null,
    check ((kind = 'void') = (void_of is not null)),
    check (kind <> 'payment' or amount > 0),
    check (kind <> 'refund' or amount < 0)
);

create index payments_plan on payments (plan_id, payment_date, id);

-- What was answered under each Idempotency-Key, so that a double click records once.
create table payment_requests (
    key uuid primary key,
    -- of family and body: the same key with another body is refused
    request_hash bytea not null,
    payment_id uuid not null references payments (id),
    -- as it was sent, in JSON
    answer text not null,
    created_at timestamptz not null
);

-- Where a family stands in the lists of the staff area. These are copies, so that every order has
-- an index of its own and a page of 5,000 families costs what a page of 50 costs.
alter table profiles add column list_email text not null default '';
-- days of the due date since the year 1; unpaid without one 8000000, no plan 9000000, paid 10000000
alter table profiles add column list_standing bigint not null default 9000000;
-- cents; -1 without a plan
alter table profiles add column list_paid bigint not null default -1;
-- of a family that was found to be double: the one that it became part of
alter table profiles add column merged_into uuid references profiles (id);

update profiles
set list_email = coalesce((select a.email from profile_addresses a
                           where a.profile_id = profiles.id and a.kind = 'primary'), '');

create index profiles_by_name on profiles (search_text, id) where deleted_at is null;
create index profiles_by_email on profiles (list_email, id) where deleted_at is null;
create index profiles_by_standing on profiles (list_standing, id) where deleted_at is null;
create index profiles_by_paid on profiles (list_paid, id) where deleted_at is null;
create index profiles_by_joined on profiles (created_at, id) where deleted_at is null;
create index profiles_to_approve on profiles (created_at, id)
    where deleted_at is null and approved_at is null and refused_at is null and user_type = 'parent';
create index profiles_merged on profiles (merged_into) where merged_into is not null;

-- Failed sign-ins of one account from all addresses, so that staff can take its brakes off.
alter table attempts add column account bytea;

create index attempts_account on attempts (account);
