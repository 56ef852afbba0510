// So many at a time: whoever works takes a place, and waits where there is none. Given back when the Place ends.
//
//   Places places(4);
//   KA_ASSIGN(const Places::Place place, places.take(cancel));
#pragma once

#include <cstddef>
#include <utility>

#include "base/result.h"
#include "os/cancel.h"
#include "os/unique_fd.h"

namespace ka::os {

class Places {
 public:
  class Place {
   public:
    Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place();

   private:
    friend class Places;
    explicit Place(const Places& places) : places_(&places) {}
    const Places* places_;
  };

  // A Place must not outlive them.
  explicit Places(std::size_t count);
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  // Thread-safe. Errors: `cancelled`, and that no descriptor was left when they were made.
  Result<Place> take(const CancelToken& cancel) const;
  std::size_t count() const { return count_; }

 private:
  const std::size_t count_;
  UniqueFd free_;  // an eventfd that counts the places
};

}  // namespace ka::os
