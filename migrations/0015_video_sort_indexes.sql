-- Staff sort videos by views and by title.

create index videos_by_views on videos (view_count, id);
create index videos_by_title on videos (lower(title), id);
