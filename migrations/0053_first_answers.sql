-- What the first answers said that is no longer so. Answers that a camp has changed stay.
update faq
set answer = replace(answer, 'letters from the camp are switches of their own',
        'newsletters from camp are switches of their own'),
    search_text = replace(search_text, 'letters from the camp are switches of their own',
        'newsletters from camp are switches of their own'),
    version = version + 1
where answer = 'Sign in, open your profile and switch on "Daily videos" under Email Preferences. Camp updates and letters from the camp are switches of their own, so you can have one without the other. Every one of these mails has a link at the bottom that stops it.';
update faq_first
set answer = replace(answer, 'letters from the camp are switches of their own',
        'newsletters from camp are switches of their own')
where answer = 'Sign in, open your profile and switch on "Daily videos" under Email Preferences. Camp updates and letters from the camp are switches of their own, so you can have one without the other. Every one of these mails has a link at the bottom that stops it.';
update faq
set answer = replace(answer, 'enter the second e-mail address on your profile, and let them sign up with it.',
        'enter the second email address on your profile. They get an email with a link that confirms it; after that they sign up with that address.'),
    search_text = replace(search_text, 'enter the second e mail address on your profile, and let them sign up with it.',
        'enter the second email address on your profile. they get an email with a link that confirms it; after that they sign up with that address.'),
    version = version + 1
where answer = 'No. One family has one account with the names of all its children, and one payment plan. The other parent can have a login of their own: enter the second e-mail address on your profile, and let them sign up with it.';
update faq_first
set answer = replace(answer, 'enter the second e-mail address on your profile, and let them sign up with it.',
        'enter the second email address on your profile. They get an email with a link that confirms it; after that they sign up with that address.')
where answer = 'No. One family has one account with the names of all its children, and one payment plan. The other parent can have a login of their own: enter the second e-mail address on your profile, and let them sign up with it.';
update faq
set answer = replace(answer, 'The videos are for watching here and have no download button. They stay in the Gallery after the summer. If you need a copy of a certain video, ask us',
        'Where the camp allows it, a video has a "Download" button below it. All videos stay in the Gallery after the summer. If you need a copy of another one, ask us'),
    search_text = replace(search_text, 'the videos are for watching here and have no download button. they stay in the gallery after the summer. if you need a copy of a certain video, ask us',
        'where the camp allows it, a video has a download button below it. all videos stay in the gallery after the summer. if you need a copy of another one, ask us'),
    version = version + 1
where answer = 'The videos are for watching here and have no download button. They stay in the Gallery after the summer. If you need a copy of a certain video, ask us at {contact_email} or call {contact_phone}. Please do not put our videos on other sites: there are other people''s children in them.';
update faq_first
set answer = replace(answer, 'The videos are for watching here and have no download button. They stay in the Gallery after the summer. If you need a copy of a certain video, ask us',
        'Where the camp allows it, a video has a "Download" button below it. All videos stay in the Gallery after the summer. If you need a copy of another one, ask us')
where answer = 'The videos are for watching here and have no download button. They stay in the Gallery after the summer. If you need a copy of a certain video, ask us at {contact_email} or call {contact_phone}. Please do not put our videos on other sites: there are other people''s children in them.';
