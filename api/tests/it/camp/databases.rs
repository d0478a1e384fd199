//! An empty database for each test, copied from a migrated one.

use portal::App;
use tokio::sync::OnceCell;

use super::config;

/// An empty migrated SQLite database, from which tests copy.
pub(super) async fn sqlite_template() -> &'static std::path::Path {
    static TEMPLATE: OnceCell<(tempfile::TempDir, std::path::PathBuf)> = OnceCell::const_new();
    let (_, path) = TEMPLATE
        .get_or_init(|| async {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("template.db");
            let url = format!("sqlite://{}", file.display());
            let app =
                App::open_or_create(config(folder.path(), &url)).await.expect("the template opens");
            app.db.close().await;
            (folder, file)
        })
        .await;
    path
}

fn postgres_url() -> String {
    std::env::var("CAMP_TEST_POSTGRES_URL")
        .expect("CAMP_TEST_POSTGRES_URL names no server; `just test` starts one for these tests")
}

pub(super) async fn postgres_command(sql: &str) {
    use sqlx::{Connection, Executor};
    let mut connection =
        sqlx::PgConnection::connect(&postgres_url()).await.expect("the server answers");
    connection.execute(sqlx::AssertSqlSafe(sql.to_owned())).await.expect("the command works");
    connection.close().await.ok();
}

pub(super) async fn postgres_copy() -> String {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let url = postgres_url();
    let base = url.rsplit_once('/').expect("a database in the address").0;
    let template = TEMPLATE
        .get_or_init(|| async {
            let name = format!("template_{}", uuid::Uuid::new_v4().simple());
            postgres_command(&format!("create database {name}")).await;
            let folder = tempfile::tempdir().expect("a folder");
            let app = App::open_or_create(config(folder.path(), &format!("{base}/{name}"))).await;
            app.expect("the template opens").db.close().await;
            name
        })
        .await;
    let name = format!("test_{}", uuid::Uuid::new_v4().simple());
    let _alone = ONE_AT_A_TIME.lock().await;
    postgres_command(&format!("create database {name} template {template}")).await;
    format!("{base}/{name}")
}
