#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The user who called sudo, to whom what is started and written belongs.
package struct InvokingUser {
  package let uid: uid_t
  package let gid: gid_t

  /// The user whom sudo named in the environment; nil where it is not sudo that made us root.
  package init?(environment value: (String) -> String?) {
    guard geteuid() == 0, let uid = value("SUDO_UID").flatMap({ uid_t($0) }), uid != 0,
      let gid = value("SUDO_GID").flatMap({ gid_t($0) })
    else { return nil }
    self.uid = uid
    self.gid = gid
  }

  /// Under sudo a file belongs to the user who called, not to root.
  package static func own(_ path: String) {
    let user = InvokingUser { getenv($0).map { String(cString: $0) } }
    guard let user else { return }
    _ = lchown(path, user.uid, user.gid)
  }
}
