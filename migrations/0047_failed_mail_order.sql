-- Mails that failed in the same moment are listed without sorting all of them.
drop index deliveries_failed;
create index deliveries_failed on deliveries (updated_at, notification_id, email) where status = 'failed';
