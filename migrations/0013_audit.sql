-- The audit log is filtered by what was done as a whole ("payment") and exactly ("payment.record").
alter table audit_log add column topic text not null default '';
update audit_log
set topic = coalesce(nullif(rtrim(rtrim(action, 'abcdefghijklmnopqrstuvwxyz_'), '.'), ''), action);

-- Each filter finds its own lines in the order in which the page shows them, however few they are.
drop index audit_log_subject;
create index audit_log_subject on audit_log (subject_id, at, id);
create index audit_log_subject_kind on audit_log (subject_kind, at, id);
create index audit_log_actor on audit_log (actor_id, at, id);
create index audit_log_actor_kind on audit_log (actor_kind, at, id);
create index audit_log_topic on audit_log (topic, at, id);
create index audit_log_action on audit_log (action, at, id);
