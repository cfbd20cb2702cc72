import Foundation
import Testing

extension SideBySide {
  /// Datagrams through sockets that are not connected, recorded within the process: their calls name the other ends.
  @Suite struct UnconnectedSockets {
    /// An echo server of datagrams, and a client that asks several of them in turn through one socket. The client says
    /// at its end what it moved to and from each.
    private static let source = """
      #include <arpa/inet.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/socket.h>
      #include <unistd.h>
      static struct sockaddr_in name_of(const char *address, int port) {
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
        inet_pton(AF_INET, address, &name.sin_addr);
        return name;
      }
      static char bytes[2000];
      /* server ADDRESS PORT COUNT, or client HOW TURNS ADDRESS... */
      int main(int count, char **words) {
        int fd = socket(AF_INET, SOCK_DGRAM, 0);
        if (!strcmp(words[1], "server")) {
          struct sockaddr_in name = name_of(words[2], atoi(words[3]));
          if (bind(fd, (void *)&name, sizeof name)) return 1;
          printf("ready\\n");
          fflush(stdout);
          for (int i = 0; i < atoi(words[4]); i++) {
            socklen_t length = sizeof name;
            long size = recvfrom(fd, bytes, sizeof bytes, 0, (void *)&name, &length);
            sendto(fd, bytes, size / 2, 0, (void *)&name, length);
          }
          return 0;
        }
        int is_message = !strcmp(words[2], "message"), is_unnamed = !strcmp(words[2], "unnamed");
        long sent = 0, received = 0;
        for (int turn = 0; turn < atoi(words[3]); turn++) {
          for (int peer = 4; peer < count; peer++) {
            struct sockaddr_in name = name_of(words[peer], 7001), from;
            socklen_t length = sizeof from;
            struct iovec out = {bytes, 100 * (peer - 3)}, in = {bytes, sizeof bytes};
            struct msghdr send = {.msg_name = &name, .msg_namelen = sizeof name, .msg_iov = &out, .msg_iovlen = 1};
            struct msghdr receive = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &in, .msg_iovlen = 1};
            sent += is_message ? sendmsg(fd, &send, 0)
                               : sendto(fd, bytes, out.iov_len, 0, (void *)&name, sizeof name);
            received += is_message   ? recvmsg(fd, &receive, 0)
                        : is_unnamed ? recv(fd, bytes, sizeof bytes, 0)
                                     : recvfrom(fd, bytes, sizeof bytes, 0, (void *)&from, &length);
            usleep(20000);
          }
        }
        printf("{\\"bytesSent\\": %ld, \\"bytesReceived\\": %ld}\\n", sent, received);
        return 0;
      }
      """

    /// Records the client, or the server of loopback, in a network namespace of its own with a wire to another one.
    private func recorded(
      _ end: String, _ how: String, _ addresses: [String], _ scratch: Scratch
    ) throws -> (truth: JSON, network: JSON) {
      let turns = 20
      let script = """
        program=$1 lull=$2 folder=$3 end=$4 how=$5 addresses="$6"
        ip link set lo up
        unshare -n sleep 60 & other=$!
        while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
        ip link add here type veth peer name there netns $other
        ip addr add 192.0.2.1/24 dev here && ip link set here up
        nsenter -t $other -n sh -c 'ip addr add 192.0.2.2/24 dev there && ip link set there up'
        near="$program server 127.0.0.1 7001 \(turns)"
        [ $end = server ] && near="$lull record -q --recorder process -o $folder/t -- $near"
        $near > "$folder/near" & servers=$!
        nsenter -t $other -n "$program" server 192.0.2.2 7001 \(turns) > "$folder/far" & far=$!
        for server in near far; do while [ ! -s "$folder/$server" ]; do sleep 0.02; done; done
        client="$program client $how \(turns) $addresses"
        [ $end = client ] && client="$lull record -q --recorder process -o $folder/t -- $client"
        $client > "$folder/client"
        case "$addresses" in *127*) wait $servers;; *) kill $servers;; esac
        kill $far $other 2> /dev/null
        true
        """
      let result = try Command.run([
        "unshare", "-n", "sh", "-c", script, "datagrams",
        try scratch.program("datagrams", Self.source), Machine.lull,
        scratch.path, end, how, addresses.joined(separator: " "),
      ])
      try #require(result.status == 0, "\(result.errors)")
      let said = try String(contentsOfFile: scratch.file("client"), encoding: .utf8)
      return (
        try JSON(lastLineOf: said), try Recorded.report(scratch.file("t"))["signals"]["network"]
      )
    }

    private func carried(_ network: JSON) -> Int {
      network["bursts"].items.reduce(0) {
        $0 + ($1["bytesSent"].int ?? 0) + ($1["bytesReceived"].int ?? 0)
      }
    }

    @Test(.enabled(if: Machine.isRoot), arguments: ["named", "message"])
    func `each other end of one socket is told, and what left the machine is the radio's`(
      how: String
    ) throws {
      let scratch = try Scratch()
      let (truth, network) = try recorded("client", how, ["127.0.0.1", "192.0.2.2"], scratch)
      #expect(network["bytesSent"].int == truth["bytesSent"].int, "\(network)")
      #expect(network["bytesReceived"].int == truth["bytesReceived"].int, "\(network)")
      #expect(!network["peersNotKnown"].exists, "\(network)")
      let ends = network["connections"].items.sorted {
        ($0["remote"].string ?? "") < ($1["remote"].string ?? "")
      }
      #expect(ends.map { $0["remote"].string } == ["127.0.0.1:7001", "192.0.2.2:7001"], "\(ends)")
      // 100 bytes to the one and 200 to the other, 20 times, and half of it back.
      #expect(ends.map { $0["bytesSent"].int } == [2000, 4000])
      #expect(ends.map { $0["bytesReceived"].int } == [1000, 2000])
      #expect(carried(network) == 6000, "\(network)")
    }

    @Test(.enabled(if: Machine.isRoot))
    func `what is received from nobody knows whom is told apart`() throws {
      let scratch = try Scratch()
      let (truth, network) = try recorded("client", "unnamed", ["192.0.2.2"], scratch)
      #expect(network["bytesSent"].int == truth["bytesSent"].int)
      #expect(carried(network) == 2000, "\(network)")
      #expect(network["peersNotKnown"]["bytesSent"].int == 0, "\(network)")
      #expect(network["peersNotKnown"]["bytesReceived"].int == truth["bytesReceived"].int)
    }

    @Test(.enabled(if: Machine.isRoot))
    func `a server that answers on its one socket is a server towards each`() throws {
      let scratch = try Scratch()
      let (truth, network) = try recorded("server", "named", ["127.0.0.1"], scratch)
      #expect(network["bytesReceived"].int == truth["bytesSent"].int, "\(network)")
      #expect(!network["peersNotKnown"].exists && carried(network) == 0, "\(network)")
      #expect(network["connections"].items.count == 1)
    }
  }
}
