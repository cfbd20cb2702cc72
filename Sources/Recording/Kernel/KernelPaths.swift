import CBPF

/// The paths that a call named.
struct KernelPaths {
  private(set) var first: String?
  private(set) var second: String?

  init(_ record: UnsafeRawPointer) {
    let sizes = record + Int(lull_kernel_path_sizes)
    func path(_ index: Int) -> String? {
      let size = sizes.load(fromByteOffset: 4 * index, as: Int32.self)
      guard size > 1 else { return nil }
      let start = record + Int(lull_kernel_path_paths) + index * Int(LULL_KERNEL_PATH_BYTES)
      // With the byte that ends it.
      return String(
        decoding: UnsafeRawBufferPointer(start: start, count: Int(size) - 1), as: UTF8.self)
    }
    first = path(0)
    second = path(1)
  }
}
