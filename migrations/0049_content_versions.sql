-- Versions of what families see: random values that every transaction replaces which changes a table
-- behind them. The triggers that do so are made from the tables by the program
-- (core/src/db/content_versions.rs), since each engine has its own language for them. Without its row,
-- nothing is answered from memory.
create table content_versions (
    name text primary key,
    token uuid not null
);
