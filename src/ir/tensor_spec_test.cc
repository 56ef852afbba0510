#include "ir/tensor_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace ka::ir {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kBig = INT64_MAX;
constexpr std::uint64_t kFile = 4096;

struct RefusedRow {
  const char* name;
  TensorSpec spec;
  const char* sentence;
};

TEST(TensorSpec, RefusesEachKindOfNonsenseWithASentence) {
  const std::vector<std::int64_t> seventeen(17, 1);
  const RefusedRow rows[] = {
      {"negative size", {DType::float32, {-1}, {1}, 0, 4}, "dimension 0 has the negative size -1"},
      {"smallest size", {DType::float32, {2, INT64_MIN}, {1, 1}, 0, 4}, "dimension 1 has the negative size"},
      {"negative stride", {DType::float32, {2}, {-1}, 4, 8}, "dimension 0 has the negative stride -1"},
      {"too many dims", {DType::float32, seventeen, seventeen, 0, 4}, "17 dimensions; at most 16"},
      {"missing strides", {DType::float32, {2, 3}, {1}, 0, 24}, "2 dimensions but 1 strides"},
      {"numel overflow", {DType::float32, {kBig, kBig}, {0, 0}, 0, 4}, "too many elements"},
      {"numel wraps to 0", {DType::uint8, {1LL << 32, 1LL << 32}, {0, 0}, 0, 1}, "too many elements"},
      {"expanded", {DType::uint8, {1LL << 40}, {0}, 0, 1}, "too many elements"},
      {"stride overflow", {DType::float32, {3}, {kBig}, 0, 4}, "spans more bytes than there can be"},
      {"sum overflow", {DType::uint8, {2, 2}, {kBig, kBig}, 0, 4}, "spans more bytes than there can be"},
      {"span + 1 overflow", {DType::uint8, {2}, {kBig}, 0, 4}, "spans more bytes than there can be"},
      {"bytes overflow", {DType::float64, {2}, {kBig / 8 + 1}, 0, 4}, "spans more bytes than there can be"},
      {"misaligned", {DType::float32, {1}, {1}, 2, 4}, "offset 2 is not a multiple of 4"},
      {"absurd nbytes", {DType::float32, {1}, {1}, 0, UINT64_MAX}, "at most 549755813888"},
      {"beyond the end", {DType::float32, {1}, {1}, kFile - 4, 8}, "reach beyond the end of the file (4096 bytes)"},
      {"offset beyond", {DType::float32, {1}, {1}, kFile + 4, 0}, "reach beyond the end of the file"},
      {"offset wraps", {DType::float32, {2}, {1}, UINT64_MAX - 3, 8}, "reach beyond the end of the file"},
      {"too few bytes", {DType::float32, {2, 3}, {3, 1}, 0, 20}, "float32[2, 3] spans 24 bytes, the spec says 20"},
      {"too few, strided", {DType::int8, {2, 3}, {1, 2}, 0, 5}, "int8[2, 3] strides [1, 2] spans 6 bytes"},
  };
  for (const RefusedRow& row : rows) {
    Status status = check_spec(row.spec, kFile);
    ASSERT_FALSE(status) << row.name;
    EXPECT_EQ(status.error().kind, ErrorKind::invalid_input) << row.name;
    EXPECT_THAT(status.error().message, HasSubstr(row.sentence)) << row.name;
  }
}

TEST(TensorSpec, AcceptsWhatIsInside) {
  EXPECT_TRUE(check_spec({DType::float32, {}, {}, 0, 4}, 4));
  EXPECT_TRUE(check_spec({DType::float32, {2, 3}, {3, 1}, kFile - 24, 24}, kFile));
  EXPECT_TRUE(check_spec({DType::float32, {2, 3}, {1, 2}, 0, 24}, 24));
  EXPECT_TRUE(check_spec({DType::float64, {1000, 1000}, {0, 0}, 8, 8}, 16));
  EXPECT_TRUE(check_spec({DType::float32, {0, kBig, kBig}, {kBig, kBig, kBig}, 0, 0}, 0));
  EXPECT_TRUE(check_spec({DType::float32, {0}, {1}, kFile, 0}, kFile));
  EXPECT_TRUE(check_spec({DType::uint8, {1, 1}, {kBig, kBig}, 0, 1}, 1)) << "strides of size 1 are never used";
}

TEST(TensorSpec, DenseBytesAreCountedExactly) {
  const TensorSpec sliced{DType::float32, {2, 3}, {64, 1}, 0, 24};
  EXPECT_TRUE(check_spec(sliced, 24, Storage::dense));
  EXPECT_FALSE(check_spec(sliced, 24, Storage::strided));
  for (std::uint64_t nbytes : {0u, 20u, 28u}) {
    TensorSpec wrong = sliced;
    wrong.nbytes = nbytes;
    Status status = check_spec(wrong, 64, Storage::dense);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("needs 24 bytes, the spec says"));
  }
  EXPECT_FALSE(check_spec({DType::float32, {3}, {kBig}, 0, 12}, 64, Storage::dense)) << "still no overflow anywhere";
}

// Hostile numbers at random; an accepted spec must be inside the file by arithmetic that cannot overflow.
TEST(TensorSpec, AcceptedMeansInsideWhateverTheNumbers) {
  std::mt19937_64 random(7);
  const std::int64_t values[] = {0, 1, 2, 3, 7, 64, 1 << 20, 1LL << 31, 1LL << 32, 1LL << 36, 1LL << 62,
                                 kBig, kBig - 1, INT64_MIN, -1, 4095};
  const std::uint64_t places[] = {0, 1, 2, 4, 8, 64, 4088, 4095, 4096, 4097, 1ULL << 39, 1ULL << 63, UINT64_MAX};
  int accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    TensorSpec spec;
    spec.dtype = static_cast<DType>(random() % 10);
    const std::size_t dims = random() % 4;
    for (std::size_t d = 0; d < dims; ++d) {
      spec.shape.push_back(values[random() % (round % 2 == 0 ? 6 : std::size(values))]);
      spec.strides.push_back(values[random() % (round % 2 == 0 ? 6 : std::size(values))]);
    }
    spec.offset = places[random() % std::size(places)];
    spec.nbytes = places[random() % std::size(places)];
    if (!check_spec(spec, kFile)) continue;
    ++accepted;
    __extension__ using Wide = __int128;
    Wide last = 0;
    Wide count = 1;
    for (std::size_t d = 0; d < dims; ++d) {
      count *= spec.shape[d];
      last += static_cast<Wide>(spec.shape[d] - 1) * spec.strides[d];
    }
    if (count == 0) continue;
    const Wide end = static_cast<Wide>(spec.offset) + (last + 1) * static_cast<Wide>(size_of(spec.dtype));
    ASSERT_LE(end, static_cast<Wide>(kFile)) << describe(spec);
    ASSERT_EQ(static_cast<Wide>(numel(spec)), count);
    ASSERT_LE(span_bytes(spec), spec.nbytes);
  }
  EXPECT_GT(accepted, 1000) << "the generator must produce acceptable specs too";
}

TEST(TensorSpec, DenseSpecFillsInTheRest) {
  Result<TensorSpec> spec = dense_spec(DType::float16, {4, 0, 5}, 64);
  ASSERT_TRUE(spec);
  EXPECT_EQ(*spec, (TensorSpec{DType::float16, {4, 0, 5}, {5, 5, 1}, 64, 0}));
  spec = dense_spec(DType::int64, {2, 3}, 0);
  ASSERT_TRUE(spec);
  EXPECT_EQ(*spec, (TensorSpec{DType::int64, {2, 3}, {3, 1}, 0, 48}));
  EXPECT_TRUE(is_contiguous(*spec));
  EXPECT_FALSE(dense_spec(DType::int64, {kBig, 2}));
  EXPECT_FALSE(dense_spec(DType::int64, {-1}));
  EXPECT_FALSE(dense_spec(DType::int64, {1LL << 40}));
  EXPECT_FALSE(dense_spec(DType::int64, {1}, 3));
  EXPECT_FALSE(dense_spec(DType::int64, std::vector<std::int64_t>(17, 1)));
}

TEST(TensorSpec, ContiguousAsPyTorchSaysIt) {
  EXPECT_TRUE(is_contiguous({DType::float32, {}, {}, 0, 4}));
  EXPECT_TRUE(is_contiguous({DType::float32, {2, 1, 3}, {3, 99, 1}, 0, 24}));
  EXPECT_TRUE(is_contiguous({DType::float32, {0, 3}, {7, 7}, 0, 0}));
  EXPECT_FALSE(is_contiguous({DType::float32, {2, 3}, {1, 2}, 0, 24}));
  EXPECT_FALSE(is_contiguous({DType::float32, {2, 3}, {0, 1}, 0, 24}));
  EXPECT_FALSE(is_contiguous({DType::float32, {kBig, kBig}, {1, 1}, 0, 24}));
}

TEST(TensorSpec, JsonFormRoundTrips) {
  const TensorSpec spec{DType::float32, {2, 3}, {3, 1}, 64, 24};
  EXPECT_EQ(to_json(spec).dump(),
            R"({"dtype":"float32","nbytes":24,"offset":64,"shape":[2,3],"strides":[3,1]})");
  for (const DTypeInfo& row : all_dtypes()) {
    TensorSpec other = spec;
    other.dtype = row.dtype;
    Result<TensorSpec> read = tensor_spec_from_json(Json::parse(to_json(other).dump()));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, other);
  }
  Result<TensorSpec> placeless = tensor_spec_from_json(Json::parse(R"({"dtype":"bool","shape":[],"strides":[]})"));
  ASSERT_TRUE(placeless);
  EXPECT_EQ(*placeless, (TensorSpec{DType::bool_, {}, {}, 0, 0}));
  EXPECT_FALSE(check_spec(*placeless, 4096)) << "a spec with no place cannot be read through";
}

TEST(TensorSpec, JsonOfTheWrongFormIsNamed) {
  const std::pair<const char*, const char*> rows[] = {
      {"[]", "must be a JSON object"},
      {R"({"shape":[],"strides":[]})", "without the field 'dtype'"},
      {R"({"dtype":3,"shape":[],"strides":[]})", "'dtype' of a tensor spec must be a string"},
      {R"({"dtype":"complex64","shape":[],"strides":[]})", "complex64 is not supported"},
      {R"({"dtype":"int8","strides":[]})", "without the field 'shape'"},
      {R"({"dtype":"int8","shape":[]})", "without the field 'strides'"},
      {R"({"dtype":"int8","shape":3,"strides":[]})", "'shape' of a tensor spec must be an array"},
      {R"({"dtype":"int8","shape":[1.5],"strides":[1]})", "'shape' of a tensor spec must hold 64-bit integers"},
      {R"({"dtype":"int8","shape":[true],"strides":[1]})", "'shape' of a tensor spec must hold 64-bit integers"},
      {R"({"dtype":"int8","shape":["2"],"strides":[1]})", "'shape' of a tensor spec must hold 64-bit integers"},
      {R"({"dtype":"int8","shape":[9223372036854775808],"strides":[1]})", "must hold 64-bit integers"},
      {R"({"dtype":"int8","shape":[1e30],"strides":[1]})", "must hold 64-bit integers"},
      {R"({"dtype":"int8","shape":[],"strides":[],"offset":-1})", "'offset' of a tensor spec is negative: -1"},
      {R"({"dtype":"int8","shape":[],"strides":[],"nbytes":18446744073709551615})", "must hold 64-bit integers"},
      {R"({"dtype":"int8","shape":[],"strides":[],"nbytes":null})", "'nbytes' of a tensor spec must hold"},
      {R"({"dtype":"int8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"strides":[]})", "has 17 entries"},
  };
  for (const auto& [text, sentence] : rows) {
    Result<TensorSpec> read = tensor_spec_from_json(Json::parse(text));
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(sentence)) << text;
  }
}

}  // namespace
}  // namespace ka::ir
