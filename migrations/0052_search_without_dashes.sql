-- In search texts, a dash is a space, so that ערב שבת finds ערב־שבת and the other way around. Normalized
-- texts have no – and no —, so these stand for a space while several spaces become one.
update profiles
set search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' '));
update videos
set search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' ')),
    staff_search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(staff_search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' '));
update live_updates
set search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' '));
update messages
set search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' '));
update faq
set search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' '));
update products
set search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' '));
update video_comments
set search_text = trim(replace(replace(replace(
        replace(replace(replace(replace(replace(search_text, '-', ' '), '‐', ' '), '‒', ' '), '―', ' '), '−', ' '),
        ' ', '–—'), '—–', ''), '–—', ' '));
