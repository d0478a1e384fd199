//! The invented names and texts of sample mails.

/// What people type, for the samples of all mails.
#[derive(Debug, Clone)]
pub struct SampleWords {
    /// A parent.
    pub person: String,
    pub child: String,
    /// A member of the staff.
    pub staff: String,
    /// The title of a video, an update, a newsletter or a message.
    pub title: String,
    /// What staff or parents write; an empty line begins a new paragraph.
    pub text: String,
    /// The note of a payment.
    pub note: String,
}

impl Default for SampleWords {
    fn default() -> SampleWords {
        SampleWords {
            person: "Chaya Weiss".into(),
            child: "Mendy".into(),
            staff: "rivka".into(),
            title: "A day at the lake".into(),
            text: "The water was cold, and nobody minded. Tomorrow we hike to the falls.\n\n\
                   טייערע עלטערן,\nאלע קינדער האבן געשוואומען, און געזונגען ביים פייער ביז שפעט. א גוטע נאכט!"
                .into(),
            note: "Check no. 1042".into(),
        }
    }
}
