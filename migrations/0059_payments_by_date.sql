-- The ledgers of all families by day, for what the office compares with its deposits.
create index payments_by_date on payments (payment_date, id);
