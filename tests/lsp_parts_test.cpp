// The parts of the language server that know nothing of PTX: frames, positions, messages.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "lsp/edited_text.h"
#include "lsp/frames.h"
#include "lsp/protocol.h"
#include "lsp/text.h"
#include "tests/catch.h"

using namespace ptxscope::lsp;

namespace {

FrameReader reader_of(std::string bytes, std::size_t piece, FrameLimits limits = {}) {
  auto at = std::make_shared<std::size_t>(0);
  return FrameReader(
      [bytes = std::move(bytes), at, piece](char* to, std::size_t most) {
        const std::size_t count = std::min({most, piece, bytes.size() - *at});
        std::copy_n(bytes.data() + *at, count, to);
        *at += count;
        return count;
      },
      limits);
}

// Kinds, a letter each, and the contents of messages behind them.
std::string all_of(FrameReader reader) {
  std::string out;
  for (;;) {
    const Frame one = reader.next();
    if (one.kind == Frame::Kind::end) return out + "E";
    out += one.kind == Frame::Kind::message ? "M" + one.text : "P";
  }
}

// Line and column, counted the slow way.
TextPosition slow_position(std::string_view text, std::size_t offset, Encoding encoding) {
  TextPosition position;
  for (std::size_t i = 0; i < offset; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n' || (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) {
      ++position.line;
      position.character = 0;
    } else if (encoding == Encoding::utf8) {
      ++position.character;
    } else if ((c & 0xc0U) != 0x80U) {
      position.character += c >= 0xf0U ? 2 : 1;
    }
  }
  return position;
}

bool begins_character(std::string_view text, std::size_t offset) {
  return offset == text.size() || (static_cast<unsigned char>(text[offset]) & 0xc0U) != 0x80U;
}

}  // namespace

TEST_CASE("frames come out whole however their bytes arrive") {
  for (const std::size_t piece : {1U, 2U, 7U, 100'000U}) {
    CHECK(all_of(reader_of(frame("one") + frame("") + frame("three"), piece)) == "MoneMMthreeE");
    CHECK(all_of(reader_of("content-LENGTH:  3  \nX: y\n\nabc", piece)) == "MabcE");
    CHECK(all_of(reader_of("rubbish\r\nmore\r\n\r\n" + frame("x"), piece)) == "PMxE");
    CHECK(all_of(reader_of("Content-Length: x\r\n\r\n" + frame("x"), piece)) == "PMxE");
    CHECK(all_of(reader_of("A: b\r\n\r\n" + frame("x"), piece)) == "PMxE");
    CHECK(all_of(reader_of(std::string(9000, 'x') + "\r\n\r\n" + frame("x"), piece)) == "PMxE");
    CHECK(all_of(reader_of("\r\n\n" + frame("x"), piece)) == "MxE");
    // The next one is found although no line ends before it.
    CHECK(all_of(reader_of("Content-Length: +3\r\n\r\n{1}" + frame("x"), piece)) == "PMxE");
    CHECK(all_of(reader_of("Content-Length: 1\r\n\r\nabc" + frame("x"), piece)) == "MaPMxE");
    CHECK(all_of(reader_of(std::string(9000, '\0') + frame("x"), piece)) == "PMxE");
    CHECK(all_of(reader_of("Content-Length: 99999999999999\r\n\r\nabc" + frame("x"), piece)) == "PMxE");
    CHECK(all_of(reader_of("X-Content-Length: 2\r\n" + frame("x"), piece)) == "MxE");
    CHECK(all_of(reader_of("Content-Length: 10\r\n\r\nabc", piece)) == "E");
    CHECK(all_of(reader_of("Content-Len", piece)) == "E");
    CHECK(all_of(reader_of("", piece)) == "E");
    // More than is taken is skipped to its end.
    CHECK(all_of(reader_of(frame(std::string(50, 'x')) + frame("y"), piece, {4096, 40})) == "PMyE");
  }
}

TEST_CASE("positions are those of a slow count, and edits those of the text") {
  std::mt19937 random(3);  // NOLINT: the same each time
  const std::vector<std::string> pieces{
      "a", "%r1", "\n", "\r\n", "\r", "é", "€", "😀", "// x", " ", std::string(5000, 'y')};
  const auto some = [&](std::size_t most) {
    std::string text;
    for (std::size_t i = random() % (most + 1); i > 0; --i) text += pieces[random() % pieces.size()];
    return text;
  };
  for (const Encoding encoding : {Encoding::utf8, Encoding::utf16}) {
    for (int round = 0; round < 60; ++round) {
      std::string bytes = some(40);
      Text text(bytes, encoding);
      EditedText edited(text);  // is taken again and again, or goes through all edits
      for (int edit = 0; edit < 6; ++edit) {
        for (int i = 0; i < 20; ++i) {
          const auto offset = static_cast<std::uint32_t>(random() % (bytes.size() + 1));
          if (!begins_character(bytes, offset)) continue;
          const TextPosition position = text.position_of(offset);
          REQUIRE(position == slow_position(bytes, offset, encoding));
          // Between \r and \n there is no place.
          const bool in_line_end =
              offset > 0 && offset < bytes.size() && bytes[offset] == '\n' && bytes[offset - 1] == '\r';
          REQUIRE(text.offset_of(position) == (in_line_end ? offset - 1 : offset));
        }
        auto begin = static_cast<std::uint32_t>(random() % (bytes.size() + 1));
        auto end = static_cast<std::uint32_t>(begin + random() % (bytes.size() - begin + 1));
        const TextPosition first = text.position_of(begin);
        const TextPosition last = text.position_of(end);
        begin = text.offset_of(first);
        end = std::max(begin, text.offset_of(last));
        const std::string by = some(4);
        edited.replace(first, last, by);
        EditedText once(text);
        once.replace(first, last, by);
        text = once.take();
        bytes.replace(begin, end - begin, by);
        REQUIRE(text.bytes() == bytes);
        REQUIRE(text.line_count() == slow_position(bytes, bytes.size(), encoding).line + 1);
        REQUIRE(edited.size() == bytes.size());
      }
      REQUIRE(edited.take().bytes() == bytes);
    }
  }
}

TEST_CASE("places that are not there are the nearest that is") {
  const Text text("ab\n😀c\r\nd", Encoding::utf16);
  CHECK(text.offset_of({0, 99}) == 2);
  CHECK(text.offset_of({1, 1}) == 3);  // within a character: where it begins
  CHECK(text.offset_of({1, 2}) == 7);
  CHECK(text.offset_of({1, 99}) == 8);
  CHECK(text.offset_of({2, 0}) == 10);
  CHECK(text.offset_of({9, 0}) == 11);
  CHECK(text.line(1) == "😀c");
  CHECK(text.line(9).empty());
  CHECK(Text("😀", Encoding::utf8).offset_of({0, 3}) == 0);
  EditedText other(Text("abc", Encoding::utf16));
  other.replace({0, 2}, {0, 1}, "x");  // the end before the begin
  other.replace({0, 99}, {7, 0}, "y");
  CHECK(other.take().bytes() == "abxcy");
}

TEST_CASE("messages that would grow beyond all use are not taken apart") {
  const auto code = [](std::string_view text) {
    const Answer answer = parse_message(text);
    const auto* const failure = std::get_if<Failure>(&answer);
    return failure == nullptr ? 0 : static_cast<int>(failure->code);
  };
  CHECK(code("{}") == 0);
  CHECK(code("{\"a\":\"[[[[,,,,\\\"[[\"}") == 0);
  CHECK(code(std::string(64, '[') + std::string(64, ']')) == 0);
  CHECK(code(std::string(65, '[') + std::string(65, ']')) == -32600);
  CHECK(code("[" + std::string(1'000'001, ',') + "]") == -32600);
  CHECK(code("{") == -32700);
  CHECK(code("\"\\ud83d\"") == -32700);  // half a character
  CHECK(code("\"\xff\"") == -32700);
  CHECK(code("\"\\") == -32700);
}
