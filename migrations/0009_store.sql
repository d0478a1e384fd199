-- The camp's store: products that staff manage, each with up to four pictures.

create table products (
    id uuid primary key,
    title text not null,
    description text,
    -- cents
    price bigint not null check (price >= 0),
    category text not null check (category in
        ('clothing', 'accessories', 'equipment', 'memorabilia', 'digital')),
    stock_quantity bigint not null check (stock_quantity >= 0),
    is_new boolean not null,
    is_bestseller boolean not null,
    is_featured boolean not null,
    is_active boolean not null,
    created_by uuid references staff (id) on delete set null,
    search_text text not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);

create index products_newest on products (created_at, id);

create table product_images (
    id uuid primary key,
    product_id uuid not null references products (id) on delete cascade,
    file_key text not null,
    thumb_key text not null,
    alt_text text not null,
    display_order bigint not null,
    created_at timestamptz not null
);

create index product_images_product on product_images (product_id, display_order);
