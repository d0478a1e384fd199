-- The names of deleted staff accounts: the log and the ledger go on saying who it was, also who took the money.
create table former_staff (
    id uuid primary key,
    username text not null,
    username_folded text not null,
    deleted_at timestamptz not null
);

alter table payments add column recorded_by_former uuid references former_staff (id);
