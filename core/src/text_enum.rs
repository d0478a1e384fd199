//! Enums whose variants are stored as fixed texts.

/// Defines an enum with the stored text of each variant.
///
/// `ALL` lists the variants in the order of the definition, and cannot leave one out.
macro_rules! text_enum {
    (
        $(#[$doc:meta])*
        $Enum:ident { $($(#[$about:meta])* $Variant:ident = $text:literal,)+ }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Enum { $($(#[$about])* $Variant,)+ }

        impl $Enum {
            pub const ALL: &[$Enum] = &[$($Enum::$Variant,)+];

            /// The stored text.
            pub const fn text(self) -> &'static str {
                match self { $($Enum::$Variant => $text,)+ }
            }
        }
    };
}
pub(crate) use text_enum;
