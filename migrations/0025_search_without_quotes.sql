-- Search texts no longer have apostrophes and quotation marks, so that לג בעומר finds ל״ג בעומר. A
-- mark that stood alone leaves no second space.
update profiles
set search_text = trim(replace(replace(replace(replace(search_text, '"', ''), '''', ''), '„', ''), '  ', ' '));
update videos
set search_text = trim(replace(replace(replace(replace(search_text, '"', ''), '''', ''), '„', ''), '  ', ' ')),
    staff_search_text = trim(replace(replace(replace(replace(staff_search_text, '"', ''), '''', ''), '„', ''), '  ', ' '));
update live_updates
set search_text = trim(replace(replace(replace(replace(search_text, '"', ''), '''', ''), '„', ''), '  ', ' '));
update messages
set search_text = trim(replace(replace(replace(replace(search_text, '"', ''), '''', ''), '„', ''), '  ', ' '));
update faq
set search_text = trim(replace(replace(replace(replace(search_text, '"', ''), '''', ''), '„', ''), '  ', ' '));
update products
set search_text = trim(replace(replace(replace(replace(search_text, '"', ''), '''', ''), '„', ''), '  ', ' '));
