-- A row of the ledger has two notes: `notes` is for the family, in its mails and on its profile
-- page, and this one is for staff alone.
alter table payments add column staff_notes text;

-- Share links of Dropbox that were taken before open a page of Dropbox; this is the file itself.
update videos
set video_url = replace(video_url, 'dl=0', 'raw=1')
where video_type = 'upload'
  and (video_url like 'https://www.dropbox.com/%' or video_url like 'https://dropbox.com/%')
  and video_url like '%dl=0%';
