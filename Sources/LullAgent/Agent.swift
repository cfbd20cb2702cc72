import CLullAgent

/// Whether `lull record --pid` can record this program from within.
///
/// To link with this module is all it takes. It is false where no file for recorders can be made (in `/dev/shm`,
/// `$XDG_RUNTIME_DIR` or `/tmp`), where the program runs with other rights than its user's, with another C library than
/// glibc, under a sanitizer, with the package's trait `EmptyAgent`, and while it is recorded by the library that
/// `lull record --` preloads: it is recorded otherwise then.
public var isReady: Bool { lull_agent_is_ready() }

/// Whether it is being recorded from within.
public var isRecording: Bool { lull_agent_is_recording() }
