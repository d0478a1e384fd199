//! What is measured.

use super::dataset::ONE_NAME;

/// Short lists, which are not paginated. Where the large camp has more rows the times are only shown.
pub fn is_whole(path: &str) -> bool {
    ["/years", "/accounts", "/deliveries", "/statement", "/filters"]
        .iter()
        .any(|list| path.contains(list))
}

/// Sums over all rows.
pub fn is_sum(path: &str) -> bool {
    ["/summary", "/counts", "/stats", "/reach", "/dashboard", "/analytics", "/totals"]
        .iter()
        .any(|figure| path.contains(figure))
}

/// Every list of the staff area with all filters, sort orders and searches, its totals, and the lists of
/// the public pages.
pub fn paths() -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut add = |list: &str, queries: &[&str]| {
        paths.extend(queries.iter().map(|query| match *query {
            "" => list.to_owned(),
            query => format!("{list}?{query}"),
        }));
    };
    let one = format!("q={ONE_NAME}");
    let one = one.as_str();
    for filter in ["all", "paid", "due", "overdue", "no_plan", "to_approve"] {
        for sort in ["name", "payment", "amount", "email", "joined"] {
            for direction in ["asc", "desc"] {
                let query = format!("filter={filter}&sort={sort}&direction={direction}");
                add("/api/admin/users", &[&query]);
            }
        }
    }
    add("/api/admin/users", &[one, "q=family1", "q=birnbaum", "q=nobody", "q=family1&sort=name"]);
    add("/api/admin/users/summary", &[""]);
    add("/api/admin/payments", &["", "from=2026-07-01&to=2026-07-31", "to=2010-12-31"]);
    add("/api/admin/payments/totals", &["", "from=2026-07-01&to=2026-07-31"]);

    add("/api/admin/users/{family}/statement", &[""]);
    add("/api/admin/videos", &["", "q=barn", "q=nothing", "sort=views", "sort=title"]);
    add("/api/admin/videos", &["sort=views&status=draft", "sort=title&q=barn"]);
    for collection in ["current", "archive"] {
        let list = format!("/api/admin/videos?collection={collection}");
        for more in ["", "&status=draft", "&status=scheduled", "&status=published", "&q=barn"] {
            add(&format!("{list}{more}"), &[""]);
        }
    }
    add("/api/admin/videos?collection=archive&year={earlier}", &[""]);
    for attention in ["failed_mails", "reported_comments", "held_comments"] {
        add("/api/admin/videos", &[&format!("attention={attention}")]);
    }
    add("/api/admin/videos/counts", &["", "q=barn"]);
    add("/api/admin/videos/years", &[""]);
    add("/api/admin/videos/{video}/deliveries", &[""]);
    add("/api/admin/videos/{video}/comments", &[""]);
    add("/api/admin/live-updates", &["", "q=dock", "q=nothing", "priority=high"]);
    add("/api/admin/live-updates", &["standing=active", "standing=inactive", "standing=expired"]);
    add("/api/admin/live-updates/reach", &[""]);
    add("/api/admin/messages", &["", one, "q=nothing", "spam=true", "status=unread"]);
    add("/api/admin/messages", &["status=read", "status=replied", "department=video_team"]);
    add("/api/admin/messages", &["unassigned=true", "assigned_to=counselor0", "sort=oldest"]);
    add("/api/admin/messages/counts", &[""]);
    add("/api/admin/comments", &["", "filter=reported", "filter=held", "filter=hidden"]);
    add("/api/admin/comments", &["filter=all", "filter=all&q=night", "q=nothing"]);
    add("/api/admin/comments/counts", &["", "q=night"]);
    add("/api/admin/letters", &[""]);
    add("/api/admin/mail/failed", &["", "about=videos", "about=other"]);
    add("/api/admin/mail/refused", &[""]);
    add("/api/admin/subscribers", &["", one, "q=nothing"]);
    add("/api/admin/faq", &["", "q=lake", "category=Schedule"]);
    add("/api/admin/faq/stats", &[""]);
    add("/api/admin/products", &["", "q=cap", "category=clothing"]);
    add("/api/admin/products", &["sort=title", "sort=price", "sort=stock"]);
    add("/api/admin/products/stats", &[""]);
    add("/api/admin/audit", &["", "subject_id={family}", "actor=counselor0", "action=payment"]);
    add("/api/admin/audit", &["action=settings.set", "subject_kind=staff", "actor_kind=nobody"]);
    add("/api/admin/audit", &["from=2026-08-20&to=2026-08-20", "to=2026-08-20&action=payment"]);
    add("/api/admin/audit", &["actor=counselor0&action=payment", "action=video.delete"]);
    add("/api/admin/audit/filters", &[""]);
    add("/api/admin/accounts", &[""]);
    add("/api/admin/dashboard", &[""]);
    add("/api/admin/analytics", &["period=7", "period=30", "period=90", "period=season"]);
    add("/api/videos", &["collection=home", "collection=current", "collection=archive"]);
    add("/api/videos", &["collection=archive&year={earlier}", "collection=current&sort=popular"]);
    add("/api/videos", &["collection=current&q=barn", "collection=archive&q=barn", "q=nothing"]);
    add("/api/videos/years", &[""]);

    add("/api/videos/{video}/comments", &[""]);
    add("/api/live-updates", &[""]);
    add("/api/faq", &[""]);
    paths
}
