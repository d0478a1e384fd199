-- Browsers in which an account of the staff was used. A sign-in from any other is told by mail.
create table staff_browsers (
    staff_id uuid not null references staff (id) on delete cascade,
    -- of the 256 random bits in the browser's own cookie; nothing else of the browser is kept
    token_hash bytea not null,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    primary key (staff_id, token_hash)
);

create index staff_browsers_use on staff_browsers (last_used_at);
