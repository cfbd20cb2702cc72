import Foundation
import Testing

extension EndToEnd {
  /// Sound devices, which a machine for tests has none of: a file that is called so, in a mount namespace.
  @Suite struct Accessories {
    /// Words that run a command where `/dev/snd/pcmC0D0p` is, a device that opens without hardware.
    private static let place = [
      "unshare", "--mount", "sh", "-c",
      """
      set -e
      mount -t tmpfs none /mnt
      cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /mnt
      mkdir /mnt/shm /mnt/snd
      cp -a /dev/full /mnt/snd/pcmC0D0p
      mount --bind /dev/shm /mnt/shm
      mount --move /mnt /dev
      exec "$@"
      """, "sh",
    ]

    @Test func `a sound device is told for as long as it is held`() throws {
      let scratch = try Scratch()
      try #require(try Command.run(Self.place + ["test", "-c", "/dev/snd/pcmC0D0p"]).status == 0)
      let script = "sleep 0.3; exec 3>/dev/snd/pcmC0D0p; sleep 1.5; exec 3>&-; sleep 0.5"
      let trace = scratch.file("t")
      let recorded = try Command.run(
        Self.place + [Machine.lull, "record", "-q", "-o", trace, "--", "sh", "-c", script])
      try #require(recorded.status == 0, "\(recorded.errors)")
      let report = try Recorded.report(trace)
      let audit = report["audits"].items.first { $0["id"].string == "accessory-sightings" }
      let held = try #require(audit?["evidence"][0], "\(report["audits"])")
      #expect(held["path"].string == "/dev/snd/pcmC0D0p", "\(held)")
      #expect(isNear(held["value"].double, 1.5, slack: 0.1), "\(held)")
    }
  }
}
