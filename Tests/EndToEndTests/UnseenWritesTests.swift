import Foundation
import Testing

extension SideBySide {
  /// Writes by ways that no call tells of, held against what the kernel counted of the process itself (/proc/self/io).
  @Suite struct UnseenWrites {
    private func recorded(_ how: String, _ recorder: String) throws -> (
      truth: JSON, disk: JSON, audits: [JSON], joules: Double
    ) {
      let scratch = try Scratch()
      let program = try scratch.program("unseen", Self.source)
      let run = try Recorded(
        [program, how, scratch.file("data")], options: ["--recorder", recorder], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      let signals = run.report["signals"]
      return (
        run.truth, signals["disk"],
        run.report["audits"].items.filter { $0["category"].string == "disk" },
        signals["energy"]["diskJoules"].double ?? 0
      )
    }

    @Test(arguments: ["process", "kernel", "perf"])
    func `what is written through a mapping is work for the disk, and no rule passes without it`(
      recorder: String
    ) throws {
      let (truth, disk, audits, joules) = try recorded("mapping", recorder)
      #expect(disk["writes"].int == 0 && disk["missing"].exists, "\(disk)")
      #expect(disk["missing"].string?.contains("/data") == true, "\(disk)")
      #expect(audits.allSatisfy { $0["status"].string == "notMeasured" }, "\(audits)")
      // Of a program that ends the count is not always to be had.
      guard let device = disk["deviceBytesWritten"].int else { return }
      #expect(device >= truth["dirtied"].int ?? .max, "\(disk)")
      // 4.7 nJ a byte, by the standard priors: more than nothing, of 16 MiB.
      #expect(joules > 0.01, "\(joules)")
    }

    @Test(arguments: ["process", "kernel", "perf"])
    func `what is asked for by io_submit may have been written or synced`(recorder: String) throws {
      let (_, disk, audits, _) = try recorded("submit", recorder)
      #expect(disk["missing"].string?.contains("20 asynchronous requests") == true, "\(disk)")
      #expect(audits.allSatisfy { $0["status"].string == "notMeasured" }, "\(audits)")
    }

    @Test(arguments: ["posix", "ring", "past"])
    func `what goes past the functions within the process is missed, not nothing`(how: String)
      throws
    {
      let (truth, disk, audits, _) = try recorded(how, "process")
      #expect(truth["dirtied"].int ?? 0 > 100_000)
      #expect(disk["writes"].int == 0 && disk["missing"].exists, "\(disk)")
      #expect(audits.allSatisfy { $0["status"].string == "notMeasured" }, "\(audits)")
    }

    // It fails by what was seen, whatever else there was.
    @Test func `what is too often already fails`() throws {
      let (_, disk, audits, _) = try recorded("syncs", "process")
      #expect(disk["missing"].exists && disk["syncs"].int == 200, "\(disk)")
      let syncs = try #require(audits.first { $0["id"].string == "sync-frequency" })
      #expect(syncs["status"].string == "fail", "\(syncs)")
    }

    @Test(arguments: ["process", "kernel", "perf"])
    func `small writes all over a file, and many files, are all that there was`(recorder: String)
      throws
    {
      for how in ["scattered", "files"] {
        let (_, disk, _, _) = try recorded(how, recorder)
        #expect(!disk["missing"].exists && disk["writes"].int == 1000, "\(how): \(disk)")
      }
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <aio.h>
      #include <fcntl.h>
      #include <linux/aio_abi.h>
      #include <linux/io_uring.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/mman.h>
      #include <sys/stat.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      static int is(const char *word, const char *other) { return !strcmp(word, other); }
      /* What the kernel counted: pages made dirty, and what went past the page cache. */
      static long dirtied(void) {
        char line[100];
        long bytes = 0;
        FILE *file = fopen("/proc/self/io", "r");
        while (fgets(line, sizeof line, file)) sscanf(line, "write_bytes: %ld", &bytes);
        fclose(file);
        return bytes;
      }
      /* A call that nothing stands in front of. */
      static long past(long number, long a, long b, long c) {
      #if defined(__aarch64__)
        register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
        __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
        return x0;
      #else
        long result;
        __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
        return result;
      #endif
      }
      int main(int count, char **words) {
        const char *how = words[1];
        int fd = open(words[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
        char *block;
        posix_memalign((void **)&block, 4096, 65536);
        memset(block, 7, 65536);
        if (is(how, "mapping") || is(how, "syncs")) {
          long size = 16 << 20;
          ftruncate(fd, size);
          char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
          memset(map, 1, size);
          if (is(how, "mapping")) munmap(map, size);
          for (int i = 0; is(how, "syncs") && i < 200; i++) fdatasync(fd);
        }
        if (is(how, "submit")) {
          aio_context_t context = 0;
          syscall(SYS_io_setup, 8, &context);
          for (int i = 0; i < 20; i++) {
            struct iocb request = {.aio_fildes = fd, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_buf = (long)block,
                                   .aio_nbytes = 65536, .aio_offset = i * 65536l};
            struct iocb *list[] = {&request};
            struct io_event event;
            syscall(SYS_io_submit, context, 1, list);
            syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
          }
        }
        if (is(how, "posix")) {
          for (int i = 0; i < 20; i++) {
            struct aiocb request = {.aio_fildes = fd, .aio_buf = block, .aio_nbytes = 10000, .aio_offset = i * 10000};
            const struct aiocb *list[] = {&request};
            aio_write(&request);
            aio_suspend(list, 1, NULL);
            aio_return(&request);
          }
        }
        if (is(how, "ring")) {
          struct io_uring_params parameters = {0};
          if (syscall(SYS_io_uring_setup, 8, &parameters) < 0) return 9;
        }
        if (is(how, "past") || is(how, "ring")) {
          for (int i = 0; i < 20; i++) past(SYS_write, fd, (long)block, 65536);
        }
        for (int i = 0; is(how, "scattered") && i < 1000; i++) pwrite(fd, block, 10, i * 40960l);
        for (int i = 0; is(how, "files") && i < 1000; i++) {
          char path[4096];
          snprintf(path, sizeof path, "%s-%d", words[2], i);
          int other = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
          write(other, block, 10);
          close(other);
        }
        printf("{\\"dirtied\\": %ld}\\n", dirtied());
        return 0;
      }
      """
  }
}
