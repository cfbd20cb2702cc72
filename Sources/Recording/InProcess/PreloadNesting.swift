import CPreloadRing

/// Calls that a signal's handler made in the midst of another call, whose record comes after theirs or not at all.
struct PreloadNesting {
  /// A call, as far as it is known in whose midst others were made.
  struct Outer {
    var start: UInt64
    var meaning: CallMeaning
    var stack: PreloadStacks.Stack?
  }

  /// By the places of records, the call around each that has one: of those that ended later the next that began before
  /// it, else the one that its thread is in.
  static func outers(of batch: PreloadBatch, open: [lull_open_call]) -> [Int: Outer] {
    var outers: [Int: Outer] = [:]
    // The earliest start of what comes later, by slot.
    var earliest = [UInt64](repeating: .max, count: open.count)
    for index in batch.indices.reversed() {
      let (record, slot) = (batch[index].record, batch[index].slot)
      guard isCall(record), open.indices.contains(slot) else { continue }
      if earliest[slot] < record.start {
        let around = batch[(index + 1)...].first {
          $0.slot == slot && isCall($0.record) && $0.record.start < record.start
        }
        if let around {
          outers[index] = Outer(
            start: around.record.start,
            meaning: CallMeaning(around.record.number, UInt32(around.record.descriptor_kind)),
            stack: around.parts?.stack)
        }
      } else if open[slot].start > 0, open[slot].start < record.start {
        outers[index] = Outer(start: open[slot].start, meaning: CallMeaning(open[slot].number, 0))
      }
      earliest[slot] = min(earliest[slot], record.start)
    }
    return outers
  }

  private static func isCall(_ record: lull_record) -> Bool {
    record.kind == UInt8(lull_record_call.rawValue) && record.repeats == 0
  }
}

extension PreloadSource {
  /// Tells what a thread waited in a call before it was interrupted there.
  func tellInterrupted(
    _ outer: PreloadNesting.Outer, at time: UInt64, of process: PreloadProcess, slot: Int,
    into output: inout RecordBytes
  ) {
    guard let thread = process.threads[slot] else { return }
    let (wait, _) = thread.call(from: outer.start, to: time, outer.meaning, use: nil)
    let look = [process.looks[slot], process.outerLooks[slot]].lazy.compactMap(\.self)
      .first { $0.start == outer.start }?.stack
    let told = tellWait(
      wait, of: outer.meaning, PreloadParts(stack: outer.stack ?? look), process, thread.tid,
      into: &output)
    process.toldWaits += told
    if let wait, told == 0, !wait.isInvoluntary { thread.takeBackWait() }
  }
}
