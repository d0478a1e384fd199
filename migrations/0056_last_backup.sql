-- When `camp backup` made the last backup: owners hear when there is none for days. At most one row.
create table last_backup (
    id integer primary key check (id = 1),
    made_at timestamptz not null
);
