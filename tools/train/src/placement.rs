//! The first field of a DFEN out of 64 squares.

/// The placement of pieces by their letters, by square from a1 on.
pub fn placement(board: &[Option<u8>; 64]) -> String {
    let mut text = String::with_capacity(72);
    for rank in board.chunks(8).rev() {
        if !text.is_empty() {
            text.push('/');
        }
        for run in rank.chunk_by(|a, b| a.is_none() && b.is_none()) {
            match run[0] {
                None => text.push_str(&run.len().to_string()),
                Some(letter) => text.push(char::from(letter)),
            }
        }
    }
    text
}
