//! How much memory there is for a transposition table, so that a request for more is refused and ends nothing.

use crate::search::has_memory_for_table;
use thiserror::Error;

/// Of the memory that is free a table may have this part: the rest is for everything else.
const MOST: f64 = 0.9;

/// Why a table of that size is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum HashError {
    /// There is not so much.
    #[error("{wanted} MiB are more than 90 % of the {free} MiB that are free")]
    TooMuch {
        /// Mebibytes asked for.
        wanted: usize,
        /// Mebibytes that are free.
        free: u64,
    },
    /// The system does not reserve so much, for a limit of the process or of its own.
    #[error("the system refuses to reserve {wanted} MiB{}", .free.map(|mib| format!(" ({mib} MiB are free)")).unwrap_or_default())]
    Refused {
        /// Mebibytes asked for.
        wanted: usize,
        /// Mebibytes that are free, where that can be told.
        free: Option<u64>,
    },
}

/// Whether there is memory for a transposition table of this many mebibytes now.
///
/// # Errors
/// It would take more than 90 % of what is free (the lesser of what the system says and what the control groups of
/// the process allow), or the system refuses to reserve it.
pub fn check_hash(mebibytes: usize) -> Result<(), HashError> {
    let free = system::free_mebibytes();
    if let Some(free) = free
        && mebibytes as f64 > MOST * free as f64
    {
        return Err(HashError::TooMuch { wanted: mebibytes, free });
    }
    if has_memory_for_table(mebibytes) { Ok(()) } else { Err(HashError::Refused { wanted: mebibytes, free }) }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::read_to_string;
    use std::path::{Path, PathBuf};

    const KIB_IN_MIB: u64 = 1 << 10;
    const BYTES_IN_MIB: u64 = 1 << 20;

    pub(super) fn free_mebibytes() -> Option<u64> {
        let available = read_to_string("/proc/meminfo").ok().and_then(|text| available_kib(&text));
        let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
        let limit = limit_files(&groups)
            .filter_map(|path| read_to_string(path).ok())
            // Where there is no limit it says "max".
            .filter_map(|text| text.trim().parse::<u64>().ok())
            .min();
        available.map(|kib| kib / KIB_IN_MIB).into_iter().chain(limit.map(|bytes| bytes / BYTES_IN_MIB)).min()
    }

    /// What can be given to programs without swapping, by /proc/meminfo.
    pub(super) fn available_kib(meminfo: &str) -> Option<u64> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    /// The files that hold the limits of the control groups that /proc/self/cgroup names, and of all groups above them.
    pub(super) fn limit_files(groups: &str) -> impl Iterator<Item = PathBuf> {
        let groups = groups.lines().filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
            let (root, file) = match controllers {
                "" => ("/sys/fs/cgroup", "memory.max"),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
                }
                _ => return None,
            };
            Some((Path::new(root).join(group.trim_start_matches('/')), root, file))
        });
        let files = groups.flat_map(|(group, root, file)| {
            let above = group.ancestors().take_while(|above| above.starts_with(root));
            above.map(|group| group.join(file)).collect::<Vec<_>>()
        });
        files.collect::<Vec<_>>().into_iter()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Only a refusal by the system itself tells here.
    pub(super) fn free_mebibytes() -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_table_has_room_and_one_beyond_all_memory_has_not() {
        assert_eq!(check_hash(1), Ok(()));
        let error = check_hash(usize::MAX >> 21).expect_err("there is no such machine");
        assert!(error.to_string().contains("MiB"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_free_is_read_from_the_files_of_the_system() {
        let text = "MemTotal:       24689764 kB\nMemFree:        1 kB\nMemAvailable:   20971520 kB\n";
        assert_eq!(system::available_kib(text), Some(20_971_520));
        assert_eq!(system::available_kib("MemTotal: 5 kB\n"), None);
        let files = |groups: &str| -> Vec<String> {
            system::limit_files(groups).map(|path| path.to_string_lossy().into_owned()).collect()
        };
        let second = ["a/b/memory.max", "a/memory.max", "memory.max"].map(|name| format!("/sys/fs/cgroup/{name}"));
        assert_eq!(files("0::/a/b\n"), second);
        assert_eq!(files("0::/\n"), second[2..]);
        let first = "/sys/fs/cgroup/memory/c/memory.limit_in_bytes";
        let files = files("4:cpu,cpuacct:/c\n7:memory:/c\nnonsense\n");
        assert!(files.len() == 2 && files[0] == first, "{files:?}");
    }
}
