// ptxscope retarget: another .version and .target, where the code fits; everything else byte for byte.
#include "report/retarget.h"

#include "cli/command.h"
#include "cli/input.h"
#include "cli/suggest.h"

namespace ptxscope::cli {

namespace {

struct RetargetFlags {
  std::string isa, target;
  bool rewrite = false;
};

// nullopt: usage is wrong, which has been said.
std::optional<analysis::RetargetWish> read(Run& run, const RetargetFlags& flags) {
  analysis::RetargetWish wish;
  wish.rewrite = flags.rewrite;
  wish.lowest_version = flags.isa == "min";
  wish.lowest_target = flags.target == "min";
  if (flags.isa.empty() && flags.target.empty()) {
    run.fail("say which header is wanted: --target sm_80, --isa 8.0, or min for the lowest that does");
    return std::nullopt;
  }
  if (!flags.isa.empty() && !wish.lowest_version) {
    wish.version = read_version(flags.isa);
    if (!wish.version) {
      run.fail("--isa " + flags.isa + ": there is no such PTX ISA version" + suggest_version(flags.isa) + " (or min)");
      return std::nullopt;
    }
  }
  if (!flags.target.empty() && !wish.lowest_target) {
    wish.target = isa::find_target(flags.target);
    if (!wish.target) {
      run.fail("--target " + flags.target + ": there is no such target" + suggest_target(flags.target) +
               " (or min; ptxscope targets lists all)");
      return std::nullopt;
    }
  }
  if (run.options().files.size() > 1) {
    run.fail("one file at a time: each has an output of its own" + name_one_of(run.options().files));
    return std::nullopt;
  }
  return wish;
}

}  // namespace

void add_retarget(Program& program) {
  const auto flags = std::make_shared<RetargetFlags>();
  CLI::App& app =
      program.add({.name = "retarget",
                   .summary = "the module with another .version and .target, if its code fits; nothing else is changed",
                   .formats = {"text", "json"},
                   .examples = {"ptxscope retarget kernel.ptx --target sm_80 --isa min -o kernel.sm_80.ptx",
                                "ptxscope retarget kernel.ptx --isa min -o kernel.ptx",
                                "ptxscope retarget kernel.ptx --target min --isa min --rewrite > oldest.ptx"},
                   .writes_ptx = true},
                  [flags](Run& run) {
                    const auto wish = read(run, *flags);
                    if (!wish) return;
                    run.each_module([&](const Module& module) {
                      const analysis::Retargeting result = analysis::retarget(module, *wish);
                      if (!result.fits) {
                        run.report(module, result.problems);
                        if (result.rewrite_would_help)
                          run.warn("with --rewrite, older spellings of the same meaning would make it fit");
                        run.refuse();
                        return run.is_json() ? report::retarget_json(module, result, "") : std::string();
                      }
                      // A change is told of when it is made.
                      std::string output = run.options().output == "-" ? "" : run.options().output;
                      const bool is_apart = run.is_json() || !output.empty();
                      if (is_apart && !run.write_apart(result.text)) output.clear();
                      else
                        for (const std::string& sentence : report::retarget_sentences(module, result))
                          run.warn(sentence);
                      if (result.changes.empty()) run.warn(module.file_name() + ": nothing to change");
                      if (run.is_json()) return report::retarget_json(module, result, output);
                      return is_apart ? std::string() : result.text;
                    });
                  });
  app.add_option("--isa", flags->isa, "the .version wanted; min: the lowest that does with the target")
      ->type_name("VERSION|min");
  app.add_option("--target", flags->target, "the .target wanted; min: the lowest that takes the code")
      ->type_name("TARGET|min");
  app.add_flag("--rewrite", flags->rewrite,
               "replace spellings by older ones of the same meaning, where the code fits only so");
}

}  // namespace ptxscope::cli
