//! A log of the traffic with programs.

use astragal::record::Escaped;
use parking_lot::Mutex;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Which way a line went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the standard input of the program.
    Sent,
    /// From its standard output.
    Heard,
    /// From its standard error.
    Errors,
}

/// A line that went one way or the other.
#[derive(Clone, Copy, Debug)]
pub struct Traffic<'a> {
    /// Which way.
    pub direction: Direction,
    /// The line without its end, as it came: [`Escaped`] makes it fit to be shown.
    pub text: &'a str,
    /// When it was written or read.
    pub at: SystemTime,
}

/// Is called with every line, by the threads that write and read. It must not block for long: the program's answers
/// wait for it.
pub type Hook = Arc<dyn Fn(&Traffic<'_>) + Send + Sync>;

/// A file that gets every line of one or more programs: the time (UTC), the label of the program, `>` for a line to it,
/// `<` for one from it and `!` for one of its standard error, and the text, escaped.
///
/// # Examples
/// ```no_run
/// use astragal_client::{Engine, Setup, TrafficLog};
///
/// let log = TrafficLog::append("traffic.log".as_ref())?;
/// let engine = Engine::start(&Setup::new(["./astragal"]).hook(log.hook("astragal")))?;
/// // 2026-02-03T04:05:06.789Z astragal > uci
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrafficLog(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    file: File,
    failed: Option<io::Error>,
}

impl TrafficLog {
    /// Opens a file, to write at its end.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn append(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self(Arc::new(Mutex::new(Inner { file, failed: None }))))
    }

    /// A hook for the program with this label.
    pub fn hook(&self, label: &str) -> Hook {
        let (log, label) = (self.clone(), Escaped(label).to_string());
        Arc::new(move |traffic| log.write(&label, traffic))
    }

    /// The first error in writing, after which nothing more is written: no game ends for a full disk.
    pub fn take_error(&self) -> Option<io::Error> {
        self.0.lock().failed.take()
    }

    fn write(&self, label: &str, traffic: &Traffic<'_>) {
        let mark = match traffic.direction {
            Direction::Sent => '>',
            Direction::Heard => '<',
            Direction::Errors => '!',
        };
        let line = format!("{} {label} {mark} {}\n", Utc(traffic.at), Escaped(traffic.text));
        let mut inner = self.0.lock();
        if inner.failed.is_none()
            && let Err(error) = inner.file.write_all(line.as_bytes())
        {
            inner.failed = Some(error);
        }
    }
}

/// A time as `2026-02-03T04:05:06.789Z`.
struct Utc(SystemTime);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
        // Years begin in March here, so that the leap day is the last one; 400 years have 146,097 days.
        let days = days + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        // date -u -d @N +%FT%T
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (951_868_800, "2000-03-01T00:00:00.007Z"),
            (1_767_225_599, "2025-12-31T23:59:59.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(7);
            assert_eq!(Utc(time).to_string(), text);
        }
    }

    #[test]
    fn lines_are_told_apart_and_escaped() {
        let path = std::env::temp_dir().join(format!("astragal-traffic-{}.log", std::process::id()));
        let log = TrafficLog::append(&path).expect("a file for temporary use");
        let hook = log.hook("A\u{1b}");
        for (direction, text) in [(Direction::Sent, "uci"), (Direction::Heard, "id \u{7}"), (Direction::Errors, "x")] {
            hook(&Traffic { direction, text, at: UNIX_EPOCH });
        }
        let text = std::fs::read_to_string(&path).expect("the log can be read");
        std::fs::remove_file(&path).expect("the log can be removed");
        let start = "1970-01-01T00:00:00.000Z A\\u{1b}";
        assert_eq!(text, format!("{start} > uci\n{start} < id \\u{{7}}\n{start} ! x\n"));
        assert!(log.take_error().is_none());
    }
}
