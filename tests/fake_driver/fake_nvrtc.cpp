// A libnvrtc.so that compiles nothing: the source is PTX already, and the machine code made of it is an ELF header with that
// text behind it, which the driver beside it takes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#define API extern "C" __attribute__((visibility("default")))

namespace {

struct Program {
  std::string ptx, code;
};
constexpr int invalid_input = 3;

}  // namespace

API int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*,
                           const char* const*) {
  if (program == nullptr || source == nullptr) return invalid_input;
  *program = new Program{source, {}};
  return 0;
}
API int nvrtcCompileProgram(void* program, int, const char* const*) {
  auto& one = *static_cast<Program*>(program);
  one.code.assign(
      "\x7f"
      "ELF\2\1\1",
      7);
  one.code.resize(64);
  const std::uint64_t end = 64 + one.ptx.size();
  std::memcpy(one.code.data() + 0x28, &end, sizeof end);
  one.code += one.ptx;
  return 0;
}
API int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}
API int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->code.size();
  return 0;
}
API int nvrtcGetCUBIN(void* program, char* code) {
  const std::string& all = static_cast<Program*>(program)->code;
  std::memcpy(code, all.data(), all.size());
  return 0;
}
API int nvrtcGetPTXSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->ptx.size() + 1;
  return 0;
}
API int nvrtcGetPTX(void* program, char* ptx) {
  const std::string& all = static_cast<Program*>(program)->ptx;
  std::memcpy(ptx, all.c_str(), all.size() + 1);
  return 0;
}
