import CBPF

extension lull_kernel_settings {
  /// Which calls the programs in the kernel tell: those of `SystemCallFilter`.
  static var ofCalls: lull_kernel_settings {
    typealias Filter = SystemCallFilter
    var settings = lull_kernel_settings()
    settings.large_read = UInt64(Filter.largeRead)
    Self.set(&settings.calls, Filter.wanted.numbers.filter { $0 != Filter.write })
    Self.set(&settings.repeated, [Filter.write])
    Self.set(&settings.sends, CallMeaning.Number.plainWrites.numbers)
    Self.set(&settings.stacks, Filter.fileWrites.numbers)
    Self.set(&settings.spins, Filter.spinning)
    Self.set(&settings.attempts, Filter.attempts)
    Self.set(&settings.event_waits, Filter.eventWaits)
    Self.set(&settings.third_timeouts, Filter.timeouts.third)
    Self.set(&settings.fourth_timeouts, Filter.timeouts.fourth)
    Self.set(&settings.reads, Filter.fileReads.numbers)
    Self.set(&settings.small_reads, Filter.smallReads.numbers)
    Self.set(&settings.paths, Filter.paths.first + Filter.paths.second)
    Self.set(&settings.second_path, Filter.paths.second)
    Self.set(&settings.two_paths, Filter.paths.two)
    return settings
  }

  /// Sets a bit for each number.
  private static func set(_ words: inout lull_kernel_numbers, _ numbers: some Sequence<Int>) {
    withUnsafeMutableBytes(of: &words) { bytes in
      for number in numbers where number / 8 < bytes.count {
        bytes[number / 8] |= 1 << (number % 8)
      }
    }
  }
}
