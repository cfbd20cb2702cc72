import Quantities
import Testing

@Test func `what is beyond all that fits is the nearest that does`() {
  #expect(UInt64(saturating: 1e300) == .max && UInt64(saturating: -3.5) == 0)
  #expect(Int(saturating: .infinity) == .max && Int(saturating: -1e300) == .min)
  #expect(Int(saturating: .nan) == 0 && Int(saturating: -2.9) == -2)
  #expect(UInt64(saturating: 18_446_744_073_709_551_616) == .max && UInt64(saturating: 7.9) == 7)
}
