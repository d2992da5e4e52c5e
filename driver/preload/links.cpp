// cuLink: PTX that is linked with other things. The linked code is known again when it is loaded. Where linking with our
// texts does not work out, it is done once more with the originals.
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "driver/preload/client.h"
#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"
#include "driver/preload/known_code.h"
#include "driver/preload/modules.h"

namespace ptxscope::preload {

namespace {

struct Options {
  std::vector<int> names;
  std::vector<void*> values;
  Options(unsigned count, const int* options, void* const* given) {
    for (unsigned i = 0; options != nullptr && given != nullptr && i < count; ++i) {
      names.push_back(options[i]);
      values.push_back(given[i]);
    }
  }
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(names.size()); }
};

struct Input {
  int type = 0;
  bool is_file = false;
  std::string bytes;  // or the path
  std::string name;
  Options options;
};

struct Link {
  Options options;
  std::vector<Input> inputs;
  std::vector<std::shared_ptr<const Part>> parts;
  Handle again = nullptr;  // with the originals
  bool has_all = true;     // `inputs` has
};

struct Links {
  std::unordered_map<Handle, std::shared_ptr<Link>> open;
};
// Never destroyed. Under tables_mutex().
Links* current_links = nullptr;
Links& links() {
  if (current_links == nullptr) current_links = new Links;
  return *current_links;
}

std::shared_ptr<Link> find_link(Handle handle) {
  std::shared_ptr<Link> link;
  aside([&] {
    const std::lock_guard lock(tables_mutex());
    const auto found = links().open.find(handle);
    if (found != links().open.end()) link = found->second;
  });
  return link;
}

void forget_link(Handle handle) {
  const std::lock_guard lock(tables_mutex());
  links().open.erase(handle);
}

// For a second go with the originals. Without memory for that the link is let alone from here on: what is added later is
// passed on as it is, and a failure is the program's to see.
bool keep_input(Link& link, Handle handle, int type, bool is_file, std::string_view bytes, const char* name,
                unsigned count, int* options, void** values) {
  bool is_kept = false;
  aside([&] {
    link.inputs.push_back(
        {type, is_file, std::string(bytes), name == nullptr ? "" : name, Options(count, options, values)});
    is_kept = true;
  });
  link.has_all &= is_kept;
  if (!is_kept && link.parts.empty()) forget_link(handle);
  return is_kept;
}

void note_linked(const std::shared_ptr<Link>& link, const void* cubin) {
  const ImageView view = look_at_image(cubin);
  if (view.form != run::ImageForm::elf || view.bytes == 0) return;
  keep_code({std::string(static_cast<const char*>(cubin), view.bytes), link->parts, {}});
}

int link_again(Link& link, void** cubin, std::size_t* bytes) {
  const Driver& table = driver();
  if (table.link_create == nullptr || table.link_add_data == nullptr || table.link_add_file == nullptr ||
      table.link_complete == nullptr)
    return not_found;
  int status =
      table.link_create(link.options.count(), link.options.names.data(), link.options.values.data(), &link.again);
  if (status != success) link.again = nullptr;
  for (Input& input : link.inputs) {
    if (status != success) return status;
    Options& options = input.options;
    status = input.is_file ? table.link_add_file(link.again, input.type, input.bytes.c_str(), options.count(),
                                                 options.names.data(), options.values.data())
                           : table.link_add_data(link.again, input.type, input.bytes.data(), input.bytes.size(),
                                                 input.name.c_str(), options.count(), options.names.data(),
                                                 options.values.data());
  }
  return status != success ? status : table.link_complete(link.again, cubin, bytes);
}

}  // namespace

std::string link_parts(const std::vector<std::shared_ptr<const Part>>& parts) {
  const Driver& table = driver();
  std::string code;
  Handle link = nullptr;
  if (table.link_create == nullptr || table.link_add_data == nullptr || table.link_complete == nullptr ||
      table.link_destroy == nullptr || table.link_create(0, nullptr, nullptr, &link) != success)
    return code;
  int status = success;
  for (const auto& part : parts)
    if (status == success)
      status = table.link_add_data(link, jit_input_ptx, const_cast<char*>(part->text.c_str()), part->text.size() + 1,
                                   "object", 0, nullptr, nullptr);
  void* cubin = nullptr;
  std::size_t bytes = 0;
  if (status == success && table.link_complete(link, &cubin, &bytes) == success && cubin != nullptr)
    code.assign(static_cast<const char*>(cubin), bytes);
  table.link_destroy(link);
  return code;
}

void forget_links() { current_links = nullptr; }

namespace hooks {

int link_create(int (*real)(unsigned, int*, void**, Handle*), unsigned count, int* options, void** values,
                Handle* link) {
  const int status = real(count, options, values, link);
  if (status != success || link == nullptr) return status;
  aside([&] {
    auto made = std::make_shared<Link>(Link{Options(count, options, values), {}, {}});
    const std::lock_guard lock(tables_mutex());
    links().open[*link] = std::move(made);
  });
  return status;
}

int link_add_data(int (*real)(Handle, int, void*, std::size_t, const char*, unsigned, int*, void**), Handle link,
                  int type, void* data, std::size_t bytes, const char* name, unsigned count, int* options,
                  void** values) {
  const auto known = find_link(link);
  if (known == nullptr || data == nullptr || bytes == 0 || bytes > run::max_image)
    return real(link, type, data, bytes, name, count, options, values);
  if (!keep_input(*known, link, type, false, {static_cast<const char*>(data), bytes}, name, count, options, values) ||
      type != jit_input_ptx)
    return real(link, type, data, bytes, name, count, options, values);
  const ImageView view{run::ImageForm::text, data, strnlen(static_cast<const char*>(data), bytes), {}};
  const Prepared prepared = prepare("cuLinkAddData", name == nullptr ? "" : name, view);
  const Inside inside;
  if (prepared.is_replaced()) {
    const auto& part = prepared.parts.front();
    auto* text = const_cast<char*>(part->text.c_str());
    const int status = real(link, type, text, part->text.size() + 1, name, count, options, values);
    if (status == success) {
      aside([&] { known->parts.push_back(part); });
      prepared.row->loaded = run::Loaded::ours;
      return status;
    }
    prepared.row->our_error = status;
  }
  const int status = real(link, type, data, bytes, name, count, options, values);
  if (prepared.row != nullptr) {
    prepared.row->error = status;
    prepared.row->loaded = status != success        ? run::Loaded::refused
                           : prepared.is_replaced() ? run::Loaded::fell_back
                                                    : run::Loaded::original;
  }
  return status;
}

int link_add_file(int (*real)(Handle, int, const char*, unsigned, int*, void**), Handle link, int type,
                  const char* path, unsigned count, int* options, void** values) {
  const auto known = find_link(link);
  if (known == nullptr || path == nullptr) return real(link, type, path, count, options, values);
  if (!keep_input(*known, link, type, true, path, path, count, options, values))
    return real(link, type, path, count, options, values);
  const std::string bytes = type == jit_input_ptx ? read_image_file(path) : std::string();
  const auto add_data = driver().link_add_data;
  if (!bytes.empty() && add_data != nullptr) {
    const Prepared prepared = prepare("cuLinkAddFile", path, look_at_bytes(bytes));
    if (prepared.is_replaced()) {
      const Inside inside;
      const auto& part = prepared.parts.front();
      auto* text = const_cast<char*>(part->text.c_str());
      if (add_data(link, type, text, part->text.size() + 1, path, count, options, values) == success) {
        aside([&] { known->parts.push_back(part); });
        prepared.row->loaded = run::Loaded::ours;
        return success;
      }
    }
    if (prepared.row != nullptr) prepared.row->loaded = run::Loaded::original;
  }
  return real(link, type, path, count, options, values);
}

int link_complete(int (*real)(Handle, void**, std::size_t*), Handle link, void** cubin, std::size_t* bytes) {
  const auto known = find_link(link);
  int status = success;
  {
    const Inside inside;
    status = real(link, cubin, bytes);
    if (known == nullptr || known->parts.empty()) return status;
    if (status != success && !is_sticky(status) && known->has_all) {
      const int again = link_again(*known, cubin, bytes);
      for (const auto& part : known->parts) {
        part->row->our_error = status;
        part->row->loaded = again == success ? run::Loaded::fell_back : run::Loaded::refused;
        part->row->error = again;
      }
      return again;
    }
  }
  if (status == success && cubin != nullptr && *cubin != nullptr) aside([&] { note_linked(known, *cubin); });
  return status;
}

int link_destroy(int (*real)(Handle), Handle link) {
  const auto known = find_link(link);
  if (known != nullptr) {
    if (known->again != nullptr && driver().link_destroy != nullptr) {
      const Inside inside;
      driver().link_destroy(known->again);
    }
    forget_link(link);
  }
  return real(link);
}

}  // namespace hooks

}  // namespace ptxscope::preload
