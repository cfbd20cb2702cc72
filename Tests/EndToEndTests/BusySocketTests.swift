import Foundation
import Testing

extension EndToEnd {
  /// Sockets that carry very much, recorded within the process, which adds up what they carry.
  @Suite struct BusySockets {
    /// Listens at any port of loopback, which it fills in.
    private static let listens = """
      #include <arpa/inet.h>
      #include <sys/socket.h>
      static int listens(struct sockaddr_in *name) {
        socklen_t length = sizeof *name;
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        bind(fd, (void *)name, length);
        getsockname(fd, (void *)name, &length);
        listen(fd, 200);
        return fd;
      }

      """

    /// Two threads that talk over connections of loopback, one after another with the same descriptors: each sends
    /// messages of 1 to 1000 bytes, and is answered to each hundredth with 10. It says what went over each.
    private static let talking = """
      #include <netinet/tcp.h>
      #include <pthread.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/socket.h>
      #include <unistd.h>
      static int port, messages;
      static void *client(void *unused) {
        static char bytes[1000];
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
        connect(fd, (void *)&name, sizeof name);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        for (int i = 0; i < messages; i++) {
          if (i % 2) write(fd, bytes, 1 + i % 1000); else send(fd, bytes, 1 + i % 1000, MSG_NOSIGNAL);
          if (i % 100 == 99) for (int left = 10; left > 0;) left -= read(fd, bytes, left);
        }
        close(fd);
        return 0;
      }
      int main(int count, char **words) {
        static char bytes[4096];
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t length = sizeof name;
        int listener = listens(&name);
        port = name.sin_port;
        printf("{\\"turns\\": [");
        for (int turn = 1; turn <= 3; turn++) {
          pthread_t thread;
          messages = 10000 * turn;
          pthread_create(&thread, 0, client, 0);
          int fd = accept(listener, 0, 0);
          long received = 0, receives = 0, replies = 0, sum = 0, at = 0, size;
          while ((size = read(fd, bytes, sizeof bytes)) > 0) {
            received += size, receives++;
            /* As many whole messages as came. */
            for (; at < messages && sum + 1 + at % 1000 <= received; at++) {
              sum += 1 + at % 1000;
              if (at % 100 == 99) replies += write(fd, "0123456789", 10);
            }
          }
          pthread_join(thread, 0);
          close(fd);
          printf("%s{\\"received\\": %ld, \\"receives\\": %ld, \\"replies\\": %ld}", turn > 1 ? ", " : "", received,
                 receives, replies);
        }
        printf("]}\\n");
        return 0;
      }
      """

    @Test(arguments: InProcessConduct.Form.allCases)
    func `each connection has its bytes, and all transfers are counted`(
      form: InProcessConduct.Form
    ) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(
        Self.listens + Self.talking, "talking", form, scratch)
      let (result, report, _) = try InProcessConduct.record([program], form, scratch)
      let truth = try JSON(lastLineOf: result.text)["turns"].items
      try #require(truth.count == 3)
      let network = report["signals"]["network"]
      let connections = network["connections"].items
      let sent = connections.compactMap { $0["bytesSent"].int }.filter { $0 > 0 }
      let received = connections.compactMap { $0["bytesReceived"].int }.filter { $0 > 0 }
      let bytes = truth.flatMap { [$0["received"].int ?? -1, $0["replies"].int ?? -1] }
      // By construction: messages of 1 to 1000, ten times and more, and an answer of 10 to each hundredth.
      #expect(bytes == [1, 2, 3].flatMap { [$0 * 10 * 500_500, $0 * 1000] })
      // Both ends are in this process: what one sends the other receives.
      #expect(sent.sorted() == bytes.sorted(), "\(connections)")
      #expect(received.sorted() == bytes.sorted(), "\(connections)")
      let replies = 600
      #expect(network["sends"].int == 60_000 + replies, "\(network)")
      let receives = truth.reduce(0) { $0 + ($1["receives"].int ?? 0) }
      let least = receives + replies
      // An answer may come in two pieces.
      #expect((least...least + 60).contains(network["receives"].int ?? 0), "\(network)")
    }

    /// More sockets at once than a thread has sums, and then as many others: each sends 40 messages of 10 bytes.
    private static let crowd = """
      #include <stdlib.h>
      #include <sys/socket.h>
      #include <unistd.h>
      enum { pairs = 200 };
      int main(int count, char **words) {
        char bytes[400] = "";
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t length = sizeof name;
        int listener = listens(&name);
        for (int turn = 0; turn < 3; turn++) {
          int ends[pairs][2];
          for (int i = 0; i < pairs; i++) {
            ends[i][0] = socket(AF_INET, SOCK_STREAM, 0);
            connect(ends[i][0], (void *)&name, length);
            ends[i][1] = accept(listener, 0, 0);
          }
          for (int i = 0; i < 40; i++) {
            /* What finds no sum is told singly, for which the recorder needs its time. */
            usleep(5000);
            for (int j = 0; j < pairs; j++) {
              write(ends[j][0], bytes, 10);
              for (int left = 10; left > 0;) left -= read(ends[j][1], bytes, left);
            }
          }
          for (int i = 0; i < pairs; i++) close(ends[i][0]), close(ends[i][1]);
          /* The first turn's are given up by the next: the third's come too soon for that. */
          if (turn == 0) usleep(1200000);
        }
        return 0;
      }
      """

    @Test(arguments: InProcessConduct.Form.allCases)
    func `of more sockets than there are sums each has its bytes too`(
      form: InProcessConduct.Form
    ) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(
        Self.listens + Self.crowd, "crowd", form, scratch)
      let (result, report, _) = try InProcessConduct.record([program], form, scratch)
      try #require(result.status == 0)
      let network = report["signals"]["network"]
      let ends = network["connections"].items
      #expect(ends.count == 1200)
      let moved = ends.map { [$0["bytesSent"].int, $0["bytesReceived"].int] }
      #expect(moved.filter { $0 == [400, 0] }.count == 600, "\(Set(moved))")
      #expect(moved.filter { $0 == [0, 400] }.count == 600, "\(Set(moved))")
      #expect(network["sends"].int == 24_000 && network["receives"].int == 24_000, "\(network)")
    }

    /// What it reads takes a while to copy, and never is waited for: it asks again at once.
    private static let asking = """
      #include <errno.h>
      #include <fcntl.h>
      #include <pthread.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/socket.h>
      #include <netinet/in.h>
      #include <unistd.h>
      enum { size = 1 << 20, times = 400 };
      static int port;
      static void *client(void *unused) {
        char *bytes = calloc(1, size);
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        connect(fd, (void *)&name, sizeof name);
        for (int i = 0; i < times; i++) for (long at = 0; at < size;) at += write(fd, bytes + at, size - at);
        close(fd);
        return 0;
      }
      int main(int count, char **words) {
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        int is_flag = atoi(words[1]), listener = listens(&name);
        port = name.sin_port;
        pthread_t thread;
        pthread_create(&thread, 0, client, 0);
        int fd = accept(listener, 0, 0);
        if (!is_flag) fcntl(fd, F_SETFL, O_NONBLOCK);
        char *bytes = calloc(1, size);
        long received = 0, got;
        while ((got = is_flag ? recv(fd, bytes, size, MSG_DONTWAIT) : read(fd, bytes, size)) != 0) {
          if (got > 0) received += got;
        }
        printf("%ld\\n", received);
        return 0;
      }
      """

    @Test(arguments: InProcessConduct.Form.allCases, [false, true])
    func `what a descriptor does not let wait is no wait`(
      form: InProcessConduct.Form, isFlag: Bool
    ) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(
        Self.listens + Self.asking, "asking", form, scratch)
      let (result, report, _) = try InProcessConduct.record(
        [program, isFlag ? "1" : "0"], form, scratch)
      #expect(result.text == "\(400 << 20)\n")
      let main = report["signals"]["mainThread"]
      // The one wait for the network is that for the connection.
      let network = main["blockings"].items.filter { $0["cause"].string == "network" }
      #expect(network.reduce(0) { $0 + ($1["count"].int ?? 0) } <= 1, "\(network)")
      #expect((main["runningSeconds"].double ?? 0) > 0.02, "\(main)")
    }
  }
}
