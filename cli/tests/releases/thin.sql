-- Leaves a little of each kind in a sample camp, so that the kept file is small. Plans and ledgers stay whole.
delete from video_views where video_id not in (select id from videos order by id limit 2);
delete from video_likes where video_id not in (select id from videos order by id limit 20);
delete from video_comments where video_id not in (select id from videos order by id limit 40);
delete from deliveries where notification_id not in (select id from notifications order by id limit 2);
delete from product_images;
