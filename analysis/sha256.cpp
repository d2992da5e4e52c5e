#include "analysis/sha256.h"

#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>

#include <array>

namespace ptxscope::analysis {

// Without sodium_init(): it readies random numbers and memory for keys, of which a hash needs nothing.
std::string sha256(std::string_view bytes) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  std::array<char, 2 * digest.size() + 1> digits{};  // and a NUL
  return sodium_bin2hex(digits.data(), digits.size(), digest.data(), digest.size());
}

}  // namespace ptxscope::analysis
