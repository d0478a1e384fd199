-- Payment reminders (decision M6). They have no category but wait for the end of quiet time, so each
-- notification says whether its mails wait. Existing rows keep their meaning.
alter table notifications add column waits boolean not null default false;
update notifications set waits = (category is not null and not urgent);

-- Reminders whose time was before this are not sent: it is when the due date was set, or when a plan
-- that was fully paid was owed again. Empty for plans that are older than the reminders.
alter table payment_plans add column reminders_from timestamptz;

-- A camp with plans may have old ones that nobody closed, so it turns on the weekly reminders itself.
insert into settings (key, value, updated_at, updated_by)
select 'remindOverdue', 'false', current_timestamp, 'upgrade'
where exists (select 1 from payment_plans);
