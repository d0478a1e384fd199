-- Questions and answers. Answers may contain {access_answer}, {posting_time}, {contact_email} and
-- {contact_phone}; they are filled from the settings when somebody reads them.

create table faq (
    id uuid primary key,
    -- names the entry in addresses (/faq#videos); it stays when the question is reworded
    slug text not null unique,
    question text not null,
    answer text not null,
    category text not null check (category in
        ('Schedule', 'What to Bring', 'Safety & Security', 'Policies', 'Communication')),
    topic text,
    is_published boolean not null,
    -- the order on the page; two entries that were added at once may share one
    position bigint not null,
    view_count bigint not null,
    -- question and answer, folded
    search_text text not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);

create index faq_order on faq (position, id);

-- One row per viewer, entry and hour. The viewer is a keyed hash.
create table faq_views (
    faq_id uuid not null references faq (id) on delete cascade,
    viewer bytea not null,
    hour bigint not null,
    primary key (faq_id, viewer, hour)
);

create index faq_views_hour on faq_views (hour);

-- What a camp begins with. The first start takes these rows over into faq, where staff change or
-- delete them, and leaves this table empty.
create table faq_first (
    topic text primary key,
    position bigint not null,
    category text not null,
    question text not null,
    answer text not null
);

insert into faq_first (topic, position, category, question, answer) values
('videos', 1, 'Schedule', 'When are new videos posted?',
'Our video team films every day and puts the report up in the evening, usually between 7 and 9 PM. {posting_time} On trip days and special days it can be later. The videos of this summer are under "Current Videos"; those of earlier summers are in the Gallery.'),
('notifications', 2, 'Communication', 'How do I hear about a new video?',
'Sign in, open your profile and switch on "Daily videos" under Email Preferences. Camp updates and letters from the camp are switches of their own, so you can have one without the other. Every one of these mails has a link at the bottom that stops it.'),
('access', 3, 'Safety & Security', 'Who can watch the videos?',
'{access_answer}'),
('quality', 4, 'Communication', 'How good is the picture?',
'The daily videos are filmed in 1080p. How sharp you see them depends on your connection: if a video stops or looks blurred, wait a few seconds after pressing play, or watch over Wi-Fi. If that does not help, tell our video team which video it was and what you watched it on.'),
('privacy', 5, 'Safety & Security', 'How do you protect the children''s privacy?',
'We do not write family names or addresses under videos, and what you enter in your profile is seen only by you and the camp''s office. If you do not want your child to be seen in the videos, write to {contact_email} before camp starts and we will film around your child. Comments that give personal details are taken down.'),
('technical', 6, 'Communication', 'A video does not play. What can I do?',
'Reload the page once, then try another browser, and check whether a filter on your device blocks video. If it still does not play, write to us through the contact page with the title of the video, the kind of device and what you see on the screen. During the season we answer within 24 hours.'),
('comments', 7, 'Policies', 'Who may write comments?',
'Anybody who is signed in may comment on a video; before the first comment you may be asked to confirm your e-mail address. Whoever may watch the video can read the comments, so please leave out family names, telephone numbers and anything private. You can delete your own comments, and report one that should not stand.'),
('multiple-children', 8, 'Policies', 'We have more than one child in camp. Do we need several accounts?',
'No. One family has one account with the names of all its children, and one payment plan. The other parent can have a login of their own: enter the second e-mail address on your profile, and let them sign up with it.'),
('live-streaming', 9, 'Schedule', 'Do you stream events live?',
'No, events are not streamed live. Big events are filmed and put up as videos, usually the same night. News from camp appears under Live Updates as soon as it is posted, without reloading the page.'),
('downloads', 10, 'Policies', 'Can I download the videos?',
'The videos are for watching here and have no download button. They stay in the Gallery after the summer. If you need a copy of a certain video, ask us at {contact_email} or call {contact_phone}. Please do not put our videos on other sites: there are other people''s children in them.');
