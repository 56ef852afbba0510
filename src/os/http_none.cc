#include "os/http.h"

namespace ka::os {

bool http_available() {
  return false;
}

struct HttpClient::Pool {};
HttpClient::HttpClient() = default;
HttpClient::~HttpClient() = default;

Result<HttpHead> HttpClient::call(const HttpRequest&, const HttpEvents&, const CancelToken&) {
  return environment_error("this build has no HTTP client (it was built without libcurl), so no language model can be asked");
}

}  // namespace ka::os
