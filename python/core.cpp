// ptxscope._core: modules and documents for the Python package, which gives them their shape. All that takes time runs
// without the interpreter's lock, and what takes long where there is much of it ends at Ctrl-C.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <string>
#include <string_view>

#include "analysis/cfg.h"
#include "analysis/stop.h"
#include "python/documents.h"
#include "python/loaded_module.h"

namespace py = pybind11;

namespace ptxscope::python {

namespace {

using Released = py::call_guard<py::gil_scoped_release>;

// Bytes of the module; what is no UTF-8 is kept as Python keeps it in names of files.
py::str text_object(std::string_view text) {
  PyObject* const object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(object);
}

std::string_view kind_of(const Operand& operand) {
  constexpr std::array<std::string_view, 12> names{"register",      "name",   "integer",    "float",
                                                   "sink",          "vector", "pair",       "address",
                                                   "tuple_address", "list",   "expression", "string"};
  return names[static_cast<std::size_t>(operand.kind())];
}

py::object number_of(const Operand& operand) {
  if (operand.kind() == OperandKind::integer) return py::int_(operand.integer());
  if (operand.kind() != OperandKind::floating) return py::none();
  const std::uint64_t bits = operand.bits();
  return py::float_(operand.is_single() ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                        : std::bit_cast<double>(bits));
}

py::object name_of(const Module& module, const Function& function, const Operand& operand) {
  if (operand.kind() == OperandKind::reg) return text_object(module.register_name(function, operand.reg()));
  if (operand.kind() == OperandKind::name) return text_object(module.name(operand.name()));
  return py::none();
}

// (kind, text, name, number, negated, selector, children, base, offset)
py::tuple operand_object(const Module& module, const Function& function, const Operand& operand) {
  const OperandRange range = operand.children();
  py::tuple children(range.size());
  for (std::size_t i = 0; i < range.size(); ++i) children[i] = operand_object(module, function, range[i]);
  py::object base = py::none();
  if (operand.kind() == OperandKind::address) {
    base = operand_object(module, function, operand.base());
    if (const auto index = operand.index()) children = py::make_tuple(operand_object(module, function, *index));
  }
  const std::string_view selector = spelling(operand.selector());
  return py::make_tuple(py::str(kind_of(operand)), text_object(operand.text()), name_of(module, function, operand),
                        number_of(operand), operand.negated(),
                        selector.empty() ? py::object(py::none()) : py::object(py::str(selector)), children, base,
                        operand.displacement());
}

py::object guard_object(const Module& module, const Function& function, const Statement& statement) {
  const auto guard = statement.guard();
  if (!guard) return py::none();
  const std::string sense = guard->negated ? "!" : "";
  const Operand& predicate = guard->predicate;
  if (predicate.kind() == OperandKind::reg) return text_object(sense + module.register_name(function, predicate.reg()));
  return text_object(predicate.text());
}

// One tuple an instruction: (statement, line, column, opcode, mnemonic, modifiers, guard, block)
py::list instruction_objects(const LoadedModule& loaded, std::uint32_t index) {
  const Module& module = loaded.module();
  const Function& function = loaded.function(index);
  py::list out;
  if (!function.has_body) return out;
  analysis::Cfg cfg;
  {
    const py::gil_scoped_release released;
    cfg = analysis::build_cfg(module, index, {.post_dominators = false, .loops = false});
  }
  std::vector<py::tuple> modifiers(module.opcode_count());  // an opcode's are the same tuple each time
  for (std::uint32_t i = function.body_begin; i < function.body_end && i < module.statement_count(); ++i) {
    if (i % analysis::statements_between_looks == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
    const Statement statement = module.statement(i);
    if (statement.kind() != StatementKind::instruction) continue;
    const Opcode& opcode = statement.opcode();
    py::tuple& words = modifiers[static_cast<std::size_t>(statement.opcode_id())];
    if (words.empty() && !opcode.modifiers.empty()) {
      words = py::tuple(opcode.modifiers.size());
      for (std::size_t k = 0; k < opcode.modifiers.size(); ++k) words[k] = text_object(opcode.modifiers[k]);
    }
    const Position place = module.position(statement.span());
    const analysis::BlockId block = cfg.block_of(i);
    out.append(py::make_tuple(i, place.line, place.column, text_object(opcode.text), text_object(opcode.mnemonic),
                              words, guard_object(module, function, statement),
                              block == analysis::no_block ? py::object(py::none()) : py::object(py::int_(block))));
  }
  return out;
}

Statement statement_of(const Module& module, std::uint32_t index) {
  if (index >= module.statement_count())
    throw Problem(module.file_name() + ": there is no statement " + std::to_string(index));
  return module.statement(index);
}

py::tuple operand_objects(const LoadedModule& loaded, std::uint32_t function, std::uint32_t index) {
  const Module& module = loaded.module();
  const Function& in = loaded.function(function);
  const OperandRange operands = statement_of(module, index).operands();
  py::tuple out(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) out[i] = operand_object(module, in, operands[i]);
  return out;
}

std::string bytes_of(const py::buffer& buffer) {
  Py_buffer view{};
  if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  std::string text(static_cast<const char*>(view.buf), static_cast<std::size_t>(view.len));
  PyBuffer_Release(&view);
  return text;
}

ModulePointer parse_buffer(const py::buffer& buffer, std::string name) {
  std::string text = bytes_of(buffer);
  constexpr std::size_t at_once = std::size_t{1} << 18U;  // done sooner than anyone presses a key
  if (text.size() <= at_once) {
    const py::gil_scoped_release released;
    return parse_text(std::move(text), std::move(name), Stop(false));
  }
  return interruptible([&](const Stop& stop) { return parse_text(std::move(text), std::move(name), stop); });
}

// A document as text, and the new module's bytes.
template <class Make>
py::tuple new_module(Make make) {
  const NewModule made = interruptible(make);
  return py::make_tuple(made.document, py::bytes(made.text));
}

void define_module_class(py::module_& core) {
  py::class_<LoadedModule, ModulePointer>(core, "Module")
      .def_property_readonly("name", [](const LoadedModule& self) { return text_object(self.module().file_name()); })
      .def("text",
           [](const LoadedModule& self) { return py::bytes(self.module().text().data(), self.module().text().size()); })
      .def("statement_text", [](const LoadedModule& self,
                                std::uint32_t index) { return text_object(statement_of(self.module(), index).text()); })
      .def(
          "overview", [](const LoadedModule& self) { return overview_json(self.module()); }, Released())
      .def(
          "flow",
          [](const LoadedModule& self, std::uint32_t function) {
            return self.function(function).has_body ? flow_json(self.module(), function) : std::string();
          },
          Released())
      .def("params", &LoadedModule::params_json, Released())
      .def("instructions", &instruction_objects)
      .def("operands", &operand_objects)
      .def("value", &LoadedModule::value, Released());
}

void define_documents(py::module_& core) {
  core.def("explain_traps", [](const LoadedModule& module, const Names& kernels, const Names& names,
                               const std::optional<std::array<std::uint32_t, 3>>& grid,
                               const std::optional<std::array<std::uint32_t, 3>>& block, const Names& arguments) {
    std::optional<LaunchShape> shape;
    if (grid && block) shape = LaunchShape{*grid, *block};
    return interruptible(
        [&](const Stop& stop) { return explain_traps_json(module.module(), kernels, names, shape, arguments, stop); });
  });
  core.def("stats", [](const LoadedModule& module, const Names& kernels, bool checks, bool live) {
    return interruptible([&](const Stop& stop) { return stats_json(module.module(), kernels, checks, live, stop); });
  });
  core.def("check", [](const LoadedModule& module, const std::string& target, const std::string& isa,
                       const std::string& cuda, const std::string& driver, const std::string& device, bool all) {
    return interruptible([&](const Stop& stop) {
      return check_json(module.module(), {target, isa, cuda, driver, device}, all, stop);
    });
  });
  core.def("diff", [](const LoadedModule& a, const LoadedModule& b, const Names& kernels) {
    return interruptible([&](const Stop& stop) { return diff_json(a.module(), b.module(), kernels, stop); });
  });
  core.def("cfg", [](const LoadedModule& module, const Names& kernels, bool live) {
    return interruptible([&](const Stop& stop) { return cfg_json(module.module(), kernels, live, stop); });
  });
  core.def("retarget", [](const LoadedModule& module, const std::string& target, const std::string& isa, bool rewrite) {
    return new_module([&](const Stop& stop) { return retarget(module.module(), target, isa, rewrite, stop); });
  });
  core.def("instrument", [](const LoadedModule& module, const Names& names) {
    return new_module([&](const Stop& stop) { return instrument(module.module(), names, stop); });
  });
}

}  // namespace

}  // namespace ptxscope::python

PYBIND11_MODULE(_core, core) {
  using namespace ptxscope::python;
  core.doc() = "The compiled part of ptxscope; use the package itself.";
  core.attr("version") = PTXSCOPE_VERSION;
  auto& error = py::register_exception<Problem>(core, "Error");
  error.doc() = "What was asked could not be done. The message names the place, the reason and a way out.";
  error.attr("__module__") = "ptxscope";
  // Before the one of register_exception: its text may hold bytes that are no UTF-8, of a file's name.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Problem& problem) {
      const py::object type = py::module_::import("ptxscope._core").attr("Error");
      PyErr_SetObject(type.ptr(), text_object(problem.what()).ptr());
    }
  });
  define_module_class(core);
  core.def("parse", &parse_buffer);
  core.def("load", [](const std::string& path) {
    return interruptible([&](const Stop& stop) { return load_module(path, stop); });
  });
  core.def("load_all", [](const std::string& path) {
    return interruptible([&](const Stop& stop) { return load_modules(path, stop); });
  });
  define_documents(core);
}
