-- Staff find a merged family by the names that it had before. Earlier versions left them out of the searched text.
update profiles
set search_text = search_text || '
' || (select string_agg(replace(m.value, '
', ' '), '
')
      from merged_identities m
      where m.profile_id = profiles.id and m.kind = 'name')
where deleted_at is null
  and exists (select 1 from merged_identities m
              where m.profile_id = profiles.id and m.kind = 'name');
