-- Imports of families can be undone for a day; afterwards the worker deletes these rows.
create table family_imports (
    id uuid primary key,
    -- empty for the command line
    staff_id uuid references staff (id) on delete set null,
    added bigint not null,
    updated bigint not null,
    created_at timestamptz not null,
    undone_at timestamptz
);

create index family_imports_created on family_imports (created_at);

create table family_import_rows (
    import_id uuid not null references family_imports (id) on delete cascade,
    profile_id uuid not null references profiles (id) on delete cascade,
    -- what the family was before, as JSON; empty for a new family
    before text,
    -- what the import made of it: anything else means that somebody changed the family since
    after text not null,
    primary key (import_id, profile_id)
);

create index family_import_rows_profile on family_import_rows (profile_id);

-- What two families were known by before they became one, so that the office's old file does not
-- bring either of them back. Only the import reads it: these addresses link no login.
create table merged_identities (
    kind text not null check (kind in ('email', 'name')),
    -- an address, or the folded names of the parent and the child on two lines
    value text not null,
    -- the family that both became
    profile_id uuid not null references profiles (id) on delete cascade,
    primary key (kind, value)
);

create index merged_identities_profile on merged_identities (profile_id);
