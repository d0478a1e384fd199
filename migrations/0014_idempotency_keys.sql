-- What was made under each Idempotency-Key, so that a form whose answer got lost makes one record
-- however often it is sent. Forgotten after a week.
create table form_requests (
    key uuid primary key,
    -- a video, a live update, a product or a question
    subject_kind text not null,
    -- of the body: the same key with another body is refused
    request_hash bytea not null,
    -- chosen before the record is written; it may be deleted since
    subject_id uuid not null,
    created_at timestamptz not null
);

create index form_requests_created on form_requests (created_at);
