// The container reader, on files made here: each format, and each way in which one can be damaged.
#include "parser/container.h"

#include <lz4.h>
#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "tests/catch.h"

using namespace ptxscope;

namespace {

const std::string kernel =
    "//\n// Made for a test\n//\n\n.version 8.0\n.target sm_80\n.address_size 64\n\n"
    ".visible .entry k(.param .u64 p)\n{\n  .reg .b32 %r<2>;\n  { mov.u32 %r1, 1; }\n  ret;\n}\n";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

template <typename T>
void append(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFFU);
}

template <typename T>
void store(std::string& out, std::size_t at, T value) {
  std::string word;
  append(word, value);
  out.replace(at, word.size(), word);
}

enum Kind : std::uint16_t { ptx = 1, cubin = 2, nvvm = 8 };

struct Entry {
  std::uint16_t kind = ptx;
  std::uint32_t target = 80;
  std::uint64_t flags = 0x11;
  std::string stored = kernel + std::string(1, '\0');
  std::uint64_t size = 0;  // uncompressed; 0: it is not compressed
  std::string options;
};

std::string fat_binary(const std::vector<Entry>& entries) {
  std::string images;
  for (const Entry& entry : entries) {
    std::string options = entry.options;
    options.resize((options.size() + 7) / 8 * 8);
    std::string stored = entry.stored;
    stored.resize((stored.size() + 7) / 8 * 8);
    append<std::uint16_t>(images, entry.kind);
    append<std::uint16_t>(images, 0x101);
    append<std::uint32_t>(images, static_cast<std::uint32_t>(0x48 + options.size()));
    append<std::uint64_t>(images, stored.size());
    append<std::uint32_t>(images, entry.size == 0 ? 0 : static_cast<std::uint32_t>(entry.stored.size()));
    append<std::uint32_t>(images, 0x40);
    append<std::uint32_t>(images, 0x80000);
    append<std::uint32_t>(images, entry.target);
    append<std::uint64_t>(images, 0);
    append<std::uint64_t>(images, entry.flags);
    append<std::uint64_t>(images, 0);
    append<std::uint64_t>(images, entry.size);
    append<std::uint32_t>(images, 0x48);
    append<std::uint32_t>(images, static_cast<std::uint32_t>(entry.options.size()));
    images += options + stored;
  }
  std::string out;
  append<std::uint32_t>(out, 0xBA55ED50);
  append<std::uint16_t>(out, 1);
  append<std::uint16_t>(out, 16);
  append<std::uint64_t>(out, images.size());
  return out + images;
}

std::string with_zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string with_lz4(const std::string& text) {
  std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  out.resize(static_cast<std::size_t>(
      LZ4_compress_default(text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
  return out;
}

std::string with_lz4_frame(const std::string& text) {
  std::string out(LZ4F_compressFrameBound(text.size(), nullptr), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), nullptr));
  return out;
}

Entry compressed(std::uint64_t flag, std::string stored, std::uint64_t size = kernel.size() + 1) {
  Entry entry;
  entry.flags |= flag;
  entry.stored = std::move(stored);
  entry.size = size;
  return entry;
}

constexpr std::uint64_t lz4 = 0x2000, lz4_frame = 0x4000, zstd = 0x8000, for_one_target = 0x100000,
                        for_family = 0x200000;

std::vector<std::string> ptx_names(const ContainerListing& listing) {
  std::vector<std::string> names;
  for (const Image& image : listing.images)
    if (image.kind == ImageKind::ptx) names.push_back(image.name);
  return names;
}

std::string only_text(const std::string& container) {
  const ContainerListing listing = read_container(bytes_of(container), "app");
  REQUIRE(listing.images.size() == 1);
  const Extracted got = extract(bytes_of(container), listing.images[0]);
  INFO(got.error);
  REQUIRE(got.bytes);
  return *got.bytes;
}

std::string error_of(const std::string& container, const ContainerLimits& limits = {}) {
  const ContainerListing listing = read_container(bytes_of(container), "app");
  REQUIRE(listing.images.size() == 1);
  const Extracted got = extract(bytes_of(container), listing.images[0], limits);
  REQUIRE_FALSE(got.bytes);
  return got.error;
}

bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct Section {
  std::string name, bytes;
};

// An ELF-64 file: header, sections' bytes, names, section table.
std::string elf(const std::vector<Section>& sections, std::uint16_t machine = 62) {
  std::string out(
      "\x7f"
      "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
      16);
  append<std::uint16_t>(out, 2);
  append<std::uint16_t>(out, machine);
  out.resize(64);
  std::string names(1, '\0');
  std::string table(64, '\0');
  const auto add = [&](const std::string& name, const std::string& bytes) {
    std::string header(64, '\0');
    store<std::uint32_t>(header, 0, static_cast<std::uint32_t>(names.size()));
    store<std::uint32_t>(header, 4, 1);
    store<std::uint64_t>(header, 0x18, out.size());
    store<std::uint64_t>(header, 0x20, bytes.size());
    names += name + std::string(1, '\0');
    out += bytes;
    table += header;
  };
  for (const Section& one : sections) add(one.name, one.bytes);
  std::string all_names = names + ".shstrtab" + std::string(1, '\0');
  add(".shstrtab", all_names);
  store<std::uint64_t>(out, 0x28, out.size());
  store<std::uint16_t>(out, 0x3A, 64);
  store<std::uint16_t>(out, 0x3C, static_cast<std::uint16_t>(sections.size() + 2));
  store<std::uint16_t>(out, 0x3E, static_cast<std::uint16_t>(sections.size() + 1));
  return out + table;
}

std::string archive(const std::vector<Section>& members) {
  std::string out = "!<arch>\n";
  for (const Section& one : members) {
    std::string header(60, ' ');
    header.replace(0, one.name.size() + 1, one.name + "/");
    const std::string size = std::to_string(one.bytes.size());
    header.replace(48, size.size(), size);
    header.replace(58, 2, "`\n");
    out += header + one.bytes;
    if (one.bytes.size() % 2 != 0) out += '\n';
  }
  return out;
}

std::string quoted(const std::string& text, std::string_view newline) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += newline;
    } else if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

// Every image is taken; that it ends without a crash is the test.
void take_all(const std::string& container) {
  const ContainerListing listing = read_container(bytes_of(container), "app");
  for (const Image& image : listing.images) (void)extract(bytes_of(container), image, {.image = 1U << 20U});
}

}  // namespace

TEST_CASE("PTX of a fat binary is the same however it is compressed") {
  const std::string text = kernel + std::string(1, '\0');
  CHECK(only_text(fat_binary({Entry{}})) == kernel);
  CHECK(only_text(fat_binary({compressed(lz4, with_lz4(text))})) == kernel);
  CHECK(only_text(fat_binary({compressed(lz4_frame, with_lz4_frame(text))})) == kernel);
  CHECK(only_text(fat_binary({compressed(zstd, with_zstd(text))})) == kernel);
}

TEST_CASE("Images are named by target and number, each kind counted apart") {
  Entry cubin_80{cubin, 80, 0x11, "machine code", 0, ""};
  Entry ptx_90a{ptx, 90, 0x11 | for_one_target, kernel, 0, "-O2 --generate-line-info "};
  Entry ptx_100f{ptx, 100, 0x11 | for_family, kernel, 0, ""};
  Entry ir{nvvm, 75, 0x11, "IR", 0, ""};
  const std::string file = fat_binary({cubin_80, ptx_90a, cubin_80, ptx_100f, ir});
  const ContainerListing listing = read_container(bytes_of(file), "app");
  CHECK(listing.format == ContainerFormat::fat_binary);
  CHECK(listing.problems.empty());
  std::vector<std::string> names;
  for (const Image& image : listing.images) names.push_back(image.name);
  CHECK(names == std::vector<std::string>{"app:sm_80:1.cubin", "app:sm_90a:1", "app:sm_80:2.cubin", "app:sm_100f:2",
                                          "app:sm_75:1.nvvm"});
  CHECK(listing.images[1].options == "-O2 --generate-line-info");
  CHECK(listing.images[1].size == kernel.size());
}

TEST_CASE("A fat binary in memory says its size in its first 16 bytes") {
  const std::string file = fat_binary({Entry{}});
  CHECK(fat_binary_size(bytes_of(std::string_view(file).substr(0, 16))) == file.size());
  CHECK_FALSE(fat_binary_size(bytes_of(std::string_view(file).substr(0, 15))));
  CHECK_FALSE(fat_binary_size(bytes_of("a text of at least 16 bytes")));
  std::string endless = file;
  store<std::uint64_t>(endless, 8, UINT64_MAX - 3);
  CHECK_FALSE(fat_binary_size(bytes_of(endless)));
  // What follows it is not looked at.
  CHECK(read_container(bytes_of(file + fat_binary({Entry{}})), "app").images.size() == 1);
}

TEST_CASE("Sections of an ELF file, wherever they are, and fat binaries and texts outside of them") {
  const std::string file = elf({{".text", "code"},
                                {".nv_fatbin", fat_binary({Entry{}}) + std::string(8, '\0') + fat_binary({Entry{}})},
                                {"__nv_relfatbin", fat_binary({Entry{}})},
                                {".rodata", "src/lib.rs" + fat_binary({Entry{}}) + "words" + kernel + "src/main.rs"}});
  const ContainerListing listing = read_container(bytes_of(file), "app");
  CHECK(listing.format == ContainerFormat::elf);
  CHECK(listing.problems.empty());
  REQUIRE(listing.images.size() == 5);
  CHECK(listing.images[0].section == ".nv_fatbin");
  CHECK(listing.images[2].section == "__nv_relfatbin");
  CHECK(listing.images[3].section == ".rodata");
  CHECK(listing.images[4].section == ".rodata");
  for (const Image& image : listing.images) {
    const Extracted got = extract(bytes_of(file), image);
    REQUIRE(got.bytes);
    CHECK(got.bytes->ends_with("  ret;\n}\n"));
    CHECK(got.bytes->find(".version 8.0") < 40);
  }
}

TEST_CASE("An ELF file without its section table is looked through") {
  std::string file = elf({{".nv_fatbin", fat_binary({Entry{}})}});
  store<std::uint64_t>(file, 0x28, 0);
  CHECK(ptx_names(read_container(bytes_of(file), "app")) == std::vector<std::string>{"app:sm_80:1"});
  store<std::uint64_t>(file, 0x28, file.size() - 10);
  const ContainerListing listing = read_container(bytes_of(file), "app");
  CHECK(ptx_names(listing).size() == 1);
  REQUIRE(listing.problems.size() == 1);
  CHECK(mentions(listing.problems[0], "section table"));
}

TEST_CASE("A cubin's debug lines are its PTX") {
  std::string lines = kernel;
  std::replace(lines.begin(), lines.end(), '\n', '\0');
  std::string file = elf({{".nv_debug_ptx_txt", lines}}, 190);
  store<std::uint32_t>(file, 0x30, 0x00500550);
  file[8] = 7;
  const ContainerListing listing = read_container(bytes_of(file), "k.cubin");
  CHECK(listing.format == ContainerFormat::cubin);
  REQUIRE(listing.images.size() == 2);
  CHECK(listing.images[0].name == "k.cubin:sm_80:1.cubin");
  CHECK(listing.images[1].name == "k.cubin:sm_80:1");
  CHECK(extract(bytes_of(file), listing.images[1]).bytes == kernel);
}

TEST_CASE("Members of an archive") {
  const std::string object = elf({{".nv_fatbin", fat_binary({Entry{}})}});
  const std::string file = archive({{"a.o", object}, {"odd", "x"}, {"b.o", object}});
  const ContainerListing listing = read_container(bytes_of(file), "lib.a");
  CHECK(listing.format == ContainerFormat::archive);
  CHECK(listing.problems.empty());
  REQUIRE(listing.images.size() == 2);
  CHECK(listing.images[1].member == "b.o");
  CHECK(listing.images[1].name == "lib.a:sm_80:2");

  const ContainerListing thin = read_container(bytes_of("!<thin>\n" + file.substr(8)), "lib.a");
  CHECK(thin.images.empty());
  REQUIRE(thin.problems.size() == 1);
  CHECK(mentions(thin.problems[0], "only the names"));

  const ContainerListing cut = read_container(bytes_of(file.substr(0, file.size() - 100)), "lib.a");
  CHECK(cut.images.size() == 2);
  REQUIRE_FALSE(cut.problems.empty());
  CHECK(mentions(cut.problems[0], "cut short"));
}

TEST_CASE("PTX in a Windows executable") {
  std::string file = "MZ";
  file.resize(0x40);
  store<std::uint32_t>(file, 0x3C, 0x40);
  file += std::string("PE\0\0", 4);
  append<std::uint16_t>(file, 0x8664);
  append<std::uint16_t>(file, 1);
  file.resize(0x40 + 4 + 20);
  const std::string binary = fat_binary({Entry{}});
  std::string section = ".nv_fatb";
  section.resize(40);
  store<std::uint32_t>(section, 16, static_cast<std::uint32_t>(binary.size()));
  store<std::uint32_t>(section, 20, static_cast<std::uint32_t>(file.size() + 40));
  file += section + binary;
  const ContainerListing listing = read_container(bytes_of(file), "app.exe");
  CHECK(listing.format == ContainerFormat::pe);
  REQUIRE(listing.images.size() == 1);
  CHECK(listing.images[0].section == ".nv_fatb");
  CHECK(extract(bytes_of(file), listing.images[0]).bytes == kernel);
}

TEST_CASE("PTX in other text") {
  const auto texts_of = [](const std::string& file) {
    std::vector<std::string> texts;
    for (const Image& image : read_container(bytes_of(file), "t").images) {
      Extracted got = extract(bytes_of(file), image);
      REQUIRE(got.bytes);
      texts.push_back(std::move(*got.bytes));
    }
    return texts;
  };
  const std::vector<std::string> one{kernel};
  const std::string rest = kernel.substr(kernel.find(".version"));
  CHECK(texts_of(kernel) == one);
  CHECK(texts_of(kernel + kernel) == std::vector<std::string>{kernel, kernel});
  CHECK(texts_of("compiling\n" + kernel + "done in 3 ms\n") == one);
  CHECK(texts_of("const char* k = \"" + quoted(kernel, "\\n") + "\";\nint x;\n") == one);
  CHECK(texts_of("const char* k =\n  \"" + quoted(kernel, "\\n\"\n  \"") + "\";\nint x;\n") == one);
  CHECK(texts_of("@k = constant [99 x i8] c\"" + quoted(kernel, "\\0A") + "\\00\", align 1\n") == one);
  CHECK(texts_of("{\"asm\": {\"ttir\": \"\", \"ptx\": \"" + quoted(kernel, "\\n") + "\"}}") == one);
  CHECK(texts_of("auto k = R\"(" + rest + ")\";\n") == std::vector<std::string>{rest});
  CHECK(texts_of("ptx = \"\"\"" + rest + "\"\"\"\n") == std::vector<std::string>{rest});
  CHECK(texts_of("printf(\".version %s\\n.target %s\\n\");").empty());
  CHECK(texts_of("The directive .version 8.0 comes first.\n").empty());
}

TEST_CASE("Escapes of string literals") {
  const std::string file =
      "k = \".version 8.0\\n.target sm_80\\n\\x2f\\x2F \\\"a\\\" \\u00e9 \\101 \\t\\\\ b\\\n\"  \"c\\n.entry k() { "
      "ret; }\";";
  const std::string text = only_text(file);
  CHECK(text == ".version 8.0\n.target sm_80\n// \"a\" \xc3\xa9 A \t\\ bc\n.entry k() { ret; }");
}

TEST_CASE("A fat binary cut off anywhere is read as far as it goes") {
  const std::string text = kernel + std::string(1, '\0');
  const std::string file = fat_binary({compressed(zstd, with_zstd(text)), Entry{}, compressed(lz4, with_lz4(text))});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    const ContainerListing listing = read_container(bytes_of(cut), "app");
    CHECK(listing.images.size() < 3);
    if (size >= 16) CHECK_FALSE(listing.problems.empty());
    take_all(cut);
    take_all(elf({{".nv_fatbin", cut}}));
    take_all(elf({{".nv_fatbin", file}}).substr(0, size + 64));
    take_all(archive({{"a.o", elf({{".nv_fatbin", file}})}}).substr(0, size + 64));
  }
}

TEST_CASE("Any byte may be wrong") {
  const std::string text = kernel + std::string(1, '\0');
  const std::string file =
      elf({{".nv_fatbin", fat_binary({compressed(zstd, with_zstd(text)), Entry{}, compressed(lz4, with_lz4(text)),
                                      compressed(lz4_frame, with_lz4_frame(text))})}});
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const unsigned value : {0U, 0x7FU, 0xFFU}) {
      std::string wrong = file;
      wrong[i] = static_cast<char>(value);
      take_all(wrong);
    }
  }
}

TEST_CASE("Sizes that lie") {
  const std::string text = kernel + std::string(1, '\0');
  const std::string good = with_zstd(text);
  CHECK(mentions(error_of(fat_binary({compressed(zstd, good, text.size() + 1)})), "announces"));
  CHECK(mentions(error_of(fat_binary({compressed(lz4_frame, with_lz4_frame(text), text.size() - 1)})), "announces"));
  CHECK(mentions(error_of(fat_binary({compressed(lz4, with_lz4(text), text.size() - 1)})), "LZ4"));
  CHECK(mentions(error_of(fat_binary({compressed(lz4, with_lz4(text), std::uint64_t{1} << 29U)})), "cannot be the"));
  CHECK(mentions(error_of(fat_binary({compressed(zstd, good, std::uint64_t{1} << 40U)})), "MiB"));
  CHECK(mentions(error_of(fat_binary({compressed(zstd, good.substr(0, good.size() / 2))})), "too early"));
  CHECK(mentions(error_of(fat_binary({compressed(zstd, "no Zstandard at all")})), "Zstandard"));
  CHECK(mentions(error_of(fat_binary({compressed(0x1000, "by zlib", 100)})), "zlib"));
  CHECK(mentions(error_of(fat_binary({compressed(0x3000, "by two", 100)})), "not known"));
}

TEST_CASE("What would not end is stopped") {
  // 64 MiB of zeros in a few KiB, which claim to be 1000 bytes and all there is.
  const std::string bomb = with_zstd(std::string(std::size_t{64} << 20U, '\0'));
  CHECK(bomb.size() < 20000);
  CHECK(mentions(error_of(fat_binary({compressed(zstd, bomb, 1000)}), {.image = 1U << 20U}), "larger than 1 MiB"));
  CHECK(
      mentions(error_of(fat_binary({compressed(zstd, bomb, std::uint64_t{64} << 20U)}), {.image = 1U << 20U}), "MiB"));
  const std::string frames = with_lz4_frame(std::string(std::size_t{8} << 20U, '\0'));
  CHECK(
      mentions(error_of(fat_binary({compressed(lz4_frame, frames, 1000)}), {.image = 1U << 20U}), "larger than 1 MiB"));
}

TEST_CASE("Many starts of nothing take no longer than once through") {
  std::string versions;
  for (int i = 0; i < 200000; ++i) versions += ".version 1 /* ";
  CHECK(read_container(bytes_of(versions), "t").images.empty());
  CHECK(read_container(bytes_of("\"" + versions), "t").images.empty());
  std::string rows;
  for (int i = 0; i < 100000; ++i) rows += "\".version 1\"\n";
  CHECK(read_container(bytes_of(rows), "t").images.empty());
  std::string empties;
  for (int i = 0; i < 100000; ++i) empties += fat_binary({});
  CHECK(read_container(bytes_of(elf({{".nv_fatbin", empties}})), "t").images.empty());
  std::string magics;
  for (int i = 0; i < 500000; ++i) magics += "\x50\xed\x55\xba";
  const ContainerListing listing = read_container(bytes_of(elf({{".nv_fatbin", magics}})), "t");
  CHECK(listing.images.empty());
  CHECK(listing.problems.size() <= 21);
  std::vector<Entry> many(70000, Entry{ptx, 80, 0x11, "x", 0, ""});
  CHECK(read_container(bytes_of(fat_binary(many)), "t").images.size() == 65536);
}
