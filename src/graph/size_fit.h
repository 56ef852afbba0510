// Which numbers of a program follow from which size. The program was exported at several sizes; a number that was 4096, 64
// and 65 is the symbol whose extent was 4096, 64 and 65, and one that was 3 every time is 3.
//
//   SizeFit fit(exported);            // symbols from the arguments: batch = 4096, 64, 65
//   fit.express({8192, 128, 130})     // 2*batch
//
// Symbols are extents of arguments that differ between samples, named after the problem's constant of the same values. An extent
// that the program cuts into equal parts (channels into heads) is that many times a symbol for one part: so it is known that
// nothing is left over, and a reshape there undoes a reshape back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/exported.h"
#include "ir/graph.h"

namespace ka::graph {

// One number per sample.
using Numbers = std::vector<std::int64_t>;

class SizeFit {
 public:
  explicit SizeFit(const Exported& exported);

  // The simplest expression over the symbols that gives these numbers; nothing when none is found.
  std::optional<ir::Sym> express(const Numbers& numbers) const;
  // A size times a fraction of small numbers, rounded down: of numbers in the program that nothing else explains, never of extents of arguments.
  std::optional<ir::Sym> fraction(const Numbers& numbers) const;
  // A number whose square times a constant is an extent of an argument (the side of a square patch, where a weight has one
  // column per pixel): a new symbol, the last of sources(). Nothing when there is no such extent.
  std::optional<ir::Sym> root(const Numbers& numbers);
  // Remembers an expression that the program has (the extent of an intermediate value), to be found again.
  void remember(const ir::Sym& expression);
  // A size that the program computes from others and calls by a name of its own.
  void derive(const std::string& name, const ir::Sym& expression);
  // The value of an expression in each sample.
  std::optional<Numbers> values(const ir::Sym& expression) const;

  // The shape of argument number i.
  const ir::Shape& argument_shape(std::size_t i) const { return argument_shapes_[i]; }
  // Symbols with the argument (its position in the export) and dimension where a running program finds them.
  struct Source {
    std::string symbol;
    std::size_t argument;
    int dim;
    std::int64_t given;
    std::int64_t per_square = 0;  // 0: the symbol is the extent; k: the extent is k times its square
    std::string whole = {};       // the symbol of which this is one of `parts` equal parts, or empty: then argument and dim hold
    std::int64_t parts = 1;
  };
  const std::vector<Source>& sources() const { return sources_; }
  std::size_t samples() const { return samples_; }

 private:
  struct Symbol {
    ir::Sym sym;
    Numbers numbers;
  };
  std::optional<ir::Sym> affine(const Numbers& numbers) const;
  std::optional<ir::Sym> quotient(const Numbers& numbers) const;
  std::optional<ir::Sym> products(const Numbers& numbers) const;
  void find_parts();
  void split(std::size_t symbol, std::int64_t parts);
  void add_symbol(const std::string& name, const Numbers& numbers, std::size_t argument, int dim);

  const Exported& exported_;
  std::size_t samples_;
  std::vector<Symbol> symbols_;
  std::vector<std::map<std::string, std::int64_t>> bound_;  // by sample: the symbols' values
  std::map<Numbers, ir::Sym> known_;
  std::vector<Source> sources_;
  std::vector<ir::Shape> argument_shapes_;
};

}  // namespace ka::graph
