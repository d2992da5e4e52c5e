// Asked for by name, the loader would find ours. So the tables of the C library (before glibc 2.34: of libdl) are looked
// through, by the loader's list of what is loaded.
#include "driver/preload/c_library.h"

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace ptxscope::preload {

namespace {

// Not by the C library's functions, which others may stand before.
bool is_same(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b)
    if (*a == '\0') return true;
  return false;
}

bool starts_with(const char* text, const char* start) {
  for (; *start != '\0'; ++text, ++start)
    if (*text != *start) return false;
  return true;
}

const char* file_name(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path)
    if (*path == '/') name = path + 1;
  return name;
}

struct SymbolTable {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t *hash = nullptr, *gnu_hash = nullptr;

  [[nodiscard]] bool is(std::uint32_t index, const char* name) const {
    const ElfW(Sym)& symbol = symbols[index];
    return symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
           is_same(names + symbol.st_name, name);
  }
  [[nodiscard]] const ElfW(Sym) * find(const char* name) const {
    if (gnu_hash != nullptr) return find_by_gnu_hash(name);
    // The number of chains is that of symbols (System V ABI, "Hash Table").
    for (std::uint32_t i = 1; hash != nullptr && i < hash[1]; ++i)
      if (is(i, name)) return symbols + i;
    return nullptr;
  }
  // Buckets, first symbol that is in it, words of the filter, its shift; the filter, the buckets, a hash for each symbol,
  // whose lowest bit says that it is the last one of its bucket.
  [[nodiscard]] const ElfW(Sym) * find_by_gnu_hash(const char* name) const {
    std::uint32_t wanted = 5381;
    for (const char* c = name; *c != '\0'; ++c) wanted = wanted * 33 + static_cast<unsigned char>(*c);
    const std::uint32_t* buckets = gnu_hash + 4 + std::size_t{gnu_hash[2]} * sizeof(ElfW(Addr)) / 4;
    const std::uint32_t* hashes = buckets + gnu_hash[0];
    std::uint32_t index = gnu_hash[0] == 0 ? 0 : buckets[wanted % gnu_hash[0]];
    if (index < gnu_hash[1]) return nullptr;
    for (;; ++index) {
      const std::uint32_t there = hashes[index - gnu_hash[1]];
      if ((there | 1U) == (wanted | 1U) && is(index, name)) return symbols + index;
      if ((there & 1U) != 0) return nullptr;
    }
  }
};

SymbolTable table_of(const link_map& library) {
  SymbolTable table;
  for (const ElfW(Dyn)* entry = library.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    // The loader has put addresses in the place of offsets.
    if (entry->d_tag == DT_SYMTAB) table.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) table.names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_HASH) table.hash = reinterpret_cast<const std::uint32_t*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_GNU_HASH) table.gnu_hash = reinterpret_cast<const std::uint32_t*>(entry->d_un.d_ptr);
  }
  return table;
}

}  // namespace

void* c_library_function(const char* name) {
  for (const link_map* library = _r_debug.r_map; library != nullptr; library = library->l_next) {
    const char* file = file_name(library->l_name == nullptr ? "" : library->l_name);
    if (!starts_with(file, "libc.so") && !starts_with(file, "libdl.so")) continue;
    const SymbolTable table = table_of(*library);
    if (table.symbols == nullptr || table.names == nullptr) continue;
    if (const ElfW(Sym)* found = table.find(name)) return reinterpret_cast<void*>(library->l_addr + found->st_value);
  }
  return nullptr;
}

}  // namespace ptxscope::preload
