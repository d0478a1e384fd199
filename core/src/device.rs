//! The kind of device that somebody uses.

use serde::Serialize;

/// The kind of device, guessed from the browser. Nothing else about the browser is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Device {
    Phone,
    Tablet,
    Computer,
}

impl Device {
    /// Guesses the device from the User-Agent header.
    pub fn from_user_agent(agent: &str) -> Device {
        let has = |text| agent.contains(text);
        if has("iPad") || has("Tablet") || (has("Android") && !has("Mobile")) {
            Device::Tablet
        } else if has("Mobile") || has("iPhone") || has("Android") {
            Device::Phone
        } else {
            Device::Computer
        }
    }
}
