// Run directories for the tests of this folder.
#pragma once

#include <map>
#include <string>

#include "model/route.h"
#include "model/run_summary.h"
#include "model/subgraph.h"
#include "model/verdict.h"

namespace ka::report {

void put(const std::string& path, std::string_view text);  // makes the folders on the way

// <root>/.fuse/<id> with run.json, these artefacts and a journal that vouches for them. Returns its path.
std::string make_run(const std::string& root, const std::string& id, const std::string& created,
                     const std::map<std::string, std::string>& artifacts = {});

model::RunSummary summary(const std::string& id, bool success = true, bool verified = true);
model::Verdict accepted_verdict();
model::Verdict refused_verdict();
model::Route fuse_route();
// A linear layer with relu, from "x" to `output`.
model::Subgraph linear_part(const std::string& id);

std::string text(const model::RunSummary& value);
std::string text(const model::Verdict& value);
std::string text(const model::Route& value);

}  // namespace ka::report
