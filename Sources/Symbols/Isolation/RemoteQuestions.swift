/// What another process is asked about one module, as far as it was not answered before.
final class RemoteQuestions {
  /// What was kept of earlier answers, and where new ones are kept; nil where nothing is.
  let kept: KeptModule?
  private let process: ReaderProcess
  private let path: String
  private let expectedBuildID: [UInt8]?
  private let header: ModuleHeader
  private var handle: ReaderProcess.Handle?
  private var hasFailed = false

  init(
    process: ReaderProcess, path: String, expectedBuildID: [UInt8]?, header: ModuleHeader,
    kept: KeptModule?, handle: ReaderProcess.Handle?
  ) {
    self.process = process
    self.path = path
    self.expectedBuildID = expectedBuildID
    self.header = header
    self.kept = kept
    self.handle = handle
  }

  /// An answer to one question, which is kept with the others.
  func answer<Answer>(
    _ request: ReaderRequest, _ nothing: Answer, parameters: (inout WireWriter) -> Void,
    read: (inout WireReader) throws(WireError) -> Answer
  ) -> Answer {
    var writer = WireWriter()
    writer.put(request.rawValue)
    parameters(&writer)
    if let sent = kept?.answer(to: writer.bytes) {
      var reader = WireReader(sent)
      if let answer = try? read(&reader) { return answer }
    }
    var found: Answer?
    let sent = ask(
      request, parameters: parameters,
      read: { reader throws(WireError) in found = .some(try read(&reader)) })
    guard let sent, let found else { return nothing }
    kept?.keep(answer: sent, to: writer.bytes)
    return found
  }

  /// What the process sends, once it could be read; nil where it could not.
  @discardableResult
  func ask(
    _ request: ReaderRequest, parameters: (inout WireWriter) -> Void = { _ in },
    read: (inout WireReader) throws(WireError) -> Void
  ) -> [UInt8]? {
    guard !hasFailed, let handle = reopened() else { return nil }
    var writer = WireWriter()
    writer.put(request.rawValue)
    writer.put(handle.number)
    parameters(&writer)
    guard let reply = process.exchange(writer.bytes, path: path) else {
      hasFailed = true
      return nil
    }
    var reader = WireReader(reply)
    do throws(WireError) { try read(&reader) } catch {
      hasFailed = true
      process.distrust(path: path)
      return nil
    }
    return reply
  }

  /// The module's number in the present child: another file may have been the end of the one that knew it.
  private func reopened() -> ReaderProcess.Handle? {
    if let handle, process.isCurrent(handle) { return handle }
    var found: ReaderProcess.Handle?
    var reason = "another file took its place while it was read"
    do throws(ModuleReaderError) {
      found = try process.handle(path: path, expectedBuildID: expectedBuildID)
    } catch {
      reason = error.reason ?? reason
    }
    guard let again = found, again.header == header else {
      hasFailed = true
      process.noteFailure(reason, path: path)
      return nil
    }
    handle = again
    return again
  }
}
