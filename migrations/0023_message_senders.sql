-- Whether the sender was signed in with this very address, and had proved it. Only then does an
-- answer quote the message: anybody can enter anybody's address into the form.
alter table messages add column sender_proved boolean not null default false;
