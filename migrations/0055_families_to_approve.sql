-- The other orders of families that wait for approval, of which there are few.
create index profiles_to_approve_by_name on profiles (search_text, id)
    where approved_at is null and refused_at is null and user_type = 'parent' and deleted_at is null;
create index profiles_to_approve_by_email on profiles (list_email, id)
    where approved_at is null and refused_at is null and user_type = 'parent' and deleted_at is null;
