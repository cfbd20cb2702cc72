import Foundation

/// Starts a program of the same environment; `inherited` becomes its descriptor 3.
func spawn(_ path: String, _ words: [String], inherited: Int32? = nil) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 3) }
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
  defer { for argument in arguments { free(argument) } }
  arguments.append(nil)
  var pid: pid_t = 0
  let failure = posix_spawn(&pid, path, &actions, nil, arguments, environ)
  guard failure == 0 else { throw SystemError("posix_spawn \(path)", number: failure) }
  return pid
}

/// The path of this program.
func ownExecutable() throws -> String {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = try checked(readlink("/proc/self/exe", &buffer, buffer.count - 1), "readlink")
  return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
