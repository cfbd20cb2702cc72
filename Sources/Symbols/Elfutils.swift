import CElf

/// The functions of libelf and libdw that are used, once `lull_elf_load` has found them: a `ModuleReader` is made only
/// then.
var libdw: lull_elf_functions {
  @inline(__always) get { lull_elf().pointee }
}
