import Foundation
import Testing

extension SideBySide {
  /// What sockets carry at their ends, as the program's own calls have it, recorded by the kernel's events.
  @Suite(.enabled(if: Machine.recordsInKernel, Machine.needsKernelPrograms))
  struct SocketEnds {
    static let recorders = ["kernel", "perf"]

    /// A child listens at a port of loopback and answers or swallows what comes; the parent does what it is told to.
    private static let source = """
      #include <arpa/inet.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/socket.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static char bytes[65536];
      static struct sockaddr_in name;
      static int connects(int type) {
        int fd = socket(AF_INET, type, 0);
        if (connect(fd, (void *)&name, sizeof name)) exit(1);
        return fd;
      }
      /* Takes all that comes over so many connections, and sends back as much where it is to answer. */
      static void serves(int listener, int connections, int answers) {
        while (connections-- > 0) {
          int fd = accept(listener, 0, 0);
          for (long size; (size = read(fd, bytes, sizeof bytes)) > 0;)
            if (answers) write(fd, bytes, size);
          close(fd);
        }
        exit(0);
      }
      int main(int count, char **words) {
        socklen_t length = sizeof name;
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        bind(listener, (void *)&name, sizeof name);
        listen(listener, 50);
        getsockname(listener, (void *)&name, &length);
        if (!strcmp(words[1], "two")) {
          /* What waits to be accepted keeps what comes. */
          int fd = connects(SOCK_STREAM);
          for (int i = 0; i < 80; i++) send(fd, bytes, 1000, 0);
          sleep(2);
          for (int i = 0; i < 40; i++) send(fd, bytes, 1000, 0);
          return 0;
        }
        if (!strcmp(words[1], "exit")) {
          if (!fork()) serves(listener, 1, 1);
          int fd = connects(SOCK_STREAM);
          for (int i = 0; i < 2; i++) {
            send(fd, bytes, 200, 0);
            recv(fd, bytes, 200, MSG_WAITALL);
            sleep(2);
          }
          if (count > 2) close(fd);
          return 0;
        }
        if (!strcmp(words[1], "accept")) {
          /* The client is the child: ten connections that carry nothing, and five that do. */
          if (!fork()) {
            for (int i = 0; i < 15; i++) {
              int fd = connects(SOCK_STREAM);
              usleep(20000);
              if (i >= 10) write(fd, "hi", 2), read(fd, bytes, 2);
              close(fd);
            }
            return 0;
          }
          for (int i = 0; i < 15; i++) {
            int fd = accept(listener, 0, 0);
            if (read(fd, bytes, 2) > 0) write(fd, bytes, 2);
            close(fd);
          }
          return 0;
        }
        if (!strcmp(words[1], "heir")) {
          if (!fork()) serves(listener, 1, 0);
          int fd = connects(SOCK_STREAM);
          write(fd, bytes, 5000);
          if (!fork()) return write(fd, bytes, 7000) != 7000;
          wait(0);
          write(fd, bytes, 890);
          close(fd);
          return 0;
        }
        if (!strcmp(words[1], "datagrams")) {
          /* One socket: connected to one peer, to another, and to none. */
          int fd = socket(AF_INET, SOCK_DGRAM, 0);
          struct sockaddr_in peers[2] = {name, name}, none = {.sin_family = AF_UNSPEC};
          int ends[2];
          for (int i = 0; i < 2; i++) {
            ends[i] = socket(AF_INET, SOCK_DGRAM, 0);
            peers[i].sin_port = 0;
            bind(ends[i], (void *)&peers[i], length);
            getsockname(ends[i], (void *)&peers[i], &length);
          }
          for (int i = 0; i < 2; i++) {
            connect(fd, (void *)&peers[i], length);
            for (int turn = 0; turn < 20; turn++) {
              socklen_t size = sizeof name;
              send(fd, bytes, 100 * (i + 1), 0);
              recvfrom(ends[i], bytes, sizeof bytes, 0, (void *)&name, &size);
              sendto(ends[i], bytes, 10, 0, (void *)&name, size);
              recv(fd, bytes, sizeof bytes, 0);
            }
          }
          connect(fd, (void *)&none, sizeof none);
          sendto(fd, bytes, 7, 0, (void *)&peers[0], length);
          return 0;
        }
        return 2;
      }
      """

    private func record(
      _ words: [String], by recorder: String, options: [String] = []
    ) throws -> Recorded {
      let scratch = try Scratch()
      let program = try scratch.program("ends", Self.source)
      return try Recorded(
        [program] + words, options: ["--recorder", recorder, "--radio-loopback"] + options,
        reportOptions: ["--radio-loopback"], scratch: scratch)
    }

    // What was added up after the first transfers of a last moment had the time of the round after the end.
    @Test(arguments: recorders)
    func `what is sent in the last moment is in the last burst`(recorder: String) throws {
      for _ in 0..<3 {
        let network = try record(["two"], by: recorder).signals["network"]
        #expect(network["bytesSent"].int == 120_000, "\(network)")
        let bursts = network["bursts"].items.compactMap { $0["bytesSent"].int }.filter { $0 > 0 }
        #expect(bursts == [80_000, 40_000], "\(network)")
      }
    }

    // The last packets of connections that the exit closes were left out of all.
    @Test(arguments: recorders, [["exit"], ["exit", "close"]])
    func `a connection that stays open until the exit is closed then`(
      recorder: String, words: [String]
    ) throws {
      let run = try record(words, by: recorder)
      let network = run.signals["network"]
      let bursts = network["bursts"].items
      #expect(bursts.map { $0["bytesSent"].int } == [200, 200, 0], "\(network)")
      #expect(bursts.last?["class"].string == "connectionControl", "\(network)")
      #expect(run.audit("connection-close-cost")["status"].string == "fail")
    }

    // They were nobody's, since only what carries something was known to be somebody's.
    @Test(arguments: recorders)
    func `connections that were accepted and carried nothing are counted`(recorder: String) throws {
      let network = try record(["accept"], by: recorder).signals["network"]
      let connections = network["connections"].items
      #expect(connections.count == 15, "\(network)")
      #expect(connections.count { $0["bytesReceived"].int == 2 && $0["bytesSent"].int == 2 } == 5)
    }

    // It was taken for the child's alone, which carried something last.
    @Test(arguments: recorders)
    func `a connection that a child inherits stays its parent's`(recorder: String) throws {
      let run = try record(["heir"], by: recorder)
      let network = run.signals["network"]
      #expect(network["bytesSent"].int == 5890, "\(network)")
      #expect(network["connections"].items.map { $0["bytesSent"].int } == [5890], "\(network)")
      // Two segments in the handshake, five of data with the child's not among them, two to close.
      #expect(network["overheadSent"].int == 60 + 52 + 5 * 52 + 2 * 52, "\(network)")
      let child = try #require(
        run.report["process"]["children"].items.compactMap { $0.int }.last, "\(run.report)")
      let heir = try Recorded.report(
        run.trace, options: ["--process", String(child), "--radio-loopback"])["signals"]["network"]
      #expect(heir["connections"].items.map { $0["bytesSent"].int } == [7000], "\(heir)")
      #expect(heir["overheadSent"].int == 5 * 52, "\(heir)")
    }

    // No event tells to whom a UDP socket is connected.
    @Test func `each peer of a connected socket of datagrams has what was carried to it`() throws {
      let network = try record(["datagrams"], by: "kernel").signals["network"]
      let carried = network["connections"].items.map {
        [$0["bytesSent"].int, $0["bytesReceived"].int]
      }
      // Twenty times 100 and 200 bytes, and ten back. The other two sockets are not connected.
      #expect(carried == [[2000, 200], [4000, 200]], "\(network)")
      #expect(network["connections"].items.allSatisfy { $0["protocol"].string == "udp" })
      #expect(network["bytesSent"].int == 6000 + 40 * 10 + 7)
    }
  }
}
