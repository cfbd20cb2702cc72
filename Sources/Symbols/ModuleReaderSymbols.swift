import CElf
import Glibc

extension ModuleReader {
  /// Whether the file has a full symbol table, not only the dynamic one.
  var hasFullSymbols: Bool {
    sections.contains { $0.header.sh_type == UInt32(SHT_SYMTAB) && $0.header.sh_size > 24 }
  }

  /// Bytes of its symbol tables, with the names.
  var symbolBytes: UInt64 {
    var total: UInt64 = 0
    for section in sections
    where [UInt32(SHT_SYMTAB), UInt32(SHT_DYNSYM)].contains(section.header.sh_type) {
      var strings = GElf_Shdr()
      if let scn = libdw.elf_getscn(elf, Int(section.header.sh_link)),
        libdw.gelf_getshdr(scn, &strings) != nil
      {
        total = total.addingReportingOverflow(strings.sh_size).partialValue
      }
      total = total.addingReportingOverflow(section.header.sh_size).partialValue
    }
    return total
  }

  /// All functions of the symbol tables, with those of `debugFile` added.
  public func symbols(debugFile: ModuleReader? = nil) -> SymbolTable {
    functions(debugFile: debugFile).table
  }

  /// The same without a copy of their names.
  func functions(debugFile: ModuleReader? = nil) -> FunctionIndex {
    var entries: [FunctionIndex.Entry] = []
    var texts: [UnsafeRawBufferPointer] = []
    let readers = [self, debugFile].compactMap { $0 }
    for reader in readers {
      reader.eachTable { symbols, text in
        guard let number = UInt16(exactly: texts.count) else { return }
        texts.append(text)
        Self.append(symbols, text, number, segments: segments, to: &entries)
      }
    }
    let limit = segments.filter(\.isExecutable).map { $0.address + $0.fileSize }.max() ?? 0
    return FunctionIndex(entries, texts: texts, of: readers, limit: limit)
  }

  /// The name of the data object that begins at a link-time address.
  func objectName(at address: UInt64) -> String? {
    for section in sections
    where [UInt32(SHT_SYMTAB), UInt32(SHT_DYNSYM)].contains(section.header.sh_type) {
      guard section.header.sh_entsize == 24, let data = libdw.elf_getdata(section.pointer, nil)
      else {
        continue
      }
      for index in 0..<min(data.pointee.d_size / 24, Limit.symbols) {
        var symbol = GElf_Sym()
        guard libdw.gelf_getsym(data, Int32(index), &symbol) != nil, symbol.st_value == address,
          symbol.st_info & 0xf == UInt8(STT_OBJECT), symbol.st_shndx != 0,
          let name = libdw.elf_strptr(elf, Int(section.header.sh_link), Int(symbol.st_name))
        else { continue }
        return String(cString: name)
      }
    }
    return nil
  }

  /// The symbols of each table, with the strings that name them.
  func eachTable(
    _ body: (_ symbols: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) -> Void
  ) {
    for section in sections
    where [UInt32(SHT_SYMTAB), UInt32(SHT_DYNSYM)].contains(section.header.sh_type) {
      guard section.header.sh_entsize == 24, let data = libdw.elf_getdata(section.pointer, nil),
        let stringSection = libdw.elf_getscn(elf, Int(section.header.sh_link)),
        let strings = libdw.elf_getdata(stringSection, nil), strings.pointee.d_buf != nil
      else { continue }
      body(
        UnsafeRawBufferPointer(start: data.pointee.d_buf, count: data.pointee.d_size),
        UnsafeRawBufferPointer(start: strings.pointee.d_buf, count: strings.pointee.d_size))
    }
  }

  /// The symbols of a table that may be functions: they lie in executable segments.
  @inline(__always)
  static func eachFunction(
    _ symbols: UnsafeRawBufferPointer, _ segments: [Segment],
    _ body: (_ symbol: GElf_Sym, _ segment: Segment, _ isFunction: Bool) -> Void
  ) {
    for index in 0..<min(symbols.count / 24, Limit.symbols, Int(Int32.max)) {
      // As gelf_getsym has it, which takes a lock for each: the order of bytes is this machine's.
      let symbol = symbols.loadUnaligned(fromByteOffset: index * 24, as: GElf_Sym.self)
      guard symbol.st_shndx != 0, symbol.st_value != 0 else { continue }
      let type = symbol.st_info & 0xf
      let isFunction = type == UInt8(STT_FUNC) || type == UInt8(STT_GNU_IFUNC)
      guard isFunction || (type == UInt8(STT_NOTYPE) && symbol.st_shndx < 0xff00),
        let segment = segments.first(where: {
          symbol.st_value >= $0.address && symbol.st_value - $0.address < $0.fileSize
        }), segment.isExecutable
      else { continue }
      body(symbol, segment, isFunction)
    }
  }

  private static func append(
    _ symbols: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, _ number: UInt16,
    segments: [Segment], to entries: inout [FunctionIndex.Entry]
  ) {
    guard let textBase = text.baseAddress else { return }
    entries.reserveCapacity(entries.count + min(symbols.count / 24, Limit.symbols) / 2)
    eachFunction(symbols, segments) { symbol, segment, isFunction in
      let start = Int(symbol.st_name)
      guard entries.count < Limit.symbols, start > 0, start < text.count,
        let terminator = memchr(textBase + start, 0, text.count - start)
      else { return }
      let end = textBase.distance(to: terminator)
      guard end > start, end - start < 65_536 else { return }
      // Assembler marks ("$d", ".L1") are no functions.
      if !isFunction, end - start < 3 || text[start] == 0x2e { return }
      let size = min(symbol.st_size, segment.address + segment.fileSize - symbol.st_value)
      entries.append(
        FunctionIndex.Entry(
          address: symbol.st_value, end: symbol.st_value + size, nameOffset: symbol.st_name,
          nameLength: UInt32(end - start), text: number,
          rank: Self.rank(symbol, isFunction: isFunction, name: text[start..<end])))
    }
  }

  /// Prefers functions with a size, global names, and names with few leading underscores.
  private static func rank(
    _ symbol: GElf_Sym, isFunction: Bool, name: Slice<UnsafeRawBufferPointer>
  )
    -> UInt8
  {
    var rank: UInt8 = isFunction ? 0 : 128
    if symbol.st_size == 0 { rank += 64 }
    switch Int32(symbol.st_info >> 4) {
    case STB_GLOBAL: break
    case STB_WEAK: rank += 4
    default: rank += 8
    }
    // `usleep` is weak and `__usleep` global: underscores count for more than the binding.
    rank += UInt8(min(2, name.prefix { $0 == 0x5f }.count)) * 16
    return rank
  }
}
