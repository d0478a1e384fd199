-- Whether a server may have a mail although no result says so: it did not answer, or the worker was killed. For receipts
-- this is written before they are handed over, since the correction of a voided payment is left out only if its receipt
-- never left.
alter table deliveries add column may_have_left boolean not null default false;

-- Earlier versions did not say.
update deliveries set may_have_left = true
where status in ('queued', 'sending')
  and notification_id in (select id from notifications where kind = 'payment');
