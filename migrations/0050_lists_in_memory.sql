-- Lists of published videos are answered from memory.
drop index videos_popular;
