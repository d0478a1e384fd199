//! The content security policies (safety 19): one for pages, and one for everything else.

use portal::settings::Settings;
use portal::{App, Result, videos};

/// The policy for data and files, which need nothing even if a browser shows one as a page.
pub const OF_DATA: &str = "default-src 'none'; frame-ancestors 'none'";

/// The policy for a page. It allows media from other sites only while there are such videos, and in
/// the staff area, where staff try a video before they publish it. The page for a new password
/// leads staff there without another page load, so it gets the same policy.
pub async fn of_page(app: &App, settings: &Settings, path: &str) -> Result<String> {
    let staff_area = matches!(path, "/admin" | "/auth/reset") || path.starts_with("/admin/");
    let elsewhere = match staff_area || videos::media_elsewhere(app).await? {
        true if app.config.https() => " https:",
        true => " https: http://127.0.0.1:* http://localhost:*",
        false => "",
    };
    let frames = frames(settings);
    let bucket = bucket(app).await;
    Ok(format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: https://i.ytimg.com https://drive.google.com https://*.googleusercontent.com; \
         media-src 'self' blob:{elsewhere}{bucket}; font-src 'self'; connect-src 'self'{bucket}; \
         frame-src {frames}; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ))
}

/// The bucket, if browsers load videos from it directly.
async fn bucket(app: &App) -> String {
    if !app.config.storage_redirects {
        return String::new();
    }
    match app.files.signed_url("videos").await {
        Ok(url) => {
            url.map(|url| format!(" {}", url.origin().ascii_serialization())).unwrap_or_default()
        }
        Err(error) => {
            tracing::warn!(error = error.reason(), "no address of the bucket could be signed");
            String::new()
        }
    }
}

/// The sites that may be embedded in frames.
fn frames(settings: &Settings) -> String {
    let mut frames = "https://www.youtube-nocookie.com https://drive.google.com".to_owned();
    if let Some(shop) = settings.shop_origin() {
        frames.push(' ');
        frames.push_str(&shop);
    }
    frames
}

#[cfg(test)]
mod tests {
    use portal::settings::Settings;

    #[test]
    fn the_shop_may_be_framed_once_its_address_is_set() {
        let mut settings = Settings::default();
        assert!(super::frames(&settings).ends_with("drive.google.com"));
        settings.shop_url = "https://shop.example:8443/camp?x=;script-src *".into();
        assert!(super::frames(&settings).ends_with("drive.google.com https://shop.example:8443"));
    }
}
