//! What Linux tells of free memory: proc(5) and the control group files of both versions (cgroups(7), the kernel's cgroup-v1 and cgroup-v2 guides).

use std::{fs, path::Path};

/// The least of `MemAvailable` and what every control group of this process still allows; `None` where /proc is missing.
pub fn available() -> Option<u64> {
    let system = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? * 1024;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let read = |path: &str| fs::read_to_string(path).ok();
    Some(groups.lines().filter_map(|line| group_room(line, read)).fold(system, u64::min))
}

/// Names of one version's files: limit, use, and in `memory.stat` the file cache that is given up on demand.
struct Files {
    root: &'static str,
    limit: &'static str,
    used: &'static str,
    cache: &'static str,
}

const V1: Files = Files {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cache: "total_inactive_file",
};
const V2: Files = Files { root: "/sys/fs/cgroup", limit: "memory.max", used: "memory.current", cache: "inactive_file" };

/// What a line `hierarchy:controllers:path` of /proc/self/cgroup and the groups above it still allow.
fn group_room(line: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let mut parts = line.splitn(3, ':');
    let (hierarchy, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let files = match hierarchy {
        "0" => V2,
        _ if controllers.split(',').any(|c| c == "memory") => V1,
        _ => return None,
    };
    Path::new(path).ancestors().filter_map(|group| room(&files, group.to_str()?, &read)).min()
}

/// Limit less use of one group; `None` without a limit, and for a group that this process does not see.
fn room(files: &Files, group: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let folder = format!("{}{}", files.root, group.trim_end_matches('/'));
    let number = |name: &str| read(&format!("{folder}/{name}"))?.trim().parse::<u64>().ok();
    let (limit, used) = (number(files.limit)?, number(files.used)?);
    let cache = read(&format!("{folder}/memory.stat")).and_then(|stat| field(&stat, files.cache)).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)))
}

/// The number after `name` in lines "name number ...".
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "MemTotal: 16 kB\nMemAvailable:  12 kB\nMem: 3 kB\n";
        assert_eq!(field(text, "MemAvailable:"), Some(12));
        assert_eq!(field(text, "Mem"), None);
    }

    #[test]
    fn the_tightest_group_counts_and_its_file_cache_is_free() {
        let read = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/memory.max" => "1000\n",
                "/sys/fs/cgroup/a/memory.current" => "900\n",
                "/sys/fs/cgroup/a/memory.stat" => "anon 300\ninactive_file 600\n",
                "/sys/fs/cgroup/memory/c/memory.limit_in_bytes" => "50\n",
                "/sys/fs/cgroup/memory/c/memory.usage_in_bytes" => "60\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(group_room("0::/a/b", read), Some(700));
        assert_eq!(group_room("4:cpu,memory:/c/d", read), Some(0));
        assert_eq!(group_room("5:cpu:/c", read), None);
        assert_eq!(group_room("0::/", read), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        assert!(available().unwrap() > 1 << 20);
    }
}
