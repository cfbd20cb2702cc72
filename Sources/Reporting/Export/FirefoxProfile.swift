/// The Firefox Profiler's processed profile format, version 44, as far as Lull fills it.
///
/// https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.js
struct FirefoxProfile: Encodable {
  struct Category: Encodable {
    var name: String
    var color: String
    var subcategories = ["Other"]
  }

  struct MarkerField: Encodable {
    var key: String
    var label: String
    var format: String
  }

  struct MarkerSchema: Encodable {
    var name: String
    var display = ["marker-chart", "marker-table", "timeline-overview"]
    var data: [MarkerField]
  }

  struct Meta: Encodable {
    var interval: Double
    var startTime: Double
    var processType = 0
    var product: String
    var stackwalk = 1
    var version = 24
    var preprocessedProfileVersion = 44
    var symbolicated = true
    var debug = false
    var categories: [Category]
    var markerSchema: [MarkerSchema]
  }

  struct Samples: Encodable {
    var stack: [Int?] = []
    var time: [Double] = []
    var weight: [Double] = []
    var weightType = "tracing-ms"
    var length = 0
  }

  struct MarkerData: Encodable {
    var type: String
    var detail: String
  }

  struct Markers: Encodable {
    var name: [Int] = []
    var startTime: [Double] = []
    var endTime: [Double?] = []
    /// 1 is an interval.
    var phase: [Int] = []
    var category: [Int] = []
    var data: [MarkerData] = []
    var length = 0
  }

  struct Stacks: Encodable {
    var frame: [Int] = []
    var prefix: [Int?] = []
    var category: [Int] = []
    var subcategory: [Int] = []
    var length = 0
  }

  struct Frames: Encodable {
    var address: [Int] = []
    var inlineDepth: [Int] = []
    var category: [Int?] = []
    var subcategory: [Int?] = []
    var `func`: [Int] = []
    var nativeSymbol: [Int?] = []
    var innerWindowID: [Int?] = []
    var implementation: [Int?] = []
    var line: [Int?] = []
    var column: [Int?] = []
    var length = 0
  }

  struct Functions: Encodable {
    var name: [Int] = []
    var isJS: [Bool] = []
    var relevantForJS: [Bool] = []
    var resource: [Int] = []
    var fileName: [Int?] = []
    var lineNumber: [Int?] = []
    var columnNumber: [Int?] = []
    var length = 0
  }

  struct Resources: Encodable {
    var lib: [Int?] = []
    var name: [Int] = []
    var host: [Int?] = []
    /// 1 is a library.
    var type: [Int] = []
    var length = 0
  }

  struct NativeSymbols: Encodable {
    var libIndex: [Int] = []
    var address: [Int] = []
    var name: [Int] = []
    var functionSize: [Int?] = []
    var length = 0
  }

  struct Thread: Encodable {
    var processType = "default"
    var processStartupTime = 0.0
    var processShutdownTime: Double?
    var registerTime: Double
    var unregisterTime: Double?
    var pausedRanges: [Int] = []
    var name: String
    var isMainThread: Bool
    var processName: String
    var pid: String
    var tid: Int
    var samples = Samples()
    var markers = Markers()
    var stackTable = Stacks()
    var frameTable = Frames()
    var funcTable = Functions()
    var resourceTable = Resources()
    var nativeSymbols = NativeSymbols()
    var stringArray: [String] = []
  }

  struct CounterSamples: Encodable {
    var time: [Double] = []
    /// Changes, not values.
    var count: [Double] = []
    var length = 0
  }

  struct CounterGroup: Encodable {
    var id = 0
    var samples: CounterSamples
  }

  struct Counter: Encodable {
    var name: String
    var category: String
    var description: String
    var pid: String
    var mainThreadIndex = 0
    var sampleGroups: [CounterGroup]
  }

  var meta: Meta
  var libs: [String] = []
  var threads: [Thread]
  var counters: [Counter]
}
