// A .tar.gz with the same bytes for the same files, whoever writes it and when: no times, no owners, no compression.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ka {

// `files`: name -> content; names of at most 100 bytes.
std::string tar_gz(const std::map<std::string, std::string>& files);

}  // namespace ka
