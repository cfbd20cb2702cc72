import Glibc

/// Tells the program's own functions from those of the system and of the Swift runtime.
public enum FunctionOrigin {
  /// Whether a file outside of the system's directories, that is not a part of Swift, is mapped.
  public static func isProgramModule(path: String) -> Bool {
    guard path.hasPrefix("/") else { return false }
    if ["/lib/", "/usr/lib/", "/lib64/", "/usr/lib64/", "/lib32/"].contains(where: path.hasPrefix) {
      return false
    }
    let name = path.split(separator: "/").last ?? ""
    return ![
      "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime",
      "libXCTest", "libTesting", "lib_Testing", "libLullPreload",
    ].contains { name.hasPrefix($0) }
  }

  /// Whether the program's author wrote the function of this linker name, in a module that holds such libraries itself.
  static func isProgram(mangledName name: String, holding held: HeldLibraries) -> Bool {
    if Demangler.isSwift(name) { return isProgram(swiftName: name) }
    if startFiles.contains(name) { return false }
    if held.isEmpty { return true }
    if held.contains(.swift), isRuntime(name) { return false }
    if held.contains(.c), libraryPrefixes.contains(where: name.hasPrefix) { return false }
    return !isLibraryFunction(name)
  }

  /// Whether a function of a program that links LullAgent is that one's: it has the C library's names.
  static func isAgent(mangledName name: String) -> Bool {
    name.hasPrefix("lull_") || !Demangler.isSwift(name) && isLibraryFunction(name)
  }

  private static func isProgram(swiftName name: String) -> Bool {
    let macro = "@__swiftmacro_"
    let body =
      name.hasPrefix(macro)
      ? name.dropFirst(macro.count) : name.drop { $0 == "_" }.dropFirst(2)
    if let module = lengthPrefixed(body) { return !runtimeModules.contains(module) }
    // Names that start with a substitution belong to the standard library or to C; an extension
    // of such a type belongs to the module that extends it.
    let full = Demangler.full(name)
    var search = full[...]
    while let range = search.firstRange(of: "(extension in ") {
      let module = search[range.upperBound...].prefix { $0 != ")" }
      if !runtimeModules.contains(String(module)) { return true }
      search = search[range.upperBound...]
    }
    return false
  }

  /// The module of a mangled name that starts with one, as "4main…" does.
  private static func lengthPrefixed(_ text: Substring) -> String? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let length = Int(digits), length > 0, length < 4096 else { return nil }
    let module = text.dropFirst(digits.count).prefix(length)
    return module.count == length ? String(module) : nil
  }

  private static let runtimeModules: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization",
    "FoundationNetworking", "FoundationXML", "Dispatch", "_Concurrency", "_StringProcessing",
    "_RegexParser", "RegexBuilder", "Synchronization", "Observation", "Distributed",
    "_Differentiation", "_Volatile", "Glibc", "SwiftGlibc", "Musl", "SwiftShims", "Runtime",
    "_FoundationCShims", "_FoundationCollections", "_FoundationICU", "Cxx", "CxxStdlib",
    "_Testing_Foundation", "Testing", "XCTest", "CoreFoundation",
  ]

  private static let startFiles: Set<String> = [
    "_start", "_init", "_fini", "_dl_relocate_static_pie", "deregister_tm_clones",
    "register_tm_clones", "__do_global_dtors_aux", "frame_dummy", "__libc_csu_init",
  ]

  /// Whether a function that is not Swift's has a name of the libraries that `-static-stdlib` links in: those of
  /// /usr/lib/swift_static of Swift 6.3.1.
  private static func isRuntime(_ name: String) -> Bool {
    if name.hasPrefix("_Z") { return runtimeTypes.contains(where: name.contains) }
    let body = name.drop { $0 == "_" }
    return runtimePrefixes.contains(where: body.hasPrefix)
  }

  /// What stands in the mangled names of C++: namespaces of the runtime and of ICU, of which the name has its version.
  private static let runtimeTypes = [
    "5swift", "7__swift", "6icu_", "3icu", "swift_", "NSt", "NKSt", "_ZSt", "12_GLOBAL__N_",
  ]

  /// Without the underscores that come first.
  private static let runtimePrefixes = [
    "swift_", "swift::", "CF", "NSCF", "dispatch_", "DISPATCH_", "os_", "OSAtomic", "Block_",
    "cxa_", "Unwind_", "GLOBAL__sub_I_", "icu_", "uloc_", "ucal_", "udat_", "u_", "curl_", "Curl_",
    "xml", "SSL_", "CRYPTO_", "foundation_", "filemanager_shims_", "platform_shims_",
    "stringshims_", "stdlib_", "task_serialExecutor_", "task_taskExecutor_", "libdispatch_",
    "voucher_", "block_copy_helper", "block_destroy_helper", "copy_helper_block",
    "destroy_helper_block", "objectdestroy", "dynamic_cast_existential_",
  ]

  /// The C library's functions that it does not export: in the main those that C reserves for it. The rest are of
  /// semaphores, malloc, streams and the compiler's unwinder.
  private static let libraryPrefixes = [
    "__", "_IO_", "_dl_", "_nl_", "_int_", "_itoa_", "_mid_memalign", "sysmalloc", "systrim",
    "malloc_consolidate", "unlink_chunk", "tcache_", "munmap_chunk", "new_do_write", "start_thread",
    "clone3", "do_futex_wait", "_Unwind_", "uw_",
  ]

  /// Whether the C library exports a function of that name.
  private static func isLibraryFunction(_ name: String) -> Bool {
    guard let library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) else { return false }
    defer { dlclose(library) }
    return dlsym(library, name) != nil
  }
}
