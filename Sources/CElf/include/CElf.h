#ifndef LULL_CELF_H
#define LULL_CELF_H

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>

/* What is used of libelf and libdw. */
#define LULL_ELF_FUNCTIONS(FUNCTION)                                                              \
  FUNCTION(elf_begin)                                                                             \
  FUNCTION(elf_end)                                                                               \
  FUNCTION(elf_getdata)                                                                           \
  FUNCTION(elf_getdata_rawchunk)                                                                  \
  FUNCTION(elf_getident)                                                                          \
  FUNCTION(elf_getphdrnum)                                                                        \
  FUNCTION(elf_getscn)                                                                            \
  FUNCTION(elf_getshdrstrndx)                                                                     \
  FUNCTION(elf_kind)                                                                              \
  FUNCTION(elf_memory)                                                                            \
  FUNCTION(elf_nextscn)                                                                           \
  FUNCTION(elf_rawdata)                                                                           \
  FUNCTION(elf_strptr)                                                                            \
  FUNCTION(elf_version)                                                                           \
  FUNCTION(gelf_getchdr)                                                                          \
  FUNCTION(gelf_getclass)                                                                         \
  FUNCTION(gelf_getdyn)                                                                           \
  FUNCTION(gelf_getehdr)                                                                          \
  FUNCTION(gelf_getnote)                                                                          \
  FUNCTION(gelf_getphdr)                                                                          \
  FUNCTION(gelf_getshdr)                                                                          \
  FUNCTION(gelf_getsym)                                                                           \
  FUNCTION(dwarf_attr)                                                                            \
  FUNCTION(dwarf_attr_integrate)                                                                  \
  FUNCTION(dwarf_begin_elf)                                                                       \
  FUNCTION(dwarf_cfi_addrframe)                                                                   \
  FUNCTION(dwarf_cfi_end)                                                                         \
  FUNCTION(dwarf_child)                                                                           \
  FUNCTION(dwarf_diename)                                                                         \
  FUNCTION(dwarf_dieoffset)                                                                       \
  FUNCTION(dwarf_end)                                                                             \
  FUNCTION(dwarf_filesrc)                                                                         \
  FUNCTION(dwarf_formstring)                                                                      \
  FUNCTION(dwarf_formudata)                                                                       \
  FUNCTION(dwarf_frame_cfa)                                                                       \
  FUNCTION(dwarf_frame_info)                                                                      \
  FUNCTION(dwarf_frame_register)                                                                  \
  FUNCTION(dwarf_get_units)                                                                       \
  FUNCTION(dwarf_getcfi_elf)                                                                      \
  FUNCTION(dwarf_getsrcfiles)                                                                     \
  FUNCTION(dwarf_getsrclines)                                                                     \
  FUNCTION(dwarf_lineaddr)                                                                        \
  FUNCTION(dwarf_lineendsequence)                                                                 \
  FUNCTION(dwarf_lineno)                                                                          \
  FUNCTION(dwarf_linesrc)                                                                         \
  FUNCTION(dwarf_next_cfi)                                                                        \
  FUNCTION(dwarf_offdie)                                                                          \
  FUNCTION(dwarf_onesrcline)                                                                      \
  FUNCTION(dwarf_ranges)                                                                          \
  FUNCTION(dwarf_siblingof)                                                                       \
  FUNCTION(dwarf_srclang)                                                                         \
  FUNCTION(dwarf_tag)

/* The libraries' functions by their names. */
typedef struct {
#define LULL_ELF_MEMBER(name) __typeof__(name) *_Nonnull name;
  LULL_ELF_FUNCTIONS(LULL_ELF_MEMBER)
#undef LULL_ELF_MEMBER
} lull_elf_functions;

/* Loads the libraries, once; false where they are not installed. */
bool lull_elf_load(void);

/* What was loaded; not to be called before. */
const lull_elf_functions *_Nonnull lull_elf(void);

#endif
