// Fields of a JSON object that this version of the program does not know: name -> JSON text. They are kept when a value
// is read and written back with it, so that an older program does not lose what a newer one has written.
#pragma once

#include <map>
#include <string>

namespace ka::model {
using UnknownFields = std::map<std::string, std::string>;
}  // namespace ka::model
