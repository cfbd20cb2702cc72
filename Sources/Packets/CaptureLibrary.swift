import CPcap
import Glibc

/// libpcap, loaded when the first capture is read: with all that it brings along it takes longer to load than a small
/// trace to read.
struct CaptureLibrary: @unchecked Sendable {
  // Unchecked because of the C types in the functions' signatures: they are only called.
  typealias Open =
    @convention(c) (
      UnsafePointer<CChar>, UInt32, UnsafeMutablePointer<CChar>
    ) -> OpaquePointer?
  typealias Next =
    @convention(c) (
      OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<pcap_pkthdr>?>,
      UnsafeMutablePointer<UnsafePointer<u_char>?>
    ) -> Int32

  /// pcap_open_offline_with_tstamp_precision(3PCAP).
  let open: Open
  /// pcap_next_ex(3PCAP).
  let next: Next
  /// pcap_close(3PCAP).
  let close: @convention(c) (OpaquePointer) -> Void
  /// pcap_datalink(3PCAP).
  let dataLink: @convention(c) (OpaquePointer) -> Int32
  /// pcap_datalink_val_to_name(3PCAP).
  let nameOfDataLink: @convention(c) (Int32) -> UnsafePointer<CChar>?
  /// pcap_geterr(3PCAP).
  let error: @convention(c) (OpaquePointer) -> UnsafePointer<CChar>

  /// Nil where it is not installed.
  static let shared = CaptureLibrary()

  private init?() {
    // Debian's name and everyone else's.
    guard let library = dlopen("libpcap.so.0.8", RTLD_NOW) ?? dlopen("libpcap.so.1", RTLD_NOW)
    else { return nil }
    func function<Function>(_ name: String, as type: Function.Type) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: type) }
    }
    guard
      let open = function("pcap_open_offline_with_tstamp_precision", as: Open.self),
      let next = function("pcap_next_ex", as: Next.self),
      let close = function("pcap_close", as: (@convention(c) (OpaquePointer) -> Void).self),
      let dataLink = function(
        "pcap_datalink", as: (@convention(c) (OpaquePointer) -> Int32).self),
      let nameOfDataLink = function(
        "pcap_datalink_val_to_name", as: (@convention(c) (Int32) -> UnsafePointer<CChar>?).self),
      let error = function(
        "pcap_geterr", as: (@convention(c) (OpaquePointer) -> UnsafePointer<CChar>).self)
    else { return nil }
    self.open = open
    self.next = next
    self.close = close
    self.dataLink = dataLink
    self.nameOfDataLink = nameOfDataLink
    self.error = error
  }
}
