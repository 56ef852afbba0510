#include "app/cli/report.h"

#include <fmt/format.h>

#include "app/cli/runs.h"
#include "base/quantity.h"
#include "os/files.h"
#include "report/page.h"

namespace ka::app {

Result<int> run_report(const Arguments& arguments, AppContext&) {
  KA_ASSIGN(std::string path, named_run(arguments));
  std::string out = fmt::format("{}/{}", path, report::kPageName);
  if (arguments.has("--out")) {
    KA_ASSIGN(out, arguments.required("--out"));
    if (os::is_directory(out))
      return invalid_input(fmt::format("--out: {} is a folder; accepted: the name of a file", out));
  }
  KA_ASSIGN(report::RunView view, report::read_run(path));
  const std::string page = report::report_page(view);
  if (out == "-") {
    fmt::print("{}", page);
    return 0;
  }
  if (Status written = os::write_file_atomic(out, page); !written)
    return Error{written.error().kind, written.error().message + "; --out names another place"};
  fmt::print("{}: {}\n", out, bytes_text(page.size()));
  for (const std::string& complaint : view.complaints) fmt::print("not shown: {}\n", complaint);
  return 0;
}

}  // namespace ka::app
