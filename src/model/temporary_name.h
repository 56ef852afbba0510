// The names that os::write_file_atomic gives to files that are not finished: the name of the file, ".tmp", and some
// letters, digits and dashes ("kernel.py.tmp1234-5"). Nothing else in a run directory may be called like that.
#pragma once

#include <string_view>

namespace ka::model {

bool is_temporary_name(std::string_view name);

}  // namespace ka::model
