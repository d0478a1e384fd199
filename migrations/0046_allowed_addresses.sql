-- When staff allowed mail again to an address that had refused it. What mail servers still report about
-- mails that were sent before is shown and has no effect. A row goes with its address, and after 90 days,
-- when such reports are not believed anyway.

create table allowed_addresses (
    email text primary key,
    allowed_at timestamptz not null
);
