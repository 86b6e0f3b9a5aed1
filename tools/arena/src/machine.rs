//! What the arena runs on, for headers and reports.

/// The processor's model, as the system tells it.
pub fn cpu() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        line.split_once(':').map(|(_, model)| model.trim().to_owned())
    });
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{model}, {} cores", cores())
}

/// The cores that may be used.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The operating system and its version.
pub fn os() -> String {
    #[cfg(unix)]
    {
        let name = rustix::system::uname();
        format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy())
    }
    #[cfg(not(unix))]
    std::env::consts::OS.to_owned()
}
