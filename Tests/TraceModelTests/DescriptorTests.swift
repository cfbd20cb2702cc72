import PerfData
import Quantities
import Testing

@testable import TraceModel

@Suite struct DescriptorTests {
  private func at(_ time: UInt64) -> Timestamp { Timestamp(nanoseconds: time) }

  @Test func `a child has its parent's files until it becomes another program`() {
    var tracker = DescriptorTracker()
    tracker.opened(pid: 1, fd: 1, path: "/var/log/out", since: at(5), at: at(10))
    tracker.opened(pid: 1, fd: 7, path: "/var/lib/data", since: at(15), at: at(20))
    tracker.forked(2, from: 1)
    #expect(tracker.target(pid: 2, fd: 7, at: at(30)).path == "/var/lib/data")
    tracker.exec(2, at: at(40))
    #expect(tracker.target(pid: 2, fd: 1, at: at(50)).path == "/var/log/out")
    // The number may be anything now, an eventfd for one.
    #expect(tracker.target(pid: 2, fd: 7, at: at(50)).kind == nil)
    tracker.seen(pid: 2, fd: 7, path: "anon_inode:[eventfd]", kind: .other, at: at(60))
    #expect(tracker.target(pid: 2, fd: 7, at: at(70)).kind == .other)
  }

  @Test(arguments: [(0o10_000, true), (0o4_010_000, true), (0o4_000_000, false)])
  func `a duplicate and a child's descriptor are as synchronous as what was opened`(
    flags: UInt64, isSynchronous: Bool
  ) {
    var tracker = DescriptorTracker()
    tracker.open(pid: 1, fd: 3, isFile: true, flags: flags, at: at(10))
    tracker.duplicate(pid: 1, from: 3, to: 5, at: at(20))
    tracker.forked(2, from: 1)
    for (pid, fd) in [(1, 3), (1, 5), (2, 5)] as [(Int32, Int)] {
      #expect(tracker.isSynchronous(pid: pid, fd: fd, at: at(30)) == isSynchronous)
    }
    tracker.open(pid: 1, fd: 3, isFile: true, flags: 0, at: at(40))
    #expect(!tracker.isSynchronous(pid: 1, fd: 3, at: at(50)))
    // Open before the recording began: /proc tells its flags.
    tracker.seen(pid: 9, fd: 4, path: "/var/log/out", kind: .regular, flags: Int(flags), at: at(60))
    #expect(tracker.isSynchronous(pid: 9, fd: 4, at: at(30)) == isSynchronous)
  }

  @Test func `a function that returns late tells of the call in it, not of another open`() {
    var tracker = DescriptorTracker()
    // It waited for the reader of a FIFO, and then for a CPU, while the recorder looked the descriptor up.
    tracker.open(pid: 1, fd: 3, at: at(3_000_000_000))
    tracker.seen(pid: 1, fd: 3, path: "/run/fifo", kind: .pipe, at: at(3_000_000_001))
    tracker.opened(pid: 1, fd: 3, path: "fifo", since: at(10), at: at(3_050_000_000))
    tracker.duplicate(pid: 1, from: 3, to: 1, at: at(3_060_000_000))
    for fd in [1, 3] {
      #expect(tracker.target(pid: 1, fd: fd, at: at(3_070_000_000)).kind == .pipe, "\(fd)")
    }
    // One that was called later is another open, though nobody told of the close.
    tracker.open(pid: 1, fd: 5, at: at(4_000_000_000))
    tracker.opened(
      pid: 1, fd: 5, path: "/data/file", since: at(5_000_000_000), at: at(5_000_000_009))
    #expect(tracker.target(pid: 1, fd: 5, at: at(4_500_000_000)).kind == nil)
    #expect(tracker.target(pid: 1, fd: 5, at: at(5_000_000_010)).path == "/data/file")
  }

  // It was taken for a device: what a program wrote to a file by such a name was in none.
  @Test(arguments: ["/dev/fd/5", "/proc/self/fd/5", "/proc/thread-self/fd/5", "/proc/1/fd/5"])
  func `what is opened by another descriptor's name is what that one stands for`(name: String) {
    var tracker = DescriptorTracker()
    tracker.opened(pid: 1, fd: 5, path: "/data/log", since: at(5), at: at(10))
    tracker.open(pid: 1, fd: 6, isFile: true, at: at(20))
    tracker.opened(pid: 1, fd: 6, path: name, since: at(15), at: at(21))
    tracker.close(pid: 1, fd: 5, at: at(30))
    let target = tracker.target(pid: 1, fd: 6, at: at(40))
    #expect(target.path == "/data/log" && target.kind == .regular, "\(target)")
    // Of what nothing is known until it is seen, nothing is.
    tracker.opened(pid: 2, fd: 6, path: name, since: at(15), at: at(21))
    if name != "/proc/1/fd/5" { #expect(tracker.target(pid: 2, fd: 6, at: at(40)).kind == nil) }
    tracker.forked(3, from: 1)
    tracker.exec(3, at: at(12))
    tracker.opened(pid: 3, fd: 6, path: name, since: at(15), at: at(21))
    #expect(tracker.target(pid: 3, fd: 6, at: at(40)).path == "/data/log")
    tracker.opened(pid: 1, fd: 7, path: "/dev/stderr", since: at(15), at: at(21))
    tracker.seen(pid: 1, fd: 7, path: "pipe:[7]", kind: .pipe, at: at(22))
    #expect(tracker.target(pid: 1, fd: 7, at: at(40)).kind == .pipe)
  }

  // The output of a test's process was told to be its parent's file: it was a pipe, which nothing told.
  @Test func `what a child puts in the place of its parent's file is not that file`() {
    var tracker = DescriptorTracker()
    tracker.opened(pid: 1, fd: 1, path: "/data/log", since: at(5), at: at(10))
    tracker.forked(2, from: 1)
    #expect(tracker.target(pid: 2, fd: 1, at: at(20)).path == "/data/log")
    // dup2 of a pipe.
    tracker.duplicate(pid: 2, from: 7, to: 1, at: at(30))
    tracker.exec(2, at: at(40))
    #expect(tracker.target(pid: 2, fd: 1, at: at(50)).kind == nil)
    #expect(tracker.target(pid: 2, fd: 1, at: at(25)).path == "/data/log")
    tracker.seen(pid: 2, fd: 1, path: "pipe:[77]", kind: .pipe, at: at(60))
    #expect(tracker.target(pid: 2, fd: 1, at: at(50)).kind == .pipe)
  }

  // A recorder that is behind looks at the number when it stands for something else.
  @Test func `a file that was opened by its path is no pipe that has its number later`() {
    var tracker = DescriptorTracker()
    tracker.open(pid: 1, fd: 3, isFile: true, at: at(10))
    tracker.opened(pid: 1, fd: 3, path: "/data/odd", since: at(9), at: at(12))
    tracker.seen(pid: 1, fd: 3, path: "pipe:[4332689]", kind: .pipe, at: at(13))
    #expect(tracker.target(pid: 1, fd: 3, at: at(20)).kind == .regular)
    // What has a path of its own is a pipe if it was seen to be one.
    tracker.open(pid: 1, fd: 4, isFile: true, at: at(30))
    tracker.opened(pid: 1, fd: 4, path: "/data/fifo", since: at(29), at: at(32))
    tracker.seen(pid: 1, fd: 4, path: "/data/fifo", kind: .pipe, at: at(33))
    #expect(tracker.target(pid: 1, fd: 4, at: at(40)).kind == .pipe)
  }

  // Foundation saves a file whole by way of another, which is renamed within a millisecond.
  @Test func `a file that was closed before it could be looked at is known to be one`() {
    var tracker = DescriptorTracker()
    tracker.open(pid: 1, fd: 5, isFile: true, at: at(10))
    tracker.close(pid: 1, fd: 5, at: at(20))
    #expect(tracker.isUntold(pid: 1, fd: 5, at: at(15)))
    #expect(
      !tracker.isUntold(pid: 1, fd: 5, at: at(25)) && !tracker.isUntold(pid: 1, fd: 5, at: at(5)))
    // A socket; a file that the probe told; one that was looked at.
    tracker.open(pid: 1, fd: 5, at: at(30))
    #expect(!tracker.isUntold(pid: 1, fd: 5, at: at(35)))
    tracker.open(pid: 1, fd: 6, isFile: true, at: at(40))
    tracker.opened(pid: 1, fd: 6, path: "/data", since: at(39), at: at(41))
    #expect(!tracker.isUntold(pid: 1, fd: 6, at: at(45)))
    tracker.open(pid: 1, fd: 7, isFile: true, at: at(50))
    tracker.seen(pid: 1, fd: 7, path: "/log", kind: .regular, at: at(55))
    #expect(!tracker.isUntold(pid: 1, fd: 7, at: at(60)))
  }

  // A file was two rows, `dup-b` and `/var/tmp/bk/dup-b`: only its first number was looked at, and later than that.
  @Test func `what is found of one number is found of those that were made of it`() {
    var tracker = DescriptorTracker()
    tracker.open(pid: 1, fd: 4, isFile: true, at: at(10))
    tracker.opened(pid: 1, fd: 4, path: "dup", since: at(9), at: at(11))
    tracker.duplicate(pid: 1, from: 4, to: 100, at: at(20))
    tracker.duplicate(pid: 1, from: 100, to: 200, at: at(21))
    tracker.seen(pid: 1, fd: 4, path: "/data/dup", kind: .regular, at: at(12))
    tracker.close(pid: 1, fd: 100, at: at(30))
    for (fd, time) in [(4, UInt64(15)), (100, 25), (200, 40)] {
      #expect(tracker.target(pid: 1, fd: fd, at: at(time)).path == "/data/dup", "\(fd)")
    }
    // Each goes its own way from then on.
    tracker.seen(pid: 1, fd: 200, path: "/data/other", kind: .regular, at: at(50))
    #expect(tracker.target(pid: 1, fd: 4, at: at(60)).path == "/data/dup")
    #expect(tracker.target(pid: 1, fd: 200, at: at(60)).path == "/data/other")
  }

  // One write in 251 was of a file that had three at most, and 253 were told of it.
  @Test(arguments: [true, false])
  func `what stands for many is of a number's file where that went on to mean it`(
    hasGaps: Bool
  ) {
    func ms(_ time: UInt64) -> Timestamp { at(time * 1_000_000) }
    var tracker = DescriptorTracker()
    let stretch = SampleWeights.Stretch(start: ms(1000), end: ms(9000), hasGaps: hasGaps)
    func isSteady(_ fd: Int, _ time: UInt64, pid: Int32 = 1) -> Bool {
      tracker.isSteady(pid: pid, fd: fd, at: ms(time), in: stretch)
    }
    tracker.seen(pid: 1, fd: 1, path: "/log", kind: .regular, at: ms(10))
    tracker.forked(2, from: 1)
    // Thousands of files, one after another.
    for index in UInt64(0)..<900 {
      tracker.open(pid: 1, fd: 3, isFile: true, at: ms(50 + index * 10))
      tracker.close(pid: 1, fd: 3, at: ms(55 + index * 10))
    }
    #expect(isSteady(1, 1000) && isSteady(1, 5000) && isSteady(1, 8999))
    #expect(isSteady(1, 5000, pid: 2) && !isSteady(3, 5002, pid: 2))
    #expect(!isSteady(3, 1002) && !isSteady(3, 5002) && !isSteady(3, 8992))
    // A file that takes another's place in the midst of it.
    tracker.open(pid: 1, fd: 4, isFile: true, at: ms(500))
    tracker.open(pid: 1, fd: 4, isFile: true, at: ms(5000))
    #expect(isSteady(4, 1001) && isSteady(4, 4000) && isSteady(4, 6000))
    #expect(!isSteady(4, 4990) && !isSteady(4, 5010))
    // The first with its number; what comes after its end is known where nothing was left out.
    tracker.open(pid: 1, fd: 5, isFile: true, at: ms(2000))
    tracker.close(pid: 1, fd: 5, at: ms(2100))
    #expect(isSteady(5, 2050) != hasGaps)
    #expect(tracker.isOfFiles(pid: 1, fd: 3, around: ms(5007)))
    tracker.open(pid: 1, fd: 6, at: ms(3000))
    #expect(!tracker.isOfFiles(pid: 1, fd: 6, around: ms(3001)))
  }
}
