//! Separate types for the ids of families, users and staff accounts, so that functions cannot mix
//! them up.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Defines an id as a type of its own, stored and sent as a plain UUID.
macro_rules! id {
    ($(#[$doc:meta])* $Id:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
        )]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $Id(Uuid);

        impl $Id {
            /// A new id. Later ones are greater.
            pub(crate) fn generate() -> $Id {
                $Id(Uuid::now_v7())
            }
        }

        impl std::fmt::Display for $Id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<Uuid> for $Id {
            fn from(id: Uuid) -> $Id {
                $Id(id)
            }
        }

        impl From<$Id> for Uuid {
            fn from(id: $Id) -> Uuid {
                id.0
            }
        }
    };
}

id! {
    /// A family, or the record of a visitor: a row of `profiles`.
    FamilyId
}

id! {
    /// A user: a row of `users`.
    UserId
}

id! {
    /// A staff account: a row of `staff`.
    StaffId
}
