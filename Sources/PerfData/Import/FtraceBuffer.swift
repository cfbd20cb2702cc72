/// Walks through one CPU's pages of the kernel's ring buffer (tracefs events/header_page and header_event).
struct FtraceBuffer {
  /// One event: its payload is in `bytes`.
  struct Event {
    var time: UInt64
    var payload: Range<Int>
  }

  /// Where a page's fields are, by the text of header_page.
  struct PageLayout {
    var timestamp = 0
    var commit = 8
    var commitSize = 8
    var data = 16

    init(_ text: String) {
      for line in text.split(whereSeparator: \.isNewline) {
        guard let field = TracepointField(parsing: line.drop { $0 == "\t" || $0 == " " }) else {
          continue
        }
        switch field.name {
        case "timestamp": timestamp = field.offset
        case "commit":
          commit = field.offset
          commitSize = field.size
        case "data": data = field.offset
        default: break
        }
      }
    }
  }

  private enum Kind {
    // enum ring_buffer_type (include/linux/ring_buffer.h).
    static let padding: UInt32 = 29, timeExtend: UInt32 = 30, timeStamp: UInt32 = 31
  }

  // RB_MISSED_EVENTS, RB_MISSED_STORED and the mask of the size (kernel/trace/ring_buffer.c).
  private static let missedEvents: UInt64 = 1 << 31
  private static let missedStored: UInt64 = 1 << 30
  private static let sizeMask: UInt64 = (1 << 20) - 1

  let cpu: Int32
  private let layout: PageLayout
  private let pageSize: Int
  private let isBigEndian: Bool
  private var cursor: ByteCursor
  /// Chunks to be unpacked yet; nil where the pages stand in the file.
  private var chunksLeft: UInt32?
  private var chunk: PackedChunk
  /// Where the page begins, and its event data are.
  private var nextPage = 0
  private var position = 0
  private var end = 0
  private var time: UInt64 = 0
  /// Events that were lost before the present page.
  private(set) var missed: UInt64 = 0
  private(set) var problem: String?
  /// The present event; its payload is in the file or in the chunk that was unpacked last.
  private(set) var event: Event?

  init(
    _ pages: FtraceContents.Pages, of contents: FtraceContents, layout: PageLayout,
    in file: ByteView
  ) {
    cpu = pages.cpu
    self.layout = layout
    pageSize = contents.pageSize
    isBigEndian = contents.isBigEndian
    chunk = PackedChunk(compression: contents.compression)
    cursor = ByteCursor(
      file, from: pages.range.lowerBound, to: pages.range.upperBound, isBigEndian: isBigEndian)
    if pages.isCompressed {
      chunksLeft = (try? cursor.u32("count of chunks")) ?? 0
    } else {
      nextPage = cursor.offset
    }
    advance()
  }

  /// Moves on to the next event; `event` is nil at the end.
  mutating func advance() {
    event = nil
    repeat {
      if chunksLeft == nil {
        advance(in: cursor.bytes, until: cursor.end)
      } else {
        let unpacked = chunk.bytes
        unpacked.withView { advance(in: $0, until: $0.count) }
      }
    } while event == nil && unpackNext()
  }

  private mutating func advance(in bytes: ByteView, until limit: Int) {
    repeat { event = nextEvent(in: bytes) } while event == nil && turnPage(bytes, until: limit)
  }

  /// A copy of the event's payload.
  func payload(of event: Event) -> [UInt8] {
    chunksLeft == nil ? [UInt8](cursor.bytes[event.payload]) : [UInt8](chunk.bytes[event.payload])
  }

  private mutating func unpackNext() -> Bool {
    guard let left = chunksLeft, left > 0 else { return false }
    chunksLeft = left - 1
    do throws(PerfDataError) { try chunk.read(&cursor) } catch {
      problem = "events of CPU \(cpu) are missing: \(error)"
      return false
    }
    nextPage = 0
    (position, end) = (0, 0)
    return true
  }

  private mutating func turnPage(_ bytes: ByteView, until limit: Int) -> Bool {
    let start = nextPage
    guard limit - start >= layout.data, layout.commit + layout.commitSize <= layout.data,
      layout.timestamp + 8 <= layout.data
    else { return false }
    nextPage = start + pageSize
    time = number(bytes, start + layout.timestamp, 8)
    let commit = number(bytes, start + layout.commit, layout.commitSize)
    position = start + layout.data
    end = min(position + Int(commit & Self.sizeMask), min(start + pageSize, limit))
    if commit & Self.missedEvents != 0 {
      let stored = commit & Self.missedStored != 0 && end + 8 <= min(start + pageSize, limit)
      missed &+= max(stored ? number(bytes, end, layout.commitSize) : 1, 1)
    }
    return true
  }

  /// The next event of the page; nil at its end.
  private mutating func nextEvent(in bytes: ByteView) -> Event? {
    while end - position >= 4 {
      let head = UInt32(truncatingIfNeeded: number(bytes, position, 4))
      let kind = isBigEndian ? head >> 27 : head & 31
      let delta = UInt64(isBigEndian ? head & 0x7ff_ffff : head >> 5)
      position += 4
      let hasWord = end - position >= 4
      let word = hasWord ? number(bytes, position, 4) : 0
      switch kind {
      case Kind.padding:
        guard delta != 0, hasWord, word >= 4 else {
          position = end
          return nil
        }
        time &+= delta
        position = min(position + Int(word), end)
      case Kind.timeExtend, Kind.timeStamp:
        guard hasWord else {
          position = end
          return nil
        }
        // An absolute time stamp lacks the five highest bits.
        time =
          kind == Kind.timeExtend
          ? time &+ delta &+ (word << 27) : time & (0x1f << 59) | delta | (word << 27)
        position += 4
      default:
        time &+= delta
        var size = Int(kind) * 4
        if kind == 0 {
          guard hasWord, word >= 4 else {
            position = end
            return nil
          }
          position += 4
          size = Int(word) - 4
        }
        guard size <= end - position else {
          problem = "an event of CPU \(cpu) reaches beyond its page"
          position = end
          return nil
        }
        let payload = position..<position + size
        position = min(position + (size + 3) / 4 * 4, end)
        return Event(time: time, payload: payload)
      }
    }
    return nil
  }

  private func number(_ bytes: ByteView, _ offset: Int, _ size: Int) -> UInt64 {
    if size == 4 {
      let value = bytes.load(UInt32.self, at: offset)
      return UInt64(isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value))
    }
    let value = bytes.load(UInt64.self, at: offset)
    return isBigEndian ? UInt64(bigEndian: value) : UInt64(littleEndian: value)
  }
}
