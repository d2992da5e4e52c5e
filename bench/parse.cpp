// Scanning and parsing, by Google Benchmark. The module is the file in PTXSCOPE_BENCH_FILE, else one made up here.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "parser/module.h"
#include "parser/normalize.h"
#include "parser/scanner.h"

namespace {

// In the manner of nvcc: what counts is the mix of statements.
std::string made_up(std::size_t size) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (int kernel = 0; text.size() < size; ++kernel) {
    const std::string name = "_Z6kernelPKfPfi_" + std::to_string(kernel);
    text += "\n.visible .entry " + name + "(\n\t.param .u64 " + name + "_param_0,\n\t.param .u64 " + name +
            "_param_1,\n\t.param .u32 " + name +
            "_param_2\n)\n{\n\t.reg .pred \t%p<3>;\n\t.reg .f32 \t%f<12>;\n"
            "\t.reg .b32 \t%r<300>;\n\t.reg .b64 \t%rd<300>;\n\n\tld.param.u64 \t%rd1, [" +
            name +
            "_param_0];\n\tmov.u32 \t%r1, %ctaid.x;\n\tmov.u32 \t%r2, %ntid.x;\n\tmov.u32 \t%r3, %tid.x;\n"
            "\tmad.lo.s32 \t%r4, %r1, %r2, %r3;\n\tsetp.ge.s32 \t%p1, %r4, %r2;\n\t@%p1 bra \t$L__BB0_2;\n\n";
    for (int i = 10; i < 290; ++i) {
      const std::string n = std::to_string(i);
      text += "\tmul.wide.s32 \t%rd" + n + ", %r4, 4;\n\tadd.s64 \t%rd" + n + ", %rd1, %rd" + n +
              ";\n\tld.global.f32 \t%f1, [%rd" + n + "+" + n +
              "];\n\tfma.rn.f32 \t%f2, %f1, 0f3F800000, %f2;\n"
              "\tst.global.f32 \t[%rd" +
              n + "], %f2;\n";
    }
    text += "\n$L__BB0_2:\n\tret;\n\n}\n";
  }
  return text;
}

const std::string& module_text() {
  static const std::string text = [] {
    if (const char* path = std::getenv("PTXSCOPE_BENCH_FILE")) {
      std::ifstream in(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return made_up(8'000'000);
  }();
  return text;
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(module_text().size()));
}

void scan(benchmark::State& state) {
  for (auto _ : state) {
    ptxscope::Scanner scanner(module_text());
    std::uint32_t tokens = 0;
    while (scanner.next().kind() != ptxscope::TokenKind::end_of_text) ++tokens;
    benchmark::DoNotOptimize(tokens);
  }
  count_bytes(state);
}
BENCHMARK(scan)->Unit(benchmark::kMillisecond);

void parse(benchmark::State& state) {
  for (auto _ : state) {
    const ptxscope::Module module = ptxscope::parse(module_text(), "bench.ptx");
    benchmark::DoNotOptimize(module.statement_count());
  }
  count_bytes(state);
}
BENCHMARK(parse)->Unit(benchmark::kMillisecond);

void walk(benchmark::State& state) {
  const ptxscope::Module module = ptxscope::parse(module_text(), "bench.ptx");
  for (auto _ : state) {
    std::uint64_t registers = 0;
    for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
      for (const ptxscope::Operand operand : module.statement(i).operands()) {
        if (operand.kind() == ptxscope::OperandKind::reg) registers += operand.reg();
      }
    }
    benchmark::DoNotOptimize(registers);
  }
  count_bytes(state);
}
BENCHMARK(walk)->Unit(benchmark::kMillisecond);

void normalize(benchmark::State& state) {
  const ptxscope::Module module = ptxscope::parse(module_text(), "bench.ptx");
  for (auto _ : state) {
    const std::string text = ptxscope::normalized(module);
    benchmark::DoNotOptimize(text.size());
  }
  count_bytes(state);
}
BENCHMARK(normalize)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
