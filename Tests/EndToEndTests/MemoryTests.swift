import Foundation
import Testing

extension EndToEnd {
  @Suite struct Memory {
    /// Maps and touches a file of 120 MB or copies it, after `wait` ms in a call that waits for events, and lets it go.
    private static let reader = """
      #include <fcntl.h>
      #include <poll.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      #include <unistd.h>
      int main(int count, char **words) {
        size_t size = 120 << 20;
        int file = open(words[1], O_RDONLY);
        long sum = 0;
        poll(0, 0, 300);
        char *all = count > 2 ? malloc(size) : mmap(0, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (count > 2) for (size_t at = 0; at < size;) at += read(file, all + at, size - at);
        for (size_t at = 0; at < size; at += 4096) sum += all[at];
        usleep(400000);
        if (count > 2) free(all); else munmap(all, size);
        poll(0, 0, 300);
        printf("{\\"sum\\": %ld}\\n", sum);
        return 0;
      }
      """

    @Test(arguments: [true, false])
    func `a mapped file is no footprint, a copied one is`(isMapped: Bool) throws {
      let scratch = try Scratch()
      let (program, file) = (try scratch.program("r", Self.reader), scratch.file("big"))
      try Data(count: 120 << 20).write(to: URL(fileURLWithPath: file))
      let run = try Recorded([program, file] + (isMapped ? [] : ["copy"]), scratch: scratch)
      let memory = run.signals["memory"]
      // Resident it is either way.
      #expect((memory["peakResidentBytes"].int ?? 0) > 120 << 20)
      let peak = memory["peakFootprintBytes"].int ?? 0
      #expect(isMapped ? peak < 4 << 20 : (120 << 20...126 << 20).contains(peak), "\(memory)")
    }

    /// Reads a file in calls of 4 KiB, into memory for all of it or again and again into the same 4 KiB.
    private static let smallReader = """
      #include <fcntl.h>
      #include <poll.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      int main(int count, char **words) {
        size_t size = 100 << 20, at = 0;
        long reads = 0, got;
        poll(0, 0, 300);
        int file = open(words[1], O_RDONLY);
        char *all = malloc(count > 2 ? size : 4096);
        while ((got = read(file, all + (count > 2 ? at : 0), 4096)) > 0) at += got, reads++;
        close(file);
        poll(0, 0, 300);
        printf("{\\"reads\\": %ld, \\"last\\": %d}\\n", reads, all[0]);
        return 0;
      }
      """

    @Test(arguments: [true, false])
    func `a large file that is read whole in small calls is found`(isKept: Bool) throws {
      let scratch = try Scratch()
      let (program, file) = (try scratch.program("s", Self.smallReader), scratch.file("big"))
      try Data(count: 100 << 20).write(to: URL(fileURLWithPath: file))
      let run = try Recorded([program, file] + (isKept ? ["keep"] : []), scratch: scratch)
      let audit = run.audit("large-file-reads")
      #expect(audit["value"].int == (isKept ? 1 : 0), "\(audit)")
      #expect(run.file(file)["bytesRead"].int == 100 << 20, "\(run.signals["disk"])")
      // Where the kernel counts the calls, the one that finds the end and the dynamic linker's few are among them.
      let reads = run.file(file)["reads"].int ?? 0
      #expect((0..<40).contains(reads - (run.truth["reads"].int ?? 0)), "\(reads)")
    }

    private static let largeReader = """
      #include <fcntl.h>
      #include <poll.h>
      #include <stdlib.h>
      #include <unistd.h>
      static char *room;
      __attribute__((noinline)) long load_all(int file) {
        long total = 0, got;
        while ((got = read(file, room, 1 << 20)) > 0) { total += got; poll(0, 0, 10); }
        return total;
      }
      int main(int count, char **words) {
        room = malloc(1 << 20);
        int file = open(words[1], O_RDONLY);
        long total = load_all(file);
        poll(0, 0, 300);
        return total != 40 << 20;
      }
      """

    @Test(arguments: ["perf", "process"] + (Machine.recordsInKernel ? ["kernel"] : []))
    func `large reads are blamed on the function that makes them`(recorder: String) throws {
      let scratch = try Scratch()
      let (program, file) = (try scratch.program("s", Self.largeReader), scratch.file("big"))
      try Data(count: 40 << 20).write(to: URL(fileURLWithPath: file))
      let run = try Recorded(
        [program, file], options: ["--recorder", recorder], scratch: scratch)
      let rows = run.report["blame"]["reads"].items
      #expect(rows.first?["function"].string == "load_all", "\(rows)")
      #expect(rows.first?["bytes"].double == Double(40 << 20), "\(rows)")
      #expect(rows.first?["count"].double == 40, "\(rows)")
      let text = try Command.run([Machine.lull, "report", run.trace])
      #expect(
        text.text.contains("read         41.9 MB in 40 reads: load_all"), "\(text.text)")
    }

    @Test func `the difference of two footprints is what was taken more`() throws {
      let small = try Recorded(workload: "steady mb=32 seconds=1")
      let large = try Recorded(workload: "steady mb=96 seconds=1")
      for key in ["peakFootprintBytes", "peakResidentBytes"] {
        let difference =
          (large.signals["memory"][key].double ?? 0) - (small.signals["memory"][key].double ?? 0)
        #expect(abs(difference - 64 * 1_048_576) < 0.01 * 64 * 1_048_576, "\(key)")
      }
    }

    // It was its child's, or that of the recorder's copy from before its exec; and the disk had its child's bytes.
    @Test(arguments: ["auto", "perf", "process"])
    func `what a parent had and wrote is not its child's`(recorder: String) throws {
      let scratch = try Scratch()
      let program = try scratch.program("parent", Self.parent, ["-O1"])
      let run = try Recorded(
        [program, scratch.file("written")], options: ["--recorder", recorder], scratch: scratch)
      let truth = try #require(
        Double(run.result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
      let peak = try #require(run.signals["memory"]["peakResidentBytes"].double)
      // The library is in its memory too.
      #expect(peak > 0.8 * truth && peak < truth + 3e6, "\(peak), \(truth)")
      let disk = run.signals["disk"]
      #expect(
        disk["bytesWritten"].int == 0 && (disk["deviceBytesWritten"].int ?? 0) == 0, "\(disk)")
    }

    private static let parent = """
      #include <fcntl.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/wait.h>
      #include <unistd.h>
      int main(int words, char **texts) {
        pid_t child = fork();
        if (!child) {
          size_t size = 96 << 20;
          char *memory = malloc(size);
          memset(memory, 1, size);
          int file = open(texts[words - 1], O_CREAT | O_WRONLY, 0600);
          if (write(file, memory, 4 << 20) < 0 || fsync(file) < 0) return 1;
          usleep(300000);
          _exit(0);
        }
        waitpid(child, NULL, 0);
        usleep(300000);
        char line[256];
        FILE *status = fopen("/proc/self/status", "r");
        long peak = 0;
        while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &peak);
        printf("%ld\\n", peak << 10);
        return 0;
      }
      """

    @Test func `the end of a spike is not its peak`() throws {
      let run = try Recorded(workload: "spiker mb=64 times=3 gap=300")
      let memory = run.signals["memory"]
      let peak = memory["peakFootprintBytes"].double ?? 0
      let end = memory["endFootprintBytes"].double ?? 0
      #expect(isNear(peak - end, 64 * 1_048_576), "\(memory)")
    }

    @Test func `the pace of a leak is measured`() throws {
      let run = try Recorded(workload: "leaker mbPerSecond=8 seconds=7")
      let memory = run.signals["memory"]
      let truth = 8.0 * 1_048_576 * 60
      let pace = memory["growthBytesPerMinute"].double ?? 0
      #expect(abs(pace - truth) < 0.05 * truth, "\(pace) a minute")
      #expect((memory["growthInterval"][0].double ?? -1) > 0)
    }

    @Test func `a steady program does not grow`() throws {
      let run = try Recorded(workload: "steady mb=16 seconds=4")
      #expect(run.audit("footprint-growth")["status"].string != "fail")
      #expect(run.signals["memory"]["samples"].items.count >= 10)
    }
  }
}
