-- Comments are searched as videos are, which SQL cannot normalize: `comments::add_search_texts` writes the
-- search texts of earlier comments, and finds them by the empty ones.
update video_comments set search_text = '';
create index video_comments_without_search_text on video_comments (id) where search_text = '';
