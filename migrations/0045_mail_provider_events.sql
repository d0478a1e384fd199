-- Tokens of signed calls by which a mail provider reports bounces and complaints: a call that comes
-- again has no effect. They are deleted a day after their time.
create table mail_event_tokens (
    token text primary key,
    seen_at timestamptz not null
);
