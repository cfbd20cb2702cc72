import Foundation
import Testing

extension EndToEnd {
  /// Accessories, which a machine for tests has none of: devices that are called so, in a mount namespace. What goes
  /// through Bluetooth sockets takes a kernel that has them.
  @Suite struct Accessories {
    /// Words that run a command where a device of this name opens without hardware.
    private static func place(having device: String) -> [String] {
      [
        "unshare", "--mount", "sh", "-c",
        """
        set -e
        device=$1
        shift
        mount -t tmpfs none /mnt
        cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /mnt
        mkdir -p /mnt/shm "$(dirname "/mnt$device")"
        cp -a /dev/null "/mnt$device"
        mount --bind /dev/shm /mnt/shm
        mount --move /mnt /dev
        exec "$@"
        """, "sh", device,
      ]
    }

    /// Writes sixteen times, a tenth of a second apart, to what it opens first and closes last.
    private static func holder(_ device: String) -> [String] {
      [Machine.workload, "appender", "writes=16", "bytes=40", "gap=100", "path=/dev\(device)"]
    }

    private static let places = ["/snd/pcmC0D0p", "/dsp", "/rfcomm0"]

    @Test(arguments: places, ["perf", "process"])
    func `an accessory's device is told for as long as it is held`(
      device: String, recorder: String
    ) throws {
      let run = try Recorded(
        Self.holder(device), in: Self.place(having: device), options: ["--recorder", recorder])
      try #require(run.result.status == 0, "\(run.result.errors)")
      try expectHeld("/dev\(device)", for: 1.5, run.report)
    }

    @Test func `a device that was open before the recording is held from its beginning on`() throws
    {
      let (device, scratch) = (Self.places[0], try Scratch())
      let script = """
        trace=$1 lull=$2; shift 2
        "$@" > /dev/null & target=$!
        sleep 0.5
        "$lull" record -q --pid $target -o "$trace"
        """
      let trace = scratch.file("t")
      let result = try Command.run(
        Self.place(having: device) + ["sh", "-c", script, "attach", trace, Machine.lull]
          + Self.holder(device))
      try #require(result.status == 0, "\(result.errors)")
      let report = try Recorded.report(trace)
      // What the recorder takes to begin is not in it.
      let seconds = try #require(report["trace"]["durationSeconds"].double)
      try expectHeld("/dev\(device)", for: seconds, report)
    }

    @Test func `what is no accessory is not told as one`() throws {
      let run = try Recorded(Self.holder("/null"))
      let audit = run.audit("accessory-sightings")
      #expect(audit["status"].string == "notApplicable" && audit["value"].double == nil, "\(audit)")
    }

    private func expectHeld(_ path: String, for seconds: Double, _ report: JSON) throws {
      let audit = report["audits"].items.first { $0["id"].string == "accessory-sightings" }
      let held = try #require(audit?["evidence"][0], "\(report["audits"])")
      #expect(held["path"].string == path, "\(held)")
      #expect(isNear(held["value"].double, seconds, slack: 0.12), "\(held) of \(seconds)")
    }
  }
}
