import Glibc
import Testing

@testable import Recording

@Suite struct ProcKernelSymbolsTests {
  private func symbols(_ text: String) throws -> KernelSymbols {
    var template = Array("/tmp/lull-kallsyms-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
    let symbols = KernelSymbols(path: path)
    _ = symbols.count
    unlink(path)
    return symbols
  }

  @Test func `an address belongs to the function that begins before it`() throws {
    let found = try symbols(
      """
      0000000000000000 A fixed
      ffffffff81000100 T first
      ffffffff81000200 t second
      ffffffff81000180 D data
      ffffffff81000300 W weak
      ffffffffc0000000 t late\t[module]
      ffffffffa0000000 t early\t[other]
      """)
    #expect(found.count == 5 && found.unavailableReason == nil)
    #expect(found.name(for: 0xffff_ffff_8100_01ff)?.name == "first")
    #expect(found.name(for: 0xffff_ffff_8100_0200)?.name == "second")
    #expect(found.name(for: 0xffff_ffff_8100_0200)?.start == 0xffff_ffff_8100_0200)
    #expect(found.name(for: 0xffff_ffff_a000_0010)?.name == "early")
    #expect(found.name(for: 0xffff_ffff_c000_0010)?.name == "late")
    #expect(found.name(for: 0xffff_ffff_8100_00ff) == nil)
    #expect(found.name(for: 0x7fff_1234) == nil)
    #expect(found.name(for: UInt64.max) == nil)
  }

  @Test func `hidden addresses give the reason`() throws {
    let found = try symbols("0000000000000000 T first\n0000000000000000 t second\n")
    #expect(found.count == 0 && found.name(for: 0) == nil)
    #expect(found.unavailableReason?.contains("hides its addresses") == true)
    #expect(KernelSymbols(path: "/nowhere").unavailableReason?.contains("No such file") == true)
    #expect(try symbols("garbage\n\nzz T\n").unavailableReason != nil)
  }

  @Test(.enabled(if: geteuid() == 0)) func `the running kernel's functions are found`() throws {
    let symbols = KernelSymbols()
    try #require(symbols.unavailableReason == nil)
    let text = try #require(KernelFile.text("/proc/kallsyms"))
    let line = try #require(text.split(separator: "\n").first { $0.hasSuffix(" T schedule") })
    let address = try #require(UInt64(line.prefix(16), radix: 16))
    #expect(symbols.name(for: address + 5)?.name == "schedule")
    #expect(symbols.name(for: address + 5)?.start == address)
  }
}
