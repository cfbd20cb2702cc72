import PerfData

/// An internet socket that a process has open, as /proc tells it.
struct OpenSocket: Equatable {
  var descriptor: Int32
  var inode: UInt64
  /// IPPROTO_TCP or IPPROTO_UDP.
  var transport: UInt16
  /// Of include/net/tcp_states.h; of UDP established where it is connected.
  var state: Int32
  var own: SocketName
  var peer: SocketName

  private static let tables: [(name: String, transport: UInt16)] = [
    ("tcp", 6), ("tcp6", 6), ("udp", 17), ("udp6", 17),
  ]

  /// Those of a process, by its descriptors.
  static func all(of pid: Int32) -> [OpenSocket] {
    var descriptors: [UInt64: [Int32]] = [:]
    for descriptor in KernelFile.numbers(in: "/proc/\(pid)/fd") {
      guard let link = KernelFile.link("/proc/\(pid)/fd/\(descriptor)"),
        link.hasPrefix("socket:["), let inode = UInt64(link.dropFirst(8).dropLast())
      else { continue }
      descriptors[inode, default: []].append(descriptor)
    }
    guard !descriptors.isEmpty else { return [] }
    return tables.flatMap { table in
      (KernelFile.text("/proc/\(pid)/net/\(table.name)") ?? "").split(separator: "\n")
        .flatMap { parse($0, table.transport, descriptors) }
    }
  }

  /// Reads `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode`.
  static func parse(
    _ line: Substring, _ transport: UInt16, _ descriptors: [UInt64: [Int32]]
  ) -> [OpenSocket] {
    let fields = line.split(separator: " ", omittingEmptySubsequences: true)
    guard fields.count > 9, let inode = UInt64(fields[9]), let owners = descriptors[inode],
      let own = name(fields[1]), let peer = name(fields[2]), let state = Int32(fields[3], radix: 16)
    else { return [] }
    return owners.map {
      OpenSocket(
        descriptor: $0, inode: inode, transport: transport, state: state, own: own, peer: peer)
    }
  }

  /// An address as words of the processor's, and a port: `0100007F:1F90`.
  private static func name(_ text: Substring) -> SocketName? {
    let parts = text.split(separator: ":")
    guard parts.count == 2, [8, 32].contains(parts[0].utf8.count),
      let port = UInt16(parts[1], radix: 16)
    else { return nil }
    var address: [UInt8] = []
    var rest = parts[0]
    while !rest.isEmpty {
      guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
      withUnsafeBytes(of: word) { address += $0 }
      rest = rest.dropFirst(8)
    }
    return SocketName(address: address, port: port)
  }
}
