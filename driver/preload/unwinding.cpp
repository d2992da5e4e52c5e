// What exceptions need of the loader. libgcc, which is linked in, asks for it by a function that came with glibc 2.35, and
// the program's may be older. Our exceptions go from our own code to our own code, a few in the life of a process.
#include <dlfcn.h>
#include <link.h>

#include <cstdint>

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // else this libgcc does not ask for it

namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* result;
};

int look_in_object(dl_phdr_info* info, std::size_t, void* data) {
  const auto& search = *static_cast<const Search*>(data);
  const ElfW(Phdr)* tables = nullptr;
  const ElfW(Phdr)* segment = nullptr;
  for (ElfW(Half) i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& one = info->dlpi_phdr[i];
    if (one.p_type == PT_GNU_EH_FRAME) tables = &one;
    if (one.p_type == PT_LOAD && search.address - info->dlpi_addr - one.p_vaddr < one.p_memsz) segment = &one;
  }
  if (segment == nullptr) return 0;
  if (tables == nullptr) return -1;
  const auto at = [&](ElfW(Addr) offset) { return reinterpret_cast<void*>(info->dlpi_addr + offset); };
  *search.result = {};
  search.result->dlfo_map_start = at(segment->p_vaddr);
  search.result->dlfo_map_end = at(segment->p_vaddr + segment->p_memsz);
  search.result->dlfo_eh_frame = at(tables->p_vaddr);
  return 1;
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return dl_iterate_phdr(look_in_object, &search) == 1 ? 0 : -1;
}

#endif
