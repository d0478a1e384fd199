//! The HTML that pages show before their scripts: each page's own React components, rendered by the
//! build of the front end (`web/build/shells.ts`) into a template with holes like `[[name]]`. The
//! browser takes the elements over, so what is filled in must be what the scripts would render.
//! Those of the staff area are replaced by what the scripts render, since they do not know who is
//! signed in.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use portal::branding::SitePicture;
use portal::settings;
use serde::Deserialize;

use super::Web;
use super::meta::escape;
use crate::site::Site;

#[derive(Default, Deserialize)]
pub struct Shells {
    logos: Vec<Logo>,
    pages: Vec<Shell>,
    /// The pages of the staff area by their paths. Their common source module is in the shell of the area.
    staff: HashMap<String, StaffPage>,
    /// The style sheet in the HTML of all pages, and what the staff area's shells need in its place.
    style: String,
    staff_style: String,
}

#[derive(Deserialize)]
struct StaffPage {
    /// The source module of the page.
    module: String,
    /// Its heading; none if the HTML shows only the bar at the top.
    title: Option<String>,
    html: String,
}

/// The camp's mark and name.
#[derive(Deserialize)]
struct Logo {
    /// A picture of the camp, not the built-in mark.
    own: bool,
    yiddish: bool,
    html: String,
}

#[derive(Deserialize)]
pub struct Shell {
    /// As in `web/src/app/routes.tsx`: `:id` is one segment, `*` at the end anything.
    path: String,
    /// The source module of the page.
    module: String,
    html: String,
    /// The HTML with a picture.
    pictured: String,
}

/// The picture that a page shows first.
#[derive(Debug)]
pub struct FirstPicture {
    pub url: String,
    /// For small screens, if it has another size for them. Width is that of `url` in pixels.
    pub small: Option<(String, i64)>,
}

impl From<&SitePicture> for FirstPicture {
    fn from(SitePicture { url, small_url, width, .. }: &SitePicture) -> Self {
        let small = small_url.as_ref().unwrap_or(url).clone();
        FirstPicture { url: url.clone(), small: Some((small, *width)) }
    }
}

/// The shells of the build. Read again in development, where they change.
pub fn of_build() -> Arc<Shells> {
    static BUILT: OnceLock<Arc<Shells>> = OnceLock::new();
    let read = || {
        let file = Web::get(".vite/shells.json");
        Arc::new(file.and_then(|file| serde_json::from_slice(&file.data).ok()).unwrap_or_default())
    };
    if cfg!(debug_assertions) { read() } else { BUILT.get_or_init(read).clone() }
}

impl Shells {
    /// The first page whose pattern this path matches.
    pub fn find(&self, path: &str) -> Option<&Shell> {
        self.pages.iter().find(|shell| matches(&shell.path, path))
    }

    /// The source modules of the page at this path.
    pub fn modules<'a>(&'a self, shell: &'a Shell, path: &str) -> Vec<&'a str> {
        let of_staff = self.staff.get(path).map(|page| page.module.as_str());
        std::iter::once(shell.module.as_str()).chain(of_staff).collect()
    }

    /// The HTML of a page for the element that the scripts render into.
    pub fn fill(&self, shell: &Shell, site: &Site, picture: Option<&FirstPicture>) -> String {
        let template = if picture.is_some() { &shell.pictured } else { &shell.html };
        self.fill_in(template, site, picture)
    }

    /// The same for a page of the staff area, if it has a shell of its own.
    pub fn fill_for_staff(&self, path: &str, site: &Site) -> Option<String> {
        Some(self.fill_in(&self.staff.get(path)?.html, site, None))
    }

    /// The title of a page of the staff area. Without a session, every one of them leads to the
    /// page for signing in.
    pub fn title_for_staff(&self, path: &str, may_have_a_session: bool) -> &str {
        let of_page = self.staff.get(path).and_then(|page| page.title.as_deref());
        match path.rsplit('/').collect::<Vec<_>>()[..] {
            _ if !may_have_a_session || path == "/admin/login" => "Staff Login",
            _ if of_page.is_some() => of_page.unwrap_or_default(),
            ["statement", _, "users", ..] => "Statement",
            [_, "receipt", _, "users", ..] => "Receipt",
            _ => "Page not found",
        }
    }

    /// The whole HTML with the style sheet that shells of the staff area need.
    pub fn with_staff_style(&self, html: &str) -> String {
        html.replacen(&self.style, &self.staff_style, 1)
    }

    fn fill_in(&self, template: &str, site: &Site, picture: Option<&FirstPicture>) -> String {
        let (name, yiddish) = settings::in_two_scripts(&site.site_name);
        let own = site.pictures.logo.as_ref();
        let logo = self
            .logos
            .iter()
            .find(|logo| logo.own == own.is_some() && logo.yiddish == yiddish.is_some())
            .map_or("", |logo| &logo.html);
        let of_logo = |part: fn(&SitePicture) -> String| own.map(part).unwrap_or_default();
        let (small, width) = picture.and_then(|picture| picture.small.clone()).unwrap_or_default();
        let value = |hole: &str| match hole {
            "name" => name.to_owned(),
            "yiddish" => yiddish.unwrap_or_default().to_owned(),
            "logo_url" => of_logo(|logo| logo.url.clone()),
            "logo_width" => of_logo(|logo| logo.width.to_string()),
            "logo_height" => of_logo(|logo| logo.height.to_string()),
            "posting_time" => site.posting_time_text.clone(),
            "picture" => picture.map(|picture| picture.url.clone()).unwrap_or_default(),
            "small_picture" => small.clone(),
            "picture_width" => width.to_string(),
            _ => String::new(),
        };
        let mut html = String::with_capacity(template.len() + 1024);
        // What is filled in is not searched for holes.
        fill(&template.replacen("[[logo]]", logo, 1), value, &mut html);
        html
    }
}

fn fill(template: &str, value: impl Fn(&str) -> String, html: &mut String) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((hole, after)) = after.split_once("]]") else { break };
        html.push_str(before);
        html.push_str(&escape(&value(hole)));
        rest = after;
    }
    html.push_str(rest);
}

fn matches(pattern: &str, path: &str) -> bool {
    if let Some(area) = pattern.strip_suffix('*') {
        return path.starts_with(area) || path == area.trim_end_matches('/');
    }
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(":id"), Some(segment)) if !segment.is_empty() => {}
            (Some(wanted), Some(given)) if wanted == given => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_its_path() {
        let shell = |path: &str| Shell {
            path: path.into(),
            module: String::new(),
            html: String::new(),
            pictured: String::new(),
        };
        let pages = ["/admin/*", "/", "/faq", "/updates", "/updates/:id", "*"].map(shell).into();
        let shells = Shells { logos: vec![], pages, ..Shells::default() };
        for (path, page) in [
            ("/", "/"),
            ("/faq", "/faq"),
            ("/updates", "/updates"),
            ("/updates/1", "/updates/:id"),
            ("/updates/1/2", "*"),
            ("/elsewhere", "*"),
            ("/admin", "/admin/*"),
            ("/admin/users", "/admin/*"),
            ("/administrator", "*"),
        ] {
            assert_eq!(shells.find(path).map(|shell| shell.path.as_str()), Some(page), "{path}");
        }
    }

    #[test]
    fn a_page_of_the_staff_area_needs_its_own_module_and_the_common_one() {
        let area = Shell {
            path: "/admin/*".into(),
            module: "admin.tsx".into(),
            html: String::new(),
            pictured: String::new(),
        };
        let page = StaffPage {
            module: "users.tsx".into(),
            title: Some("User Management".into()),
            html: String::new(),
        };
        let staff = HashMap::from([("/admin/users".into(), page)]);
        let shells = Shells { pages: vec![area], staff, ..Shells::default() };
        let modules = |path: &str| shells.modules(shells.find(path).expect("a shell"), path);
        assert_eq!(modules("/admin/users"), ["admin.tsx", "users.tsx"]);
        assert_eq!(modules("/admin/login"), ["admin.tsx"]);
        for (path, title) in [
            ("/admin/users", "User Management"),
            ("/admin/users/1/statement", "Statement"),
            ("/admin/users/1/receipt/2", "Receipt"),
            ("/admin/login", "Staff Login"),
            ("/admin/nowhere", "Page not found"),
        ] {
            assert_eq!(shells.title_for_staff(path, true), title);
            assert_eq!(shells.title_for_staff(path, false), "Staff Login");
        }
    }

    #[test]
    fn what_is_filled_in_is_text() {
        let mut html = String::new();
        let value = |hole: &str| match hole {
            "name" => "<b> [[picture]] & \"co\"".to_owned(),
            _ => "!".to_owned(),
        };
        fill("<p title=\"[[name]]\">[[other]]</p>[[", value, &mut html);
        assert_eq!(html, "<p title=\"&lt;b&gt; [[picture]] &amp; &quot;co&quot;\">!</p>[[");
    }
}
