import Foundation
import Testing

extension EndToEnd {
  /// A program whose handler of a signal makes a call in the midst of its wait for events, as many wake their loop.
  @Suite struct SignalHandlers {
    private static let program = """
      #include <signal.h>
      #include <sys/epoll.h>
      #include <sys/time.h>
      #include <unistd.h>
      static int line[2], told;
      static void tick(int number) { if (write(line[1], "q", 1) == 1) told++; }
      int main(void) {
        struct epoll_event event = {.events = EPOLLIN};
        struct itimerval half = {{0, 700000}, {0, 700000}};
        char byte;
        if (pipe(line)) return 1;
        int queue = epoll_create1(0);
        epoll_ctl(queue, EPOLL_CTL_ADD, line[0], &event);
        signal(SIGALRM, tick);
        setitimer(ITIMER_REAL, &half, 0);
        while (told < 4) if (epoll_wait(queue, &event, 1, -1) == 1) read(line[0], &byte, 1);
        return 0;
      }
      """

    @Test(arguments: ["perf", "process"])
    func `what a wait was for is known though a signal's handler interrupted it`(recorder: String)
      throws
    {
      let scratch = try Scratch()
      let program = try scratch.program("p", Self.program)
      let run = try Recorded([program], options: ["--recorder", recorder], scratch: scratch)
      #expect(run.mainThread["hasEventLoop"].bool == true)
      // Four times 0.7 s.
      #expect(isNear(run.mainThread["idleSeconds"].double, 2.8, slack: 0.05), "\(run.mainThread)")
      #expect((run.mainThread["launchSeconds"].double ?? 9) < 0.3, "\(run.mainThread)")
      #expect((run.mainThread["blockedSeconds"].double ?? 9) < 0.05, "\(run.mainThread)")
    }
  }
}
