import Glibc

/// Where a process stands in the control groups, of either version.
package struct ControlGroup: Equatable, Sendable {
  /// The group's directory as it is mounted here.
  package var directory: String
  /// Version 1 has a hierarchy for each controller, version 2 one for all.
  package var isFirst: Bool

  /// The groups of a process that this controller may apply to, version 1 first; the root group is everybody's and is
  /// left out.
  ///
  /// `cgroups` is the text of /proc/PID/cgroup, `mounts` that of /proc/self/mounts.
  package static func groups(of controller: String, cgroups: String, mounts: String)
    -> [ControlGroup]
  {
    cgroups.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2] != "/", !parts[2].isEmpty else { return nil }
      let isFirst = parts[1].split(separator: ",").contains { $0 == controller }
      guard isFirst || (parts[0] == "0" && parts[1].isEmpty),
        let mount = mountPoint(isFirst ? controller : nil, mounts)
      else { return nil }
      return ControlGroup(directory: mount + parts[2], isFirst: isFirst)
    }
  }

  /// Where a controller's hierarchy is mounted, or for nil the one of version 2.
  private static func mountPoint(_ controller: String?, _ mounts: String) -> String? {
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 3 else { continue }
      if let controller {
        if fields[2] == "cgroup", fields[3].split(separator: ",").contains(Substring(controller)) {
          return String(fields[1])
        }
      } else if fields[2] == "cgroup2" {
        return String(fields[1])
      }
    }
    return nil
  }
}
