// Whatever a file holds, reading it as a container ends in bounded time and memory, and what it lists is consistent: the
// images lie in the file, their names are distinct, and taking one out gives bytes or a reason.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <span>
#include <string>

#include "parser/container.h"
#include "tests/fuzz/require.h"

using namespace ptxscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const ContainerListing listing = read_container(bytes, "file");
  (void)fat_binary_size(bytes.first(size < 16 ? size : 16));
  std::set<std::string> names;
  constexpr ContainerLimits limits{.image = std::uint64_t{1} << 22U};
  for (const Image& image : listing.images) {
    require(image.offset <= size && image.stored_size <= size - image.offset, "images lie in the file");
    require(names.insert(image.name).second, "each image has a name of its own");
    const Extracted got = extract(bytes, image, limits);
    require(got.bytes.has_value() == got.error.empty(), "an image gives bytes or a reason");
    if (got.bytes) require(got.bytes->size() <= limits.image, "no image is larger than the limit");
  }
  for (const std::string& problem : listing.problems) require(!problem.empty(), "a problem says something");
  return 0;
}
