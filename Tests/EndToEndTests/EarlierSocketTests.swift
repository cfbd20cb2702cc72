import Foundation
import Testing

extension SideBySide {
  /// Connections, UDP sockets and listening sockets that are older than the recording.
  @Suite struct EarlierSockets {
    /// A server that answers each message of its clients with as much, and a client that connects at once and speaks
    /// when it is sent SIGUSR1. Both say at their end what they moved.
    private static let source = """
      #include <arpa/inet.h>
      #include <poll.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      enum { size = 700 };
      static volatile sig_atomic_t is_over;
      static void over(int number) { is_over = number; }
      static long sent, received;
      static char bytes[size];
      static void move(int fd, int sends) {
        long count = sends ? send(fd, bytes, size, 0) : recv(fd, bytes, size, 0);
        if (count > 0) *(sends ? &sent : &received) += count;
      }
      int main(int count, char **words) {
        int is_udp = !strcmp(words[2], "udp"), type = is_udp ? SOCK_DGRAM : SOCK_STREAM;
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(atoi(words[4]))};
        inet_pton(AF_INET, words[3], &name.sin_addr);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        int fd = socket(AF_INET, type, 0);
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
        struct sigaction action = {.sa_handler = over};
        sigaction(SIGTERM, &action, NULL);
        if (!strcmp(words[1], "server")) {
          if (bind(fd, (void *)&name, sizeof name)) return 1;
          int peer = fd;
          if (is_udp) {
            /* The first word of the client's is who it is. */
            socklen_t length = sizeof name;
            recvfrom(fd, bytes, size, 0, (void *)&name, &length);
            connect(fd, (void *)&name, sizeof name);
          } else {
            listen(fd, 8);
            peer = accept(fd, NULL, NULL);
          }
          struct pollfd wait = {.fd = peer, .events = POLLIN};
          while (!is_over) {
            if (poll(&wait, 1, 100) < 1) continue;
            long before = received;
            move(peer, 0);
            if (received == before) break;
            move(peer, 1);
          }
        } else {
          sigprocmask(SIG_BLOCK, &set, NULL);
          if (connect(fd, (void *)&name, sizeof name)) return 1;
          if (is_udp) send(fd, "I", 1, 0);
          int signal;
          sigwait(&set, &signal);
          for (int i = 0; i < atoi(words[5]); i++) {
            move(fd, 1);
            move(fd, 0);
            usleep(1000 * atoi(words[6]));
          }
        }
        printf("{\\"bytesSent\\": %ld, \\"bytesReceived\\": %ld}\\n", sent, received);
        fflush(stdout);
        while (!is_over) pause();
        return 0;
      }
      """

    /// Two network namespaces with a wire between them, or loopback.
    private enum Way: String, CaseIterable {
      case loopback, wire
    }

    /// Attaches to one end of a conversation that began before, and gives what that end said and the report.
    private func recorded(
      _ end: String, over way: Way, udp: Bool = false, recorder: String = "auto",
      options: [String] = [], messages: Int = 40, gap: Int = 50, _ scratch: Scratch
    ) throws -> (truth: JSON, reports: [JSON]) {
      let script = """
        talker=$1 lull=$2 folder=$3 protocol=$4 end=$5 recorder=$6 options=$7 messages=$8 gap=$9
        ip link set lo up
        if [ \(way.rawValue) = wire ]; then
          unshare -n sleep 60 & other=$!
          while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
          ip link add here type veth peer name there netns $other
          ip addr add 192.0.2.1/24 dev here && ip link set here up
          nsenter -t $other -n sh -c 'ip addr add 192.0.2.2/24 dev there && ip link set there up'
          client="nsenter -t $other -n" address=192.0.2.1
        else
          client= address=127.0.0.1
        fi
        "$talker" server $protocol $address 7001 > "$folder/server" & server=$!
        sleep 0.2
        $client "$talker" client $protocol $address 7001 $messages $gap > "$folder/client" & client=$!
        sleep 0.3
        target=$server
        [ $end = client ] && target=$client
        "$lull" record -q --recorder $recorder --pid $target -o "$folder/t" $options 2> "$folder/errors" & lull=$!
        sleep 1.5
        kill -USR1 $client
        while [ ! -s "$folder/client" ]; do sleep 0.05; done
        sleep 0.5
        kill -INT $lull
        wait $lull || cat "$folder/errors" >&2
        kill $client $server
        wait $client $server
        [ -n "$other" ] && kill $other
        true
        """
      let result = try Command.run([
        "unshare", "-n", "sh", "-c", script, "talk", try scratch.program("talker", Self.source),
        Machine.lull,
        scratch.path, udp ? "udp" : "tcp", end, recorder, options.joined(separator: " "),
        "\(messages)", "\(gap)",
      ])
      try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      let said = try String(contentsOfFile: scratch.file(end), encoding: .utf8)
      let trace = scratch.file("t")
      var isFolder = ObjCBool(false)
      _ = FileManager.default.fileExists(atPath: trace, isDirectory: &isFolder)
      let parts =
        isFolder.boolValue
        ? try FileManager.default.contentsOfDirectory(atPath: trace).sorted().map {
          "\(trace)/\($0)"
        }
        : []
      return (
        try JSON(lastLineOf: said),
        try ([trace] + parts).map { try Recorded.report($0) }
      )
    }

    private static let radioRules = [
      "radio-duty-cycle", "tail-energy", "burst-coalescing", "server-polling",
      "connection-close-cost",
    ]

    private func audit(_ id: String, _ report: JSON) -> String? {
      report["audits"].items.first { $0["id"].string == id }?["status"].string
    }

    /// Holds what a report says of the network against what the program moved.
    private func expect(_ report: JSON, isRadio: Bool, _ truth: JSON, udp: Bool = false) {
      let network = report["signals"]["network"]
      #expect(network["bytesSent"].int == truth["bytesSent"].int, "\(network)")
      #expect(network["bytesReceived"].int == truth["bytesReceived"].int, "\(network)")
      #expect(!network["peersNotKnown"].exists, "\(network)")
      let own = network["connections"].items.filter { ($0["bytesSent"].int ?? 0) > 0 }
      #expect(own.count == 1 && own.first?["protocol"].string == (udp ? "udp" : "tcp"), "\(own)")
      let address = isRadio ? "192.0.2." : "127.0.0."
      #expect(own.first?["remote"].string?.hasPrefix(address) == true, "\(own)")
      let bursts = network["bursts"].items.filter {
        ($0["bytesSent"].int ?? 0) + ($0["bytesReceived"].int ?? 0) > 0
      }
      let carried = bursts.reduce(0) {
        $0 + ($1["bytesSent"].int ?? 0) + ($1["bytesReceived"].int ?? 0)
      }
      let all = (truth["bytesSent"].int ?? 0) + (truth["bytesReceived"].int ?? 0)
      #expect(carried == (isRadio ? all : 0), "\(bursts)")
      guard !isRadio else { return }
      for rule in Self.radioRules {
        #expect(audit(rule, report) == "notApplicable", "\(rule)")
      }
    }

    @Test(
      .enabled(if: Machine.recordsInKernel, Machine.needsKernelPrograms),
      arguments: [
        ("server", false, false), ("server", true, false), ("client", false, false),
        ("client", true, false), ("server", false, true), ("client", true, true),
      ])
    func `a connection that is older than an attach has its peer, in the kernel's events`(
      end: String, isRadio: Bool, udp: Bool
    ) throws {
      let scratch = try Scratch()
      let (truth, reports) = try recorded(
        end, over: isRadio ? .wire : .loopback, udp: udp, recorder: "perf", scratch)
      expect(reports[0], isRadio: isRadio, truth, udp: udp)
      // Nobody saw it listen.
      let profile = reports[0]["score"]["profile"].string
      if end == "server", !udp {
        #expect(profile == "server")
      } else {
        #expect(profile != "server")
      }
    }

    @Test(arguments: [("server", false), ("server", true), ("client", false)])
    func `looked at from outside too`(end: String, isRadio: Bool) throws {
      let scratch = try Scratch()
      let (truth, reports) = try recorded(
        end, over: isRadio ? .wire : .loopback, recorder: "outside", scratch)
      expect(reports[0], isRadio: isRadio, truth)
      if end == "server" { #expect(reports[0]["score"]["profile"].string == "server") }
    }

    @Test func `a program with an agent has its peers`() throws {
      let scratch = try Scratch()
      let run = try Recorded(
        attachedTo: [
          Machine.agentWorkload, "chatty", "messages=30", "bytes=100", "reply=200", "gap=100",
        ], in: [], options: ["--recorder", "process"], scratch: scratch)
      let network = run.signals["network"]
      #expect(!network["peersNotKnown"].exists, "\(network)")
      #expect((network["bytesSent"].int ?? 0) > 1000)
      let own = network["connections"].items
      #expect(own.contains { $0["remote"].string?.hasPrefix("127.0.0.1:") == true }, "\(own)")
      #expect(network["bursts"].items.isEmpty, "\(network)")
      for rule in Self.radioRules { #expect(audit(rule, run.report) == "notApplicable", "\(rule)") }
    }

    @Test(
      .enabled(if: Machine.recordsInKernel, Machine.needsKernelPrograms),
      arguments: ["perf", "outside"])
    func `each part of a recording knows the peers`(recorder: String) throws {
      let scratch = try Scratch()
      let (truth, reports) = try recorded(
        "server", over: .loopback, recorder: recorder, options: ["--rotate", "1s"], messages: 60,
        scratch)
      try #require(reports.count > 3)
      expect(reports[0], isRadio: false, truth)
      var sent = 0
      for report in reports.dropFirst() {
        let network = report["signals"]["network"]
        #expect(!network["peersNotKnown"].exists, "\(network)")
        #expect(network["bursts"].items.isEmpty, "\(network)")
        #expect(report["score"]["profile"].string == "server")
        sent += network["bytesSent"].int ?? 0
      }
      #expect(sent == truth["bytesSent"].int)
    }
  }
}
