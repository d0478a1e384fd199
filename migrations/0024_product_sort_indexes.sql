-- Each order of the staff's list of products has an index.

create index products_by_title on products (lower(title), id);
create index products_by_price on products (price, id);
create index products_by_stock on products (stock_quantity, id);
