//! `astragal convert`.

use super::Done;
use super::output::Output;
use super::source::Source;
use crate::record::{Converter, Form, Records};
use clap::Args;
use std::path::PathBuf;

/// Writes games in another form: text records, journals, histories of the platform.
#[derive(Args)]
pub(super) struct Convert {
    /// Games of any form; `-` reads standard input.
    file: PathBuf,
    /// The form to write: journal, history (a line a game) or text.
    #[arg(long)]
    to: Form,
}

impl Convert {
    /// Writes the games; what the form cannot hold and what cannot be read goes to standard error.
    pub(super) fn run(self) -> Result<Done, String> {
        let source = Source::open(&self.file)?;
        let shown = source.name.clone();
        let mut records = Records::new(source).map_err(|error| format!("{shown}: {error}"))?;
        let mut output = Output::new();
        let mut converter: Option<Converter> = None;
        let (mut games, mut bad) = (0_u64, 0_u64);
        while !output.closed
            && let Some(game) = records.next_game()
        {
            let written = game.map_err(|error| error.to_string()).and_then(|game| {
                // The header of a text is known with its first game.
                let converter = converter.get_or_insert_with(|| Converter::new(self.to, records.journal_header()));
                converter.game(&game).map_err(|error| error.what)
            });
            match written {
                Ok(text) => {
                    output.write(&text)?;
                    games += 1;
                }
                Err(error) => {
                    eprintln!("astragal: {shown}: {error}");
                    bad += 1;
                }
            }
        }
        if let Some(line) = records.torn() {
            eprintln!("astragal: {shown}: line {line} was torn and is left out");
        }
        if games == 0 && bad > 0 {
            return Err(format!("{shown}: none of {bad} games can be read"));
        }
        let mut converter = converter.unwrap_or_else(|| Converter::new(self.to, records.journal_header()));
        output.write(&converter.end().map_err(|error| error.what)?)?;
        for (what, count) in converter.lost() {
            eprintln!("astragal: lost in the form '{}': {what} (games: {count})", self.to);
        }
        for what in records.passed_over() {
            eprintln!("astragal: {shown}: passed over: {what}");
        }
        if records.remarks() > 0 {
            eprintln!("astragal: {shown}: passed over: {} comments", records.remarks());
        }
        Ok(if bad == 0 { Done::All } else { Done::Partly })
    }
}
