#include "app/cli/explain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/runs.h"
#include "base/json_fields.h"
#include "pipeline/dispatch.h"
#include "report/explain.h"

namespace ka::app {

Result<int> run_explain(const Arguments& arguments, AppContext&) {
  KA_ASSIGN(std::string path, named_run(arguments));
  KA_ASSIGN(report::RunView view, report::read_run(path));
  if (view.verdict) view.verdict = pipeline::found_in(std::move(*view.verdict), path);
  for (report::Part& part : view.parts) {
    if (part.verdict) part.verdict = pipeline::found_in(std::move(*part.verdict), path);
  }
  const report::Explanation why = report::explain(view);
  if (arguments.has("--json"))
    fmt::print("{}", to_pretty_json_text(report::to_json(why, view)));
  else
    fmt::print("{}", report::to_text(why, view));
  return 0;
}

}  // namespace ka::app
