//! Enums whose variants have a name that options and command lines call them by.

/// Gives an enum a stable id for each variant: the list `ALL`, `id`, `Display`, `FromStr` (without regard to ASCII case)
/// and the error of that, whose message lists the ids. A variant that is left out does not compile.
macro_rules! ids {
    ($kind:ident, $unknown:ident, $what:literal: $($variant:ident = $id:expr),+ $(,)?) => {
        impl $kind {
            /// All of them, in the order in which they are listed to users.
            pub const ALL: [Self; [$($id),+].len()] = [$(Self::$variant),+];

            /// Its stable name, in lower case.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$variant => $id),+
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.id())
            }
        }

        #[doc = concat!("There is no ", $what, " of that name; of the name the first 40 characters are kept.")]
        #[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
        #[error("no {} '{}'; there are {}", $what, .0.escape_default(), $kind::ALL.map($kind::id).join(", "))]
        pub struct $unknown(pub String);

        impl std::str::FromStr for $kind {
            type Err = $unknown;

            fn from_str(text: &str) -> Result<Self, $unknown> {
                let found = Self::ALL.into_iter().find(|known| known.id().eq_ignore_ascii_case(text));
                found.ok_or_else(|| $unknown(text.chars().take(40).collect()))
            }
        }
    };
}
