import Packets
import PerfData
import Quantities

extension Trace {
  /// A capture as a trace that knows the network only: one process, whose transfers are the packets with payload.
  ///
  /// Whose side is looked at is the machine that sent what the capture marks as sent; of a capture without such
  /// marks, the address with the most connections, and of two with equally many the one that opened them.
  init(capture: PacketCapture) {
    let flows = PacketFlow.flows(of: capture.packets)
    let local = LocalSide(flows, capture)
    var connections: [Connection] = []
    var transfers: [Transfer] = []
    var packets: [CapturedPacket] = []
    for (index, flow) in flows.enumerated() {
      let isFirstLocal = local.isFirst(of: flow)
      let own = isFirstLocal ? flow.first : flow.second
      var connection = flow.connection(socket: UInt64(index), isFirstLocal: isFirstLocal)
      for at in flow.packets {
        let packet = capture.packets[at]
        let time = Timestamp(nanoseconds: packet.time)
        let direction: Transfer.Direction = packet.source == own ? .send : .receive
        packets.append(
          CapturedPacket(
            time: time, direction: direction, payload: packet.payload, headers: packet.headers,
            connection: index, isRetransmission: flow.repeated.contains(at), stack: nil))
        guard packet.payload > 0, !flow.repeated.contains(at) else { continue }
        transfers.append(
          Transfer(
            time: time, pid: captureAlonePid, tid: captureAlonePid, direction: direction,
            bytes: packet.payload, weight: 1, socket: UInt64(index),
            family: packet.source.address.isIPv6 ? 10 : 2,
            transportProtocol: Int(packet.transportProtocol), stack: nil, connection: index))
      }
      // Asked for and never granted: it ended with the last attempt.
      if connection.opened != nil, connection.established == nil, connection.closed == nil {
        connection.closed = flow.packets.last.map {
          Timestamp(nanoseconds: capture.packets[$0].time)
        }
      }
      connections.append(connection)
    }
    packets.sort { $0.time < $1.time }
    transfers.sort { $0.time < $1.time }
    let start = packets.first?.time ?? Timestamp(nanoseconds: 0)
    let end = packets.last?.time ?? start
    let name = capture.path.split(separator: "/").last.map(String.init) ?? capture.path
    var process = ProcessModel(
      pid: captureAlonePid, parentPid: 0, name: name, commandLine: [], isSwift: false,
      start: start, threadCount: 0, children: [])
    for transfer in transfers {
      if transfer.direction == .send {
        process.bytesSent &+= transfer.bytes
      } else {
        process.bytesReceived &+= transfer.bytes
      }
    }
    self.init(
      metadata: TraceMetadata(
        path: capture.path, startWallNanoseconds: start.nanoseconds,
        durationSeconds: (end - start).seconds, cpuCount: 0, records: packets.count,
        lostEvents: 0, lostSamples: 0, throttled: 0,
        lossNote: "not known: a packet capture does not tell what it missed",
        truncated: capture.note != nil,
        truncationNote: capture.note, unknownRecords: capture.others, undecodable: [:]),
      start: start, end: end,
      tables: Tables(
        processes: [process], transfers: TransferLog(transfers), connections: connections,
        packets: packets),
      subject: process)
    packetSource = PacketSource(
      path: capture.path, packets: packets.count + capture.others + capture.cut,
      matched: packets.count, ofOthers: 0,
      retransmissions: packets.count { $0.isRetransmission }, connections: connections.count,
      notes: capture.notes + [local.note], isAlone: true)
  }
}

/// Which end of a capture's connections is looked at.
struct LocalSide {
  private let addresses: Set<Address>
  /// How the addresses were found, for the report.
  let note: String

  init(_ flows: [PacketFlow], _ capture: PacketCapture) {
    let told = Set(
      capture.packets.lazy.filter { $0.isOutgoing == true }.map(\.source.address))
    func text(_ addresses: Set<Address>) -> String {
      addresses.map { SocketAddress.text(bytes: $0.bytes, port: 0) }
        .map { String($0.dropLast(2)) }.sorted().joined(separator: ", ")
    }
    guard told.isEmpty else {
      addresses = told
      note = "seen from \(text(told)), which the capture says sent"
      return
    }
    var counts: [Address: (flows: Int, opened: Int)] = [:]
    for flow in flows {
      for address in Set([flow.first.address, flow.second.address]) {
        counts[address, default: (0, 0)].flows += 1
      }
      counts[flow.first.address]?.opened += 1
    }
    let most = counts.max {
      ($0.value.flows, $0.value.opened, $1.key.value)
        < ($1.value.flows, $1.value.opened, $0.key.value)
    }
    addresses = most.map { [$0.key] } ?? []
    note = "seen from \(text(addresses)), which has the most connections"
  }

  /// Whether the flow's first end is looked at; where both or neither is, the one that began.
  func isFirst(of flow: PacketFlow) -> Bool {
    addresses.contains(flow.first.address) || !addresses.contains(flow.second.address)
  }
}
