import CBPF
import PerfData
import Resources

/// The internet sockets of processes with the addresses by which the kernel's events name them.
///
/// Sends and receives tell a socket's address and nothing of its ends; `/proc` tells the ends and no address. A program
/// in the kernel that goes through the open files (Sources/KernelPrograms, Linux 5.11) sees both.
final class KernelSockets {
  private let programs: OpaquePointer
  private let asked: Int32

  init() throws(KernelPrograms.Absence) {
    programs = try KernelPrograms.load(Resources.sockets)
    asked = lull_bpf_map(programs, "asked")
    let result = lull_bpf_programs_attach(programs)
    // What was loaded is given back by deinit from here on.
    guard result == 0 else {
      throw KernelPrograms.Absence(
        cause: "the kernel lets no program go through open files", error: -result)
    }
  }

  deinit { lull_bpf_programs_free(programs) }

  /// Each descriptor of these processes that is an internet socket; nil where the kernel does not tell.
  func open(of pids: [Int32]) -> [lull_kernel_open_socket]? {
    for pid in pids {
      var (key, value) = (UInt32(bitPattern: pid), UInt32(1))
      _ = lull_bpf_map_set(asked, &key, &value)
    }
    defer {
      for pid in pids {
        var key = UInt32(bitPattern: pid)
        _ = lull_bpf_map_remove(asked, &key)
      }
    }
    let descriptor = lull_bpf_iteration(programs)
    guard descriptor >= 0, let bytes = OwnedDescriptor(descriptor).readToEnd() else { return nil }
    let size = MemoryLayout<lull_kernel_open_socket>.stride
    return bytes.withUnsafeBytes { raw in
      (0..<raw.count / size).map {
        raw.loadUnaligned(fromByteOffset: $0 * size, as: lull_kernel_open_socket.self)
      }
    }
  }
}

extension SocketEnds {
  init(_ socket: lull_kernel_open_socket) {
    let length = socket.family == 10 ? 16 : 4
    func bytes(_ address: some Any) -> [UInt8] {
      withUnsafeBytes(of: address) { Array($0.prefix(length)) }
    }
    self.init(
      identity: socket.address, transport: socket.protocol, family: socket.family,
      own: SocketName(address: bytes(socket.own), port: socket.own_port),
      peer: SocketName(address: bytes(socket.peer), port: socket.peer_port))
  }
}
