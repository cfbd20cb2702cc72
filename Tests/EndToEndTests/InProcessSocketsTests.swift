import Foundation
import Testing

extension SideBySide {
  /// What a program does at its sockets, recorded within it, held against its own count of what the calls gave back.
  @Suite struct InProcessSockets {
    /// Records the program in a network namespace of its own, which has loopback alone.
    private func network(
      _ how: String, _ number: Int = 20
    ) throws -> (truth: JSON, network: JSON, audits: [JSON]) {
      let scratch = try Scratch()
      let program = try scratch.program("sockets", Self.source)
      let script = "ip link set lo up; exec \"$@\""
      let run = try Recorded(
        [program, how, "\(number)"], in: ["unshare", "-n", "sh", "-c", script, "sockets"],
        options: ["--recorder", "process"], reportOptions: ["--radio-loopback"], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      return (run.truth, run.report["signals"]["network"], run.report["audits"].items)
    }

    /// How many failures of a kind there are, and with whom.
    private func failures(_ network: JSON, _ kind: String) -> (count: Int, remotes: Set<String>) {
      let rows = network["failures"].items.filter { $0["kind"].string == kind }
      return (
        rows.reduce(0) { $0 + ($1["count"].int ?? 1) }, Set(rows.compactMap { $0["remote"].string })
      )
    }

    @Test(arguments: ["refused", "refused-by-number", "refused-later"])
    func `a connection that is refused is told, with whom it was to be`(how: String) throws {
      let (truth, network, audits) = try network(how)
      #expect(truth["refused"].int == 20)
      let (count, remotes) = failures(network, "connect")
      #expect(count == 20, "\(network)")
      #expect(remotes == ["127.0.0.1:\(truth["port"].int ?? 0)"], "\(network)")
      #expect(network["connections"].items.count == 20, "\(network)")
      let storms = try #require(audits.first { $0["id"].string == "retry-storms" })
      #expect(storms["displayValue"].string == "20 failures", "\(storms)")
    }

    @Test func `a socket that is refused and tries again is told each time`() throws {
      let (truth, network, _) = try network("same")
      #expect(truth["refused"].int == 20)
      #expect(failures(network, "connect").count == 20, "\(network)")
    }

    @Test func `what finds no way to a network has failed, and sent nothing`() throws {
      let (truth, network, _) = try network("unreachable")
      #expect(truth["unreachable"].int == 20)
      #expect(failures(network, "send").count == 20, "\(network)")
      #expect(network["bursts"].items.isEmpty, "\(network)")
    }

    // Of sends alike in a row the first three were told.
    @Test func `each of many sends that fail is a failure`() throws {
      let (truth, network, audits) = try network("broken", 200)
      #expect(truth["failed"].int == 200)
      #expect(failures(network, "send").count == 200, "\(network)")
      let storms = try #require(audits.first { $0["id"].string == "retry-storms" })
      #expect(storms["status"].string == "fail", "\(storms)")
    }

    @Test(arguments: ["messages", "messages-by-number"])
    func `each of several messages that go at once counts`(how: String) throws {
      let (truth, network, _) = try network(how)
      #expect(truth["sent"].int == 640)
      #expect(network["sends"].int == 640, "\(network)")
      #expect(network["bytesSent"].int == 640 * 100, "\(network)")
      // What fits nowhere the kernel throws away.
      #expect(network["receives"].int == truth["received"].int, "\(network)")
      #expect(network["bytesReceived"].int == (truth["received"].int ?? 0) * 100, "\(network)")
      // 28 bytes of IP and UDP a datagram.
      #expect(network["overheadSent"].int == 640 * 28, "\(network)")
    }

    @Test func `a message of several parts is one`() throws {
      let (_, network, _) = try network("parts")
      #expect(network["sends"].int == 20 && network["bytesSent"].int == 20 * 70, "\(network)")
    }

    @Test func `a connection that a send makes has what it carried`() throws {
      let (truth, network, _) = try network("fast")
      #expect(truth["sent"].int == 20 * 100)
      let connections = network["connections"].items
      #expect(connections.count == 20, "\(network)")
      #expect(
        Set(connections.map { $0["remote"].string }) == ["127.0.0.1:\(truth["port"].int ?? 0)"])
      #expect(connections.allSatisfy { $0["bytesSent"].int == 100 }, "\(network)")
    }

    @Test func `a connection that is accepted counts though nothing goes over it`() throws {
      let (truth, network, _) = try network("accepts")
      #expect(truth["accepted"].int == 20 && truth["carried"].int == 5)
      let connections = network["connections"].items
      #expect(connections.count == 20, "\(network)")
      #expect(connections.allSatisfy { $0["opened"].exists && $0["closed"].exists }, "\(network)")
    }

    @Test func `what is sent over a connection that a child made is that connection's`() throws {
      let (truth, network, _) = try network("child")
      let connections = network["connections"].items
      #expect(connections.count == 1, "\(network)")
      #expect(connections.first?["remote"].string == "127.0.0.1:\(truth["port"].int ?? 0)")
      #expect(connections.first?["bytesSent"].int == 800, "\(network)")
      #expect(network["bursts"].items.count == 1, "\(network)")
    }

    /// Records a program that asks for names, a server of its own's on loopback or the file of hosts.
    private func asking(_ how: String, _ recorder: String) throws -> (
      truth: JSON, network: JSON, audits: [JSON]
    ) {
      let scratch = try Scratch()
      let program = try scratch.program("names", Self.names)
      let script = """
        ip link set lo up
        echo nameserver 127.0.0.1 > "$0.resolv" && mount --bind "$0.resolv" "$(readlink -f /etc/resolv.conf)"
        echo hosts: files dns > "$0.switch" && mount --bind "$0.switch" /etc/nsswitch.conf
        exec "$@"
        """
      let run = try Recorded(
        [program, how], in: ["unshare", "-nm", "sh", "-c", script, scratch.file("names")],
        options: ["--recorder", recorder], reportOptions: ["--radio-loopback"], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      return (
        run.truth, run.report["signals"]["network"],
        run.report["audits"].items.filter { $0["category"].string == "network" }
      )
    }

    @Test(arguments: ["getaddrinfo", "gethostbyname", "res_query", "getnameinfo"])
    func `what is sent for names is missed, not nothing`(how: String) throws {
      let (truth, network, audits) = try asking(how, "process")
      // The server's count.
      #expect(truth["asked"].int ?? 0 >= 5)
      #expect(
        network["missing"].string?.hasPrefix("at least 5 calls for names") == true, "\(network)")
      for rule in ["retry-storms", "tail-energy", "burst-coalescing", "chatty-protocol"] {
        let audit = audits.first { $0["id"].string == rule }
        #expect(audit?["status"].string == "notMeasured", "\(rule): \(audits)")
      }
      #expect(!audits.contains { $0["status"].string == "pass" }, "\(audits)")
    }

    @Test func `a name that stands in a file is asked of nobody`() throws {
      let (truth, network, _) = try asking("files", "process")
      #expect(truth["asked"].int == 0)
      #expect(!network["missing"].exists, "\(network)")
    }

    private static let names = """
      #include <arpa/inet.h>
      #include <netdb.h>
      #include <resolv.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/mman.h>
      #include <sys/socket.h>
      #include <unistd.h>
      int main(int count, char **words) {
        int *asked = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(53)};
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr);
        int fd = socket(AF_INET, SOCK_DGRAM, 0);
        if (bind(fd, (void *)&name, sizeof name)) return 9;
        int server = fork();
        if (!server) {
          for (;;) {
            unsigned char text[600];
            struct sockaddr_in from;
            socklen_t size = sizeof from;
            long length = recvfrom(fd, text, sizeof text, 0, (void *)&from, &size);
            ++*asked;
            usleep(2000);
            /* An answer: there is no such name. */
            text[2] |= 0x80;
            text[3] = 0x83;
            sendto(fd, text, length, 0, (void *)&from, size);
          }
        }
        close(fd);
        for (int i = 0; i < 5; i++) {
          char host[64], buffer[512];
          snprintf(host, sizeof host, "lull-%d.invalid", i);
          struct addrinfo *found, hints = {.ai_socktype = SOCK_STREAM};
          if (!strcmp(words[1], "getaddrinfo")) getaddrinfo(host, "80", &hints, &found);
          if (!strcmp(words[1], "gethostbyname")) gethostbyname(host);
          if (!strcmp(words[1], "res_query")) res_query(host, 1, 1, (void *)buffer, sizeof buffer);
          if (!strcmp(words[1], "files")) getaddrinfo("localhost", "80", &hints, &found);
          inet_pton(AF_INET, "192.0.2.7", &name.sin_addr);
          if (!strcmp(words[1], "getnameinfo")) {
            getnameinfo((void *)&name, sizeof name, buffer, sizeof buffer, NULL, 0, NI_NAMEREQD);
          }
        }
        printf("{\\"asked\\": %d}\\n", *asked);
        fflush(stdout);
        kill(server, 9);
        return 0;
      }
      """

    private static let source = """
      #define _GNU_SOURCE
      #include <arpa/inet.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <poll.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/socket.h>
      #include <sys/syscall.h>
      #include <sys/uio.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static struct sockaddr_in name = {.sin_family = AF_INET};
      static socklen_t size = sizeof name;
      static char bytes[1000];
      /* A socket with a port of its own, at which it listens or not. */
      static int at_port(int type, int listens) {
        int fd = socket(AF_INET, type, 0);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        bind(fd, (void *)&name, size);
        getsockname(fd, (void *)&name, &size);
        if (listens) listen(fd, 64);
        return fd;
      }
      static int connected(void) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        connect(fd, (void *)&name, size);
        return fd;
      }
      static int is(const char *word, const char *other) { return !strcmp(word, other); }
      int main(int count, char **words) {
        const char *how = words[1];
        int turns = atoi(words[2]), refused = 0, unreachable = 0, failed = 0, accepted = 0, carried = 0;
        long sent = 0, received = 0;
        signal(SIGPIPE, SIG_IGN);
        if (!strncmp(how, "refused", 7) || is(how, "same")) {
          at_port(SOCK_STREAM, 0);
          int later = is(how, "refused-later"), same = -1;
          for (int i = 0; i < turns; i++) {
            int fd = same >= 0 ? same : socket(AF_INET, SOCK_STREAM | (later ? SOCK_NONBLOCK : 0), 0);
            int result = is(how, "refused-by-number") ? syscall(SYS_connect, fd, &name, size)
                                                      : connect(fd, (void *)&name, size);
            int error = result < 0 ? errno : 0;
            if (error == EINPROGRESS) {
              struct pollfd entry = {fd, POLLOUT, 0};
              poll(&entry, 1, 1000);
              socklen_t length = sizeof error;
              getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
            }
            refused += error == ECONNREFUSED;
            if (is(how, "same")) same = fd;
            else close(fd);
            usleep(2000);
          }
        }
        if (is(how, "unreachable")) {
          inet_pton(AF_INET, "192.0.2.1", &name.sin_addr);
          name.sin_port = htons(80);
          for (int i = 0; i < turns; i++) {
            int fd = socket(AF_INET, SOCK_STREAM, 0);
            unreachable += connect(fd, (void *)&name, size) < 0 && errno == ENETUNREACH;
            close(fd);
          }
        }
        if (is(how, "broken")) {
          at_port(SOCK_STREAM, 1);
          int fd = connected();
          send(fd, bytes, 100, 0);
          shutdown(fd, SHUT_WR);
          for (int i = 0; i < turns; i++) failed += send(fd, bytes, 1000, 0) < 0 && errno == EPIPE;
        }
        if (!strncmp(how, "messages", 8)) {
          int by_number = is(how, "messages-by-number");
          int end = at_port(SOCK_DGRAM, 0), fd = socket(AF_INET, SOCK_DGRAM, 0);
          connect(fd, (void *)&name, size);
          struct iovec part = {bytes, 100};
          struct mmsghdr messages[32] = {0};
          for (int i = 0; i < 32; i++) messages[i].msg_hdr = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
          for (int i = 0; i < turns; i++) {
            part.iov_len = 100;
            sent += by_number ? syscall(SYS_sendmmsg, fd, messages, 32, 0) : sendmmsg(fd, messages, 32, 0);
            part.iov_len = sizeof bytes;
            received += by_number ? syscall(SYS_recvmmsg, end, messages, 32, MSG_WAITFORONE, NULL)
                                  : recvmmsg(end, messages, 32, MSG_WAITFORONE, NULL);
          }
        }
        if (is(how, "parts")) {
          at_port(SOCK_DGRAM, 0);
          int fd = socket(AF_INET, SOCK_DGRAM, 0);
          connect(fd, (void *)&name, size);
          struct iovec parts[] = {{bytes, 10}, {bytes, 20}, {bytes, 40}};
          struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
          for (int i = 0; i < turns; i++) sendmsg(fd, &message, 0);
        }
        if (is(how, "fast")) {
          int end = at_port(SOCK_STREAM, 1);
          for (int i = 0; i < turns; i++) {
            int fd = socket(AF_INET, SOCK_STREAM, 0);
            sent += sendto(fd, bytes, 100, MSG_FASTOPEN, (void *)&name, size);
            close(fd);
          }
        }
        if (is(how, "accepts")) {
          int end = at_port(SOCK_STREAM, 1);
          if (!fork()) {
            for (int i = 0; i < turns; i++) {
              int fd = connected();
              if (i >= turns - 5) write(fd, "hi", 2);
              usleep(2000);
              close(fd);
            }
            _exit(0);
          }
          for (; accepted < turns; accepted++) {
            int fd = accept(end, NULL, NULL);
            carried += read(fd, bytes, sizeof bytes) > 0;
            close(fd);
          }
          wait(NULL);
        }
        if (is(how, "child")) {
          at_port(SOCK_STREAM, 1);
          int fd = socket(AF_INET, SOCK_STREAM, 0);
          if (!fork()) {
            connect(fd, (void *)&name, size);
            write(fd, bytes, 700);
            _exit(0);
          }
          wait(NULL);
          write(fd, bytes, 800);
          close(fd);
        }
        printf("{\\"refused\\": %d, \\"unreachable\\": %d, \\"failed\\": %d, \\"accepted\\": %d, \\"carried\\": %d, "
               "\\"sent\\": %ld, \\"received\\": %ld, \\"port\\": %d}\\n", refused, unreachable, failed, accepted,
               carried, sent, received, ntohs(name.sin_port));
        return 0;
      }
      """
  }
}
