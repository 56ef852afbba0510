// One element of the result per lane.
//
//   flat         |<-- BLOCK -->|<-- BLOCK -->|<- ...     a tile of the row-major order of the output
//
//   transposed         x, contiguous where it is         what is read lies along another dimension than what is written:
//                      written ->                        a square of both, so that neither side skips through memory
//      y, contiguous   [ . . . . ]
//      where it is     [ . . . . ]
//      read            [ . . . . ]
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "synth/codegen/family.h"
#include "synth/codegen/layout.h"

namespace ka::codegen {
namespace {

using ir::Sym;
using ir::ValueId;

constexpr int kBlock = 1024;
constexpr std::int64_t kTile = 4096;  // elements of a square
constexpr std::int64_t kSide = 64;

class PointwiseEmitter {
 public:
  explicit PointwiseEmitter(const EmitRequest& request)
      : request_(request), domain_(request.kernel.domain), count_(ir::product(domain_)), context_(context_of(request)), values_(context_, body_) {}

  EmittedKernel run() {
    body_.indent();
    const std::optional<std::size_t> read = read_axis();
    const std::vector<Sym> points = read ? transposed(*read) : flat();
    for (const ValueId output : request_.kernel.outputs) {
      const std::vector<Sym> index = at_points(request_.kernel.index.at(output), points);
      values_.store(output, values_.value(output, index), index);
    }
    out_.name = request_.name;
    out_.num_warps = 4;
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  // The dimension along which most of what is read is contiguous, when it is not the last one, along which is written.
  std::optional<std::size_t> read_axis() const {
    if (domain_.size() < 2 || given_value(request_, count_) < kTile) return std::nullopt;
    std::vector<Sym> points;
    for (std::size_t d = 0; d < domain_.size(); ++d) points.push_back(domain_[d].is(1) ? Sym(0) : Sym::index(fmt::format("at{}", d), domain_[d]));
    const std::size_t last = domain_.size() - 1;
    if (given_value(request_, domain_[last]) == 1) return std::nullopt;
    std::vector<Sym> offsets;
    for (const ValueId output : request_.kernel.outputs) {
      const std::vector<Sym> index = at_points(request_.kernel.index.at(output), points);
      if (index != points) return std::nullopt;
      const std::vector<Sym> more = load_offsets(context_, output, index);
      offsets.insert(offsets.end(), more.begin(), more.end());
    }
    for (std::size_t d = 0; d < last; ++d) {
      if (given_value(request_, domain_[d]) < 8) continue;
      const std::string one = fmt::format("at{}", last), other = fmt::format("at{}", d);
      if (contiguous_axis(offsets, one, other, request_.given) == Contiguous::along_other) return d;
    }
    return std::nullopt;
  }

  std::vector<Sym> flat() {
    for (const char* name : {"i", "i_ok", "BLOCK", "WIDE"}) body_.reserve(name);
    body_.line("i = tl.program_id(0)");
    body_.line("if WIDE:");
    body_.line("    i = i.to(tl.int64)");
    body_.line("i = i * BLOCK + tl.arange(0, BLOCK)");
    body_.line(fmt::format("i_ok = i < {}", values_.text(count_)));
    values_.variable("i", "i_ok");
    out_.constants = {{"BLOCK", fmt::format("{}", kBlock)}, {"WIDE", wide_text(count_)}};
    out_.grid = fmt::format("(triton.cdiv({}, {}),)", count_.text(), kBlock);
    out_.programs = given_value(request_, ir::ceil_div(count_, kBlock));
    return count_.is(1) ? std::vector<Sym>(domain_.size(), Sym(0)) : ir::delinearize(Sym::index("i", count_), domain_);
  }

  std::vector<Sym> transposed(std::size_t read) {
    for (const char* name : {"x", "y", "x_ok", "y_ok", "tile", "rest", "across", "down", "BX", "BY", "WIDE"}) body_.reserve(name);
    const Sym width = domain_.back(), height = domain_[read];
    ir::Shape others;
    for (std::size_t d = 0; d + 1 < domain_.size(); ++d) {
      if (d != read) others.push_back(domain_[d]);
    }
    std::int64_t bx = 1, by = 1;
    while (bx < kSide && bx < given_value(request_, width)) bx *= 2;
    while (bx * by < kTile && by < given_value(request_, height)) by *= 2;
    body_.line("tile = tl.program_id(0)");
    body_.line("if WIDE:");
    body_.line("    tile = tile.to(tl.int64)");
    body_.line(fmt::format("across = tl.cdiv({}, BX)", values_.text(width)));
    body_.line(fmt::format("down = tl.cdiv({}, BY)", values_.text(height)));
    body_.line("x = tile % across * BX + tl.arange(0, BX)[None, :]");
    body_.line("y = tile // across % down * BY + tl.arange(0, BY)[:, None]");
    body_.line(fmt::format("x_ok = x < {}", values_.text(width)));
    body_.line(fmt::format("y_ok = y < {}", values_.text(height)));
    values_.variable("x", "x_ok");
    values_.variable("y", "y_ok");
    const Sym rest = ir::product(others);
    std::vector<Sym> at_others(others.size(), Sym(0));
    if (!rest.is(1)) {
      body_.line("rest = tile // (across * down)");
      values_.variable("rest", "");
      at_others = ir::delinearize(Sym::index("rest", rest), others);
    }
    std::vector<Sym> points;
    std::size_t next = 0;
    for (std::size_t d = 0; d + 1 < domain_.size(); ++d) points.push_back(d == read ? Sym::index("y", height) : at_others[next++]);
    points.push_back(Sym::index("x", width));
    out_.constants = {{"BX", fmt::format("{}", bx)}, {"BY", fmt::format("{}", by)}, {"WIDE", wide_text(count_)}};
    out_.grid = fmt::format("(triton.cdiv({}, {}) * triton.cdiv({}, {}){},)", width.text(), bx, height.text(), by, rest.is(1) ? "" : " * " + rest.operand_text());
    out_.programs = given_value(request_, ir::ceil_div(width, bx) * ir::ceil_div(height, by) * rest);
    return points;
  }

  const EmitRequest& request_;
  const ir::Shape& domain_;
  const Sym count_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
};

}  // namespace

EmittedKernel emit_pointwise(const EmitRequest& request) {
  return PointwiseEmitter(request).run();
}

}  // namespace ka::codegen
