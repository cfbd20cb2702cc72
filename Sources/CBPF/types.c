#include "library.h"
#include "CBPF.h"

#include <string.h>

/* Where a variable of each CPU lies in their section. */
static bool place_of(const struct btf *types, const char *name, int64_t *place) {
  int section = lull_libbpf.btf__find_by_name_kind(types, ".data..percpu", BTF_KIND_DATASEC);
  if (section < 0) return false;
  const struct btf_type *variables = lull_libbpf.btf__type_by_id(types, (uint32_t)section);
  const struct btf_var_secinfo *variable = btf_var_secinfos(variables);
  for (int index = 0; index < btf_vlen(variables); index++, variable++) {
    const struct btf_type *type = lull_libbpf.btf__type_by_id(types, variable->type);
    const char *found = type ? lull_libbpf.btf__name_by_offset(types, type->name_off) : NULL;
    if (!found || strcmp(found, name)) continue;
    *place = variable->offset;
    return true;
  }
  return false;
}

/* Where a structure has a member, in bits; those of structures without a name are its own. */
static bool member_of(const struct btf *types, int structure, const char *name, int64_t *place) {
  const struct btf_type *type = structure < 0 ? NULL : lull_libbpf.btf__type_by_id(types, (uint32_t)structure);
  if (!type || !btf_is_composite(type)) return false;
  const struct btf_member *member = btf_members(type);
  for (int index = 0; index < btf_vlen(type); index++, member++) {
    const char *found = lull_libbpf.btf__name_by_offset(types, member->name_off);
    int64_t within = 0;
    if (!found || (*found ? strcmp(found, name) : !member_of(types, (int)member->type, name, &within))) continue;
    *place = btf_member_bit_offset(type, (uint32_t)index) + within;
    return true;
  }
  return false;
}

bool lull_bpf_interrupt_count(int64_t *distance) {
  if (!lull_bpf_library()) return false;
  struct btf *types = lull_libbpf.btf__load_vmlinux_btf();
  if (!types) return false;
  int64_t queue = 0, count = 0, within = 0;
  bool is_known = place_of(types, "runqueues", &queue);
  /* From Linux 6.2 to 6.14 it is one of the variables that are used together. */
  if (is_known && !place_of(types, "__preempt_count", &count)) {
    int hot = lull_libbpf.btf__find_by_name_kind(types, "pcpu_hot", BTF_KIND_STRUCT);
    is_known = place_of(types, "pcpu_hot", &count) && member_of(types, hot, "preempt_count", &within);
  }
  lull_libbpf.btf__free(types);
  *distance = count + within / 8 - queue;
  return is_known;
}
