-- Search texts no longer have apostrophes and quotation marks, so that לג בעומר finds ל״ג בעומר.
update profiles set search_text = replace(replace(search_text, '"', ''), '''', '')
where search_text like '%"%' or search_text like '%''%';
update videos
set search_text = replace(replace(search_text, '"', ''), '''', ''),
    staff_search_text = replace(replace(staff_search_text, '"', ''), '''', '')
where staff_search_text like '%"%' or staff_search_text like '%''%';
update live_updates set search_text = replace(replace(search_text, '"', ''), '''', '')
where search_text like '%"%' or search_text like '%''%';
update messages set search_text = replace(replace(search_text, '"', ''), '''', '')
where search_text like '%"%' or search_text like '%''%';
update faq set search_text = replace(replace(search_text, '"', ''), '''', '')
where search_text like '%"%' or search_text like '%''%';
update products set search_text = replace(replace(search_text, '"', ''), '''', '')
where search_text like '%"%' or search_text like '%''%';
