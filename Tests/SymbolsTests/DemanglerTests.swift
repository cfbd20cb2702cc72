import Testing

@testable import Symbols

@Suite struct `Demangling` {
  @Test(arguments: [
    (
      "$s4main9innermostys6UInt64VSiF", "innermost(_:)", "main.innermost(Swift.Int) -> Swift.UInt64"
    ),
    ("$s4main1fyyF", "f()", "main.f() -> ()"),
    ("$s4main1fyyFyycfU_", "closure #1 in f()", "closure #1 () -> () in main.f() -> ()"),
    ("_ZN5swift7runtime4testEv", "swift::runtime::test()", "swift::runtime::test()"),
    ("usleep", "usleep", "usleep"),
    ("$sgarbage", "$sgarbage", "$sgarbage"),
    ("", "", ""),
  ])
  func `known names`(name: String, simplified: String, full: String) {
    #expect(Demangler.simplified(name) == simplified)
    #expect(Demangler.full(name) == full)
  }

  @Test func `the parts of an asynchronous function come to the function`() {
    for suffix in ["", "TY0_", "TY1_", "TQ0_", "TQ_", "TQ12_", "TY0_.resume.0", "TQ0_TY1_"] {
      #expect(Demangler.simplified("$s4main1fyyYaF" + suffix) == "f()")
    }
    #expect(Demangler.sourceFunction(of: "$s4main4TY0_yyF") == "$s4main4TY0_yyF")
  }

  @Test func `closures are charged to their function`() {
    #expect(Demangler.blamed("closure #1 in closure #2 in f(_:)") == "f(_:)")
    #expect(Demangler.blamed("specialized closure #1 in f(_:)") == "f(_:)")
    #expect(Demangler.blamed("f(in:)") == "f(in:)")
    #expect(Demangler.blamed("closure #") == "closure #")
  }

  private static let owners: [(name: String, held: HeldLibraries, isProgram: Bool)] = [
    ("$s4main1fyyF", [], true), ("$s10Foundation4DataV5countSivg", [], false),
    ("$s8Dispatch0A5QueueC4syncyyF", .swift, false), ("$sSS4mainE3fooyyF", .swift, true),
    ("$sSa6appendyyxnF", .swift, false), ("main", .swift, true), ("_start", [], false),
    ("swift_retain", .swift, false), ("swift_retain", [], true), ("CFRunLoopRun", .swift, false),
    ("malloc", .swift, false), ("my_function", .swift, true),
    ("$ss5print_9separator10terminatoryypd_S2StF", .swift, false),
    ("__lll_lock_wait", [.swift, .c], false), ("__futex_abstimed_wait_common", .c, false),
    ("usleep", .c, false), ("do_futex_wait.constprop.0", .c, false), ("_int_malloc", .c, false),
    ("start_thread", .c, false),
    ("main", [.swift, .c], true), ("lock_here", .c, true), ("u_turn", .c, true),
    ("__DISPATCH_WAIT_FOR_QUEUE__", .swift, false), ("__DISPATCH_WAIT_FOR_QUEUE__", [], true),
    ("___dispatch_block_create_block_invoke", .swift, false),
    ("_ZN6icu_769LocaleC1Ev", .swift, false),
    ("_ZN8Database5queryEv", .swift, true), ("_ZL9jobInvokeRN5swift3JobE", .swift, false),
    ("__lll_lock_wait", [], true), ("usleep", [], true),
  ]

  @Test(arguments: owners)
  func `whose function it is`(name: String, held: HeldLibraries, expected: Bool) {
    #expect(FunctionOrigin.isProgram(mangledName: name, holding: held) == expected, "\(name)")
  }

  @Test func `whose module it is`() {
    #expect(FunctionOrigin.isProgramModule(path: "/home/me/app"))
    #expect(FunctionOrigin.isProgramModule(path: "/home/me/libmine.so"))
    #expect(!FunctionOrigin.isProgramModule(path: "/opt/swift/usr/lib/swift/linux/libswiftCore.so"))
    #expect(!FunctionOrigin.isProgramModule(path: "/usr/lib/x86_64-linux-gnu/libc.so.6"))
    #expect(!FunctionOrigin.isProgramModule(path: "/a/lib_FoundationICU.so"))
    #expect(!FunctionOrigin.isProgramModule(path: "[vdso]"))
  }
}
