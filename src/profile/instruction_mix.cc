#include "profile/instruction_mix.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/strings.h"

namespace ka::profile {
namespace {

// The first row that fits decides. `root`: the name up to its first dot; empty: any. `with`: another part that it must have; empty: none.
struct Row {
  CodeForm form;
  std::string_view root, with, kind;
  bool sized = false;  // the kind is followed by the bits that a thread moves
};

constexpr CodeForm kSass = CodeForm::sass, kPtx = CodeForm::ptx;

constexpr Row kRows[] = {
    {kSass, "LDG", "", "global_load", true},
    {kSass, "LD", "", "global_load", true},
    {kSass, "STG", "", "global_store", true},
    {kSass, "ST", "", "global_store", true},
    {kSass, "LDGSTS", "", "async_copy", true},
    {kSass, "UTMALDG", "", "bulk_copy"},
    {kSass, "UTMASTG", "", "bulk_copy"},
    {kSass, "UBLKCP", "", "bulk_copy"},
    {kSass, "ATOM", "", "atomic"},
    {kSass, "ATOMG", "", "atomic"},
    {kSass, "ATOMS", "", "atomic"},
    {kSass, "RED", "", "atomic"},
    {kSass, "REDG", "", "atomic"},
    {kSass, "LDS", "", "shared_load"},
    {kSass, "LDSM", "", "shared_load"},
    {kSass, "STS", "", "shared_store"},
    {kSass, "STSM", "", "shared_store"},
    {kSass, "LDL", "", "local_load"},
    {kSass, "STL", "", "local_store"},
    {kSass, "HMMA", "TF32", "tensor_tf32"},
    {kSass, "HGMMA", "TF32", "tensor_tf32"},
    {kSass, "HMMA", "", "tensor"},
    {kSass, "HGMMA", "", "tensor"},
    {kSass, "QGMMA", "", "tensor"},
    {kSass, "QMMA", "", "tensor"},
    {kSass, "IMMA", "", "tensor"},
    {kSass, "IGMMA", "", "tensor"},
    {kSass, "DMMA", "", "tensor"},
    {kSass, "UTCHMMA", "", "tensor"},
    {kSass, "UTCQMMA", "", "tensor"},
    {kSass, "UTCIMMA", "", "tensor"},
    {kSass, "MUFU", "", "special"},
    {kSass, "FADD", "", "fp32"},
    {kSass, "FMUL", "", "fp32"},
    {kSass, "FFMA", "", "fp32_fma"},
    {kSass, "FADD2", "", "fp32"},
    {kSass, "FMUL2", "", "fp32"},
    {kSass, "FFMA2", "", "fp32_fma"},
    {kSass, "FMNMX", "", "fp32"},
    {kSass, "FMNMX3", "", "fp32"},
    {kSass, "FSETP", "", "fp32"},
    {kSass, "FSET", "", "fp32"},
    {kSass, "FSEL", "", "fp32"},
    {kSass, "FCHK", "", "fp32"},
    {kSass, "HADD2", "", "fp16"},
    {kSass, "HMUL2", "", "fp16"},
    {kSass, "HFMA2", "", "fp16"},
    {kSass, "HMNMX2", "", "fp16"},
    {kSass, "HSETP2", "", "fp16"},
    {kSass, "HSET2", "", "fp16"},
    {kSass, "DADD", "", "fp64"},
    {kSass, "DMUL", "", "fp64"},
    {kSass, "DFMA", "", "fp64"},
    {kSass, "DSETP", "", "fp64"},
    {kSass, "F2F", "", "convert"},
    {kSass, "F2FP", "", "convert"},
    {kSass, "F2I", "", "convert"},
    {kSass, "I2F", "", "convert"},
    {kSass, "I2FP", "", "convert"},
    {kSass, "FRND", "", "convert"},
    {kSass, "SHFL", "", "shuffle"},
    {kSass, "BAR", "", "barrier"},
    {kSass, "SYNCS", "", "barrier"},
    {kSass, "BRA", "", "branch"},
    {kSass, "BRX", "", "branch"},
    {kSass, "BRXU", "", "branch"},
    {kSass, "CALL", "", "branch"},
    {kSass, "RET", "", "branch"},
    {kSass, "BREAK", "", "branch"},
    {kSass, "IADD3", "", "integer"},
    {kSass, "IADD", "", "integer"},
    {kSass, "IMAD", "", "integer"},
    {kSass, "IMNMX", "", "integer"},
    {kSass, "IABS", "", "integer"},
    {kSass, "ISETP", "", "integer"},
    {kSass, "VIADD", "", "integer"},
    {kSass, "VIMNMX", "", "integer"},
    {kSass, "LEA", "", "integer"},
    {kSass, "LOP3", "", "integer"},
    {kSass, "PLOP3", "", "integer"},
    {kSass, "SHF", "", "integer"},
    {kSass, "PRMT", "", "integer"},
    {kSass, "SGXT", "", "integer"},
    {kSass, "POPC", "", "integer"},
    {kSass, "FLO", "", "integer"},
    {kSass, "UIADD3", "", "integer"},
    {kSass, "UIMAD", "", "integer"},
    {kSass, "ULEA", "", "integer"},
    {kSass, "ULOP3", "", "integer"},
    {kSass, "USHF", "", "integer"},
    {kSass, "UISETP", "", "integer"},
    {kSass, "", "", "other"},

    {kPtx, "ld", "global", "global_load", true},
    {kPtx, "st", "global", "global_store", true},
    {kPtx, "ld", "shared", "shared_load"},
    {kPtx, "st", "shared", "shared_store"},
    {kPtx, "ld", "local", "local_load"},
    {kPtx, "st", "local", "local_store"},
    {kPtx, "ld", "param", "other"},
    {kPtx, "ldmatrix", "", "shared_load"},
    {kPtx, "stmatrix", "", "shared_store"},
    {kPtx, "cp", "bulk", "bulk_copy"},
    {kPtx, "cp", "cg", "async_copy_128"},  // always 16 bytes
    {kPtx, "cp", "ca", "async_copy"},
    {kPtx, "atom", "", "atomic"},
    {kPtx, "red", "", "atomic"},
    {kPtx, "wgmma", "tf32", "tensor_tf32"},
    {kPtx, "wgmma", "mma_async", "tensor"},
    {kPtx, "mma", "tf32", "tensor_tf32"},
    {kPtx, "mma", "", "tensor"},
    {kPtx, "wmma", "mma", "tensor"},
    {kPtx, "tcgen05", "mma", "tensor"},
    {kPtx, "ex2", "", "special"},
    {kPtx, "lg2", "", "special"},
    {kPtx, "rcp", "", "special"},
    {kPtx, "rsqrt", "", "special"},
    {kPtx, "sqrt", "", "special"},
    {kPtx, "sin", "", "special"},
    {kPtx, "cos", "", "special"},
    {kPtx, "tanh", "", "special"},
    {kPtx, "cvt", "", "convert"},
    {kPtx, "shfl", "", "shuffle"},
    {kPtx, "bar", "", "barrier"},
    {kPtx, "barrier", "", "barrier"},
    {kPtx, "mbarrier", "", "barrier"},
    {kPtx, "bra", "", "branch"},
    {kPtx, "brx", "", "branch"},
    {kPtx, "call", "", "branch"},
    {kPtx, "ret", "", "branch"},
    {kPtx, "mov", "", "other"},
    {kPtx, "fma", "f32", "fp32_fma"},
    {kPtx, "", "f32", "fp32"},
    {kPtx, "", "f16", "fp16"},
    {kPtx, "", "f16x2", "fp16"},
    {kPtx, "", "bf16", "fp16"},
    {kPtx, "", "bf16x2", "fp16"},
    {kPtx, "", "f64", "fp64"},
    {kPtx, "", "s32", "integer"},
    {kPtx, "", "u32", "integer"},
    {kPtx, "", "b32", "integer"},
    {kPtx, "", "s64", "integer"},
    {kPtx, "", "u64", "integer"},
    {kPtx, "", "b64", "integer"},
    {kPtx, "", "s16", "integer"},
    {kPtx, "", "u16", "integer"},
    {kPtx, "", "b16", "integer"},
    {kPtx, "", "", "other"},
};

bool has_part(const std::vector<std::string>& parts, std::string_view wanted) {
  return std::any_of(parts.begin() + 1, parts.end(), [&](const std::string& part) { return part == wanted || part.starts_with(std::string(wanted) + "::"); });
}

// "U8", "16", "b32", "v4": the digits at the end, if there is nothing but letters before them.
int digits_of(const std::string& part) {
  const auto first = std::find_if(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  const bool number = first != part.end() && part.end() - first <= 3 && std::all_of(first, part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return number && first - part.begin() <= 1 ? std::stoi(std::string(first, part.end())) : 0;
}

// SASS names the width where it is not 32 bits; PTX the number of elements and their type.
int bits_of(const std::vector<std::string>& parts, CodeForm form) {
  int bits = form == kSass ? 32 : 0, count = 1;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const int number = digits_of(parts[i]);
    if (form == kPtx && parts[i][0] == 'v' && number > 0) count = number;
    else if (number == 8 || number == 16 || number == 32 || number == 64 || number == 128 || number == 256) bits = number;
  }
  return bits * count;
}

bool is_name(std::string_view word, CodeForm form) {
  if (word.empty() || word.size() > 120) return false;
  const unsigned char first = static_cast<unsigned char>(word[0]);
  if (form == kSass ? std::isupper(first) == 0 : std::islower(first) == 0) return false;
  return std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == ':'; });
}

// The instruction's name in a line, without address, braces and predicate; empty for a line without one.
std::string_view name_in(std::string_view line, CodeForm form) {
  const auto skip_blanks = [&] {
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t' || line[0] == '{')) line.remove_prefix(1);
  };
  skip_blanks();
  if (form == kSass) {  // every instruction stands behind its address
    const std::size_t end = line.find("*/");
    if (!line.starts_with("/*") || end == std::string_view::npos) return {};
    line.remove_prefix(end + 2);
    skip_blanks();
  }
  if (line.starts_with("@")) {
    const std::size_t end = line.find_first_of(" \t");
    if (end == std::string_view::npos) return {};
    line.remove_prefix(end);
    skip_blanks();
  }
  const std::string_view name = line.substr(0, line.find_first_of(" \t;,({"));
  const bool ends = line.find(';') != std::string_view::npos || line.find('{') != std::string_view::npos;
  return ends && is_name(name, form) ? name : std::string_view();
}

}  // namespace

std::string instruction_kind(std::string_view mnemonic, CodeForm form) {
  if (!is_name(mnemonic, form)) return "";
  std::vector<std::string> parts = split(mnemonic, '.');
  std::erase(parts, "");
  if (parts.empty()) return "";
  for (const Row& row : kRows) {
    if (row.form != form || (!row.root.empty() && row.root != parts[0]) || (!row.with.empty() && !has_part(parts, row.with))) continue;
    const int bits = row.sized ? bits_of(parts, form) : 0;
    return bits > 0 ? std::string(row.kind) + "_" + std::to_string(bits) : std::string(row.kind);
  }
  return "other";
}

std::map<std::string, std::int64_t> instruction_mix(std::string_view code, CodeForm form) {
  std::map<std::string, std::int64_t> mix;
  while (!code.empty()) {
    const std::size_t end = code.find('\n');
    const std::string_view name = name_in(code.substr(0, end), form);
    code.remove_prefix(end == std::string_view::npos ? code.size() : end + 1);
    if (name.empty() || name == "NOP") continue;
    ++mix[instruction_kind(name, form)];
    ++mix["total"];
  }
  return mix;
}

}  // namespace ka::profile
