import Foundation
import Testing

extension SideBySide {
  /// Files that are opened by the name of a descriptor that stands for them.
  @Suite(.enabled(if: Machine.isRoot, Machine.needsRoot))
  struct DescriptorNames {
    @Test(
      arguments: ["process", "perf"] + (Machine.recordsInKernel ? ["kernel"] : []),
      ["dd", "child", "shell"])
    func `what is written by such a name is written to the file`(
      recorder: String, writer: String
    ) throws {
      let scratch = try Scratch()
      let script = """
        exec 5>"$1"
        echo '{}'
        [ "$2" = dd ] && exec dd if=/dev/zero of=/dev/fd/5 bs=4096 count=4 2>/dev/null
        [ "$2" = child ] && { dd if=/dev/zero of=/dev/fd/5 bs=4096 count=4 2>/dev/null; exit; }
        exec 1>&5 5>&-
        for line in 1 2 3 4; do printf %4096s $line > /dev/stdout; done
        """
      let run = try Recorded(
        ["sh", "-c", script, "sh", scratch.file("out"), writer],
        options: ["--recorder", recorder], scratch: scratch)
      let files = run.report["signals"]["disk"]["files"].items
      let file = files.first { $0["path"].string == scratch.file("out") }
      #expect(file?["writes"].int == 4 && file?["bytesWritten"].int == 16384, "\(files)")
      #expect(!files.contains { ($0["path"].string ?? "").hasPrefix("/dev/") }, "\(files)")
    }
  }
}
