#include "pipeline/generated_moves.h"

#include <algorithm>

#include <fmt/format.h>

#include "bridge/captured.h"
#include "pipeline/captured_launches.h"

namespace ka::pipeline {
namespace {

// One number of the facts about a GPU, and what it is taken for instead.
struct Variant {
  const char* what;
  double ir::Gpu::* fact;
  double factor;
};
constexpr Variant kVariants[] = {
    {"launches that cost much", &ir::Gpu::launch_seconds, 32},
    {"launches that cost nothing", &ir::Gpu::launch_seconds, 0},
    {"slow memory", &ir::Gpu::bytes, 0.125},
    {"fast memory", &ir::Gpu::bytes, 8},
    {"slow products of float16 parts", &ir::Gpu::three_products, 0.01},
    {"fast products of float16 parts", &ir::Gpu::three_products, 8},
    {"slow gathered products", &ir::Gpu::gathered_products, 0.01},
    {"fast gathered products", &ir::Gpu::gathered_products, 8},
    {"slow half products", &ir::Gpu::half_products, 0.01},
};

struct Written {
  std::string text, what;
  double seconds = 0;  // by the facts as they are
};

Result<Written> written(const graph::Exported& exported, const std::string& precision, const std::string& title, const ir::Gpu& facts, const GenerateChoices& given) {
  GenerateChoices choices = given;
  choices.gpu = facts;
  codegen::GenerateOptions writing;
  writing.precision = precision;
  writing.title = title;
  writing.version = KA_VERSION;
  writing.gpu = facts;
  Generated made;
  KA_TRY(write_kernels(exported, choices, writing, [](const char*, const std::string&) {}, made));
  capture_launches(made, writing.platform);
  const double seconds = partition::cost_of(made.program.graph, made.plan, precision, given.gpu).seconds;
  return Written{made.file.text, fmt::format("{} launch{}", made.file.launches.size(), made.file.launches.size() == 1 ? "" : "es"), seconds};
}

// Files for one program that differ from each other.
class Files {
 public:
  Files(const graph::Exported& exported, const std::string& precision, const std::string& title, const GenerateChoices& choices)
      : exported_(exported), precision_(precision), title_(title), choices_(choices), gpu_(choices.gpu) {
    add(gpu_, "");
  }

  bool empty() const { return all_.empty(); }

  // As for a GPU with these facts; nothing where it cannot be written so, or is the same as an earlier one.
  void add(const ir::Gpu& facts, const std::string& what) {
    Result<Written> one = written(exported_, precision_, title_, facts, choices_);
    if (!one || std::any_of(all_.begin(), all_.end(), [&](const Written& other) { return other.text == one->text; })) return;
    one->what = fmt::format("the built-in generator's kernels{} ({}, about {})", what, one->what, partition::time_text(one->seconds));
    all_.push_back(std::move(*one));
  }

  // In each form that is not written for this GPU anyway, without each that is, and in all of them.
  void add_forms() {
    for (const ir::FormRow& form : ir::all_forms()) {
      ir::Gpu facts = gpu_;
      if (facts.forms.erase(form.form) == 0) facts.forms.insert(form.form);
      add(facts, fmt::format(" {} the form \"{}\"", gpu_.writes(form.form) ? "without" : "in", form.name));
    }
    ir::Gpu all_forms = gpu_;
    for (const ir::FormRow& form : ir::all_forms()) all_forms.forms.insert(form.form);
    add(all_forms, " in all forms");
  }

  // The cheapest by the cost model first, but for so many that were added first.
  std::vector<optimise::Move> moves(std::size_t from = 0) && {
    std::stable_sort(all_.begin() + static_cast<std::ptrdiff_t>(std::min(from, all_.size())), all_.end(), [](const Written& a, const Written& b) { return a.seconds < b.seconds; });
    std::vector<optimise::Move> out;
    for (std::size_t i = from; i < all_.size(); ++i) {
      out.push_back({std::move(all_[i].text), std::move(all_[i].what), "another_kernel"});
      out.back().anew = true;
    }
    return out;
  }

 private:
  const graph::Exported& exported_;
  const std::string &precision_, &title_;
  const GenerateChoices& choices_;
  const ir::Gpu& gpu_;
  std::vector<Written> all_;  // the first is what the generator writes for this GPU, where it can
};

}  // namespace

std::vector<optimise::Move> generated_moves(const graph::Exported& exported, const std::string& precision, const std::string& title, const GenerateChoices& choices) {
  Files files(exported, precision, title, choices);
  for (const Variant& variant : kVariants) {
    ir::Gpu facts = choices.gpu;
    facts.*variant.fact *= variant.factor;
    files.add(facts, fmt::format(" as for a GPU with {}", variant.what));
  }
  files.add_forms();
  return std::move(files).moves();
}

std::vector<optimise::Move> form_moves(const graph::Exported& exported, const std::string& precision, const std::string& title, const GenerateChoices& choices) {
  Files files(exported, precision, title, choices);
  if (files.empty()) return {};
  files.add_forms();
  return std::move(files).moves(1);
}

Result<std::vector<optimise::Move>> GeneratedFirst::propose(const optimise::Program& program, const optimise::State& state, int bottlenecks) {
  KA_ASSIGN(std::vector<optimise::Move> others, others_.propose(program, state, bottlenecks));
  std::vector<optimise::Move> out;
  if (program.id == 0) out = moves_;
  // Of files that capture nothing yet; the judge refuses those that must not, and the clock those that lose.
  if (Result<std::string> captured = captures_ ? bridge::with_captured_launches(program.text) : Result<std::string>(unsupported("no CUDA")))
    out.push_back({std::move(*captured), "the same kernels, their launches captured as a CUDA graph and replayed", "captured_launches"});
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

}  // namespace ka::pipeline
