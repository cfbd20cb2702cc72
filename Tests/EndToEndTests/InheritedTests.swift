import Foundation
import Testing

extension SideBySide {
  /// Descriptors and folders that programs are given by who starts them.
  @Suite struct Inherited {
    /// Its output is a file. It starts itself so that a child of a moment writes elsewhere by the same number, by one
    /// that it was left, and by a path that begins elsewhere.
    private static let program = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <spawn.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/wait.h>
      #include <unistd.h>
      extern char **environ;
      static char bytes[1000];
      static void puts_out(int file, int count) { if (write(file, bytes, count) != count) exit(1); }
      static int child(void) {
        puts_out(1, 100);
        puts_out(7, 20);
        close(8);
        int file = open("third", O_WRONLY | O_CREAT, 0600);
        puts_out(file, 3);
        return 0;
      }
      int main(int count, char **words) {
        if (strcmp(words[1], "child") == 0) return child();
        // Where it keeps what it works on is closed in the child.
        int kept = open("kept", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (dup3(open("second", O_WRONLY | O_CREAT, 0600), 7, 0) < 0 || dup3(kept, 8, O_CLOEXEC) < 0) return 2;
        puts_out(1, 1000);
        int ends[2];
        if (pipe(ends) != 0) return 2;
        char *own[] = {words[0], "child", 0};
        pid_t pid;
        int isVfork = strcmp(words[1], "vfork") == 0;
        if (isVfork) {
          pid = vfork();
          if (pid == 0) {
            dup2(ends[1], 1);
            if (chdir("below") == 0) execve(words[0], own, environ);
            _exit(9);
          }
        } else {
          posix_spawn_file_actions_t actions;
          posix_spawn_file_actions_init(&actions);
          if (strcmp(words[1], "dup2") == 0) posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
          else posix_spawn_file_actions_addopen(&actions, 1, "first", O_WRONLY | O_CREAT, 0600);
          posix_spawn_file_actions_addchdir_np(&actions, "below");
          if (posix_spawn(&pid, words[0], &actions, 0, own, environ) != 0) return 3;
        }
        int status;
        waitpid(pid, &status, 0);
        puts_out(1, 1000);
        return status == 0 ? 0 : 4;
      }
      """

    @Test(arguments: ["dup2", "open", "vfork"])
    func `a child writes where its own descriptors lead, and by paths from its own folder`(
      how: String
    ) throws {
      let scratch = try Scratch()
      let program = try scratch.program("starts", Self.program)
      try FileManager.default.createDirectory(
        atPath: scratch.file("below"), withIntermediateDirectories: false)
      let run = try Recorded(
        ["sh", "-c", "exec \(program) \(how) > \(scratch.file("out"))"],
        in: ["env", "-C", scratch.path], options: ["--recorder", "process"], scratch: scratch)
      #expect(run.result.status == 0, "\(run.result.errors)")
      let child = run.report["processes"].items.first {
        $0["parentPid"].int == run.report["process"]["pid"].int
      }
      let pid = try #require(child?["pid"].int, "\(run.report["processes"])")
      let own = try Recorded.report(run.trace, options: ["--process", "\(pid)"])
      func written(_ report: JSON) -> [String: Int] {
        var bytes: [String: Int] = [:]
        for file in report["signals"]["disk"]["files"].items where file["bytesWritten"].int ?? 0 > 0
        {
          bytes[file["path"].string ?? "", default: 0] += file["bytesWritten"].int ?? 0
        }
        return bytes
      }
      #expect(written(run.report) == [scratch.file("out"): 2000])
      var expected = [scratch.file("second"): 20, scratch.file("below/third"): 3]
      if how == "open" { expected[scratch.file("first")] = 100 }
      #expect(written(own) == expected, "\(own["signals"]["disk"])")
    }

    /// Connects to a child of its own, and hands the connection to another program, or starts one without it.
    private static let connected = """
      #define _GNU_SOURCE
      #include <netinet/in.h>
      #include <spawn.h>
      #include <string.h>
      #include <sys/socket.h>
      #include <sys/wait.h>
      #include <unistd.h>
      extern char **environ;
      static char bytes[1000];
      static void serve(int listener) {
        int client = accept(listener, 0, 0);
        send(client, bytes, sizeof bytes, 0);
        usleep(200000);
        send(client, bytes, sizeof bytes, MSG_NOSIGNAL);
        _exit(0);
      }
      int main(int count, char **words) {
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t size = sizeof name;
        int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (bind(listener, (void *)&name, size) || listen(listener, 1)) return 2;
        getsockname(listener, (void *)&name, &size);
        if (fork() == 0) serve(listener);
        int isHanded = strcmp(words[1], "exec") == 0;
        int server = socket(AF_INET, SOCK_STREAM | (isHanded ? 0 : SOCK_CLOEXEC), 0);
        if (connect(server, (void *)&name, size)) return 3;
        if (isHanded) {
          dup2(server, 0);
          close(server);
          execl("/bin/cat", "cat", (char *)0);
        }
        recv(server, bytes, sizeof bytes, MSG_WAITALL);
        char *sleeps[] = {"sleep", "0.5", 0};
        pid_t pid;
        posix_spawn(&pid, "/bin/sleep", 0, 0, sleeps, environ);
        usleep(100000);
        close(server);
        waitpid(pid, 0, 0);
        return 0;
      }
      """

    @Test(arguments: ["exec", "spawn"])
    func `a connection is open as long as a program has it`(how: String) throws {
      let scratch = try Scratch()
      let program = try scratch.program("connects", Self.connected)
      let run = try Recorded(
        [program, how], options: ["--recorder", "process", "--radio-loopback"],
        reportOptions: ["--radio-loopback"], scratch: scratch)
      #expect(run.result.status == 0, "\(run.result.errors)")
      let connections = run.signals["network"]["connections"].items
      try #require(connections.count == 1, "\(connections)")
      let opened = try #require(connections[0]["opened"].double)
      let closed = try #require(connections[0]["closed"].double, "\(connections)")
      // What it is handed it reads to the end; what it closes is not kept open by a child that sleeps.
      #expect(connections[0]["bytesReceived"].int == (how == "exec" ? 2000 : 1000))
      #expect(how == "exec" ? closed - opened >= 0.19 : closed - opened < 0.4, "\(connections)")
    }
  }
}
