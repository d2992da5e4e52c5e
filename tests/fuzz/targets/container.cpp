// The reader of containers: it ends in bounded time and memory, and what it lists is consistent: the images lie in the
// file, their names are distinct, and taking one out gives bytes or a reason.
#include "parser/container.h"

#include <set>

#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void read(const Input& input) {
  const auto bytes = std::as_bytes(std::span(input.bytes));
  const ContainerListing listing = read_container(bytes, "file");
  (void)fat_binary_size(bytes.first(std::min<std::size_t>(bytes.size(), 16)));
  std::set<std::string> names;
  constexpr ContainerLimits limits{.image = std::uint64_t{1} << 22U};
  for (const Image& image : listing.images) {
    require(image.offset <= bytes.size() && image.stored_size <= bytes.size() - image.offset, "images lie in the file");
    require(names.insert(image.name).second, "each image has a name of its own");
    const Extracted got = extract(bytes, image, limits);
    require(got.bytes.has_value() == got.error.empty(), "an image gives bytes or a reason");
    if (got.bytes) require(got.bytes->size() <= limits.image, "no image is larger than the limit");
  }
  for (const std::string& problem : listing.problems) require(!problem.empty(), "a problem says something");
}

}  // namespace

Target container_target() {
  return {.name = "container", .form = Form::container, .run = read, .most_bytes = std::size_t{1} << 16};
}

}  // namespace ptxscope::fuzz
