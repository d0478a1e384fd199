//! `camp openapi`: prints the contract of the API.

use crate::output::{Code, Outcome, print};

/// Print the OpenAPI 3.1 document of the portal
#[derive(clap::Args)]
#[command(after_help = "Example:\n  camp openapi > web/openapi.json")]
pub struct Openapi {}

impl Openapi {
    pub fn run(self) -> Outcome {
        print(api::openapi().trim_end());
        Ok(Code::Done)
    }
}
