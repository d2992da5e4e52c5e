
#include "isa/releases.h"
#include "isa/devices.h"
#include "tests/catch.h"

namespace isa = ptxscope::isa;
using isa::CudaVersion;
using isa::DriverSupport;

namespace {

isa::Version version(const char* text) { return *isa::parse_version(text); }
isa::DriverVersion driver(const char* text) { return *isa::parse_driver_version(text); }
DriverSupport support(const char* text) { return isa::support_of(driver(text)); }

}  // namespace

TEST_CASE("Releases stand in order, and every PTX ISA version has its first toolkit") {
  const auto all = isa::releases();
  for (std::size_t i = 1; i < all.size(); ++i) {
    CHECK(all[i - 1].ptx <= all[i].ptx);
    if (all[i].cuda != CudaVersion{} && all[i - 1].cuda != CudaVersion{}) CHECK(all[i - 1].cuda < all[i].cuda);
    if (all[i].branch != 0) CHECK(all[i - 1].branch < all[i].branch);
    for (const std::string_view number : {all[i].linux_minimum, all[i].windows_minimum})
      if (!number.empty()) CHECK(isa::parse_driver_version(number)->branch >= all[i].branch);
  }
  for (const isa::Version one : isa::versions()) {
    INFO(isa::to_string(one));
    REQUIRE(isa::first_release_with(one) != nullptr);
    CHECK(isa::first_release_with(one)->ptx >= one);
  }
  CHECK(isa::first_release_with(isa::never) == nullptr);
}

TEST_CASE("A release by its CUDA version") {
  CHECK(isa::find_release({12, 8})->ptx == version("8.7"));
  CHECK(isa::find_release({13, 5})->ptx == version("9.5"));
  CHECK(isa::find_release({12, 10}) == nullptr);
  CHECK(isa::find_release({}) == nullptr);
  CHECK(isa::parse_cuda_version("12.8") == CudaVersion{12, 8});
  CHECK(isa::parse_cuda_version("12.8.1") == CudaVersion{12, 8});
  CHECK(isa::parse_cuda_version("12") == CudaVersion{12, 0});
  for (const char* text : {"", "x", "12.", "12.x", "12.8.", "12.8.1.2", "-1", "99999.0", "12. 8"}) {
    INFO(text);
    CHECK_FALSE(isa::parse_cuda_version(text));
  }
}

TEST_CASE("The first release with a PTX ISA version") {
  CHECK(isa::first_release_with(version("8.5"))->cuda == CudaVersion{12, 5});
  CHECK(isa::first_release_with(version("5.1"))->cuda == CudaVersion{9, 0});  // no release came with 5.1
  CHECK(isa::first_release_with(version("1.5"))->cuda == CudaVersion{3, 0});  // 1.5 came with a driver
}

TEST_CASE("A driver's version, as nvidia-smi and people write it") {
  CHECK(isa::to_string(driver("580.65.06")) == "580.65.06");
  CHECK(isa::to_string(driver("R570")) == "570");
  CHECK(isa::to_string(driver("595.97")) == "595.97");
  CHECK(driver("570.26") < driver("570.124.06"));
  for (const char* text : {"", "R", "570.", "570.x", "570.26.1.2", "12345678", "0"}) {
    INFO(text);
    CHECK_FALSE(isa::parse_driver_version(text));
  }
}

TEST_CASE("A driver takes the PTX of its own branch, on Linux and on Windows") {
  CHECK(support("570").release->ptx == version("8.7"));
  CHECK(support("570.86.15").release->ptx == version("8.7"));
  CHECK(support("572.61").release->ptx == version("8.7"));
  CHECK(support("576.02").release->ptx == version("8.8"));
  CHECK(support("595.97").release->ptx == version("9.2"));
  CHECK(support("550.163.01").release->ptx == version("8.4"));
  CHECK(support("100").release == nullptr);
}

TEST_CASE("Which system a driver's number is of") {
  using Platform = DriverSupport::Platform;
  CHECK(support("580.65.06").platform == Platform::linux_os);
  CHECK(support("570.26").platform == Platform::linux_os);  // in the Linux column
  CHECK(support("595.97").platform == Platform::windows);
  CHECK(support("411.31").platform == Platform::windows);  // in the Windows column
  CHECK(support("390.77").platform == Platform::not_told);
  CHECK(support("570").platform == Platform::not_told);
}

TEST_CASE("What is not published is said, not guessed") {
  CHECK(isa::describe_driver(*isa::find_release({13, 5})) == "not published");
  CHECK(isa::describe_driver(*isa::find_release({13, 4})) == "R615 or later");
  CHECK(isa::describe_driver(*isa::find_release({12, 8})) == "R570 (Linux 570.26, Windows 570.65, or later)");
  CHECK_FALSE(support("615").at_least);
  CHECK(support("640.10").at_least);
  CHECK(support("640.10").release->cuda == CudaVersion{13, 4});
  CHECK(support("580.10.02").preview);
  CHECK_FALSE(support("580").preview);
}

TEST_CASE("Devices by compute capability") {
  CHECK(isa::find_device(90)->architecture == "Hopper");
  CHECK(isa::find_device(101) == isa::find_device(110));
  CHECK(isa::find_device(91) == nullptr);
  CHECK(isa::parse_capability("12.1") == 121U);
  CHECK_FALSE(isa::parse_capability("12"));
  CHECK_FALSE(isa::parse_capability("12.10"));
  const auto target = [](const char* name) { return isa::targets()[*isa::find_target(name)]; };
  CHECK(isa::describe_devices(target("sm_90a")) == "9.0 only");
  CHECK(isa::describe_devices(target("sm_80")) == "8.0 and later");
  CHECK(isa::describe_devices(target("sm_103f")) == "10.3, 10.7 (its family from there on)");
  CHECK(isa::describe_devices(target("sm_101a")) == "11.0 only");
  for (const isa::Target& one : isa::targets()) {
    INFO(one.name);
    if (one.number != 82) CHECK(isa::find_device(one.number) != nullptr);
  }
}
