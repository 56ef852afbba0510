#include "problem/sentence_ops.h"

#include <algorithm>
#include <array>

namespace ka::problem {
namespace {

constexpr auto kOps = std::to_array<SentenceOp>({
    // Element by element.
    {"relu", "relu|rectified linear unit", OpKind::unary, "torch.relu({x})", false, true},
    {"relu6", "relu6", OpKind::unary, "nn.functional.relu6({x})"},
    {"leaky_relu", "leaky relu|leakyrelu", OpKind::unary, "nn.functional.leaky_relu({x}{n})"},
    {"gelu", "gelu|gaussian error linear unit|exact gelu", OpKind::unary, "nn.functional.gelu({x})"},
    {"gelu_tanh", "tanh gelu|gelu tanh|approximate gelu|fast gelu", OpKind::unary, "nn.functional.gelu({x}, approximate=\"tanh\")"},
    {"silu", "silu|swish", OpKind::unary, "nn.functional.silu({x})"},
    {"mish", "mish", OpKind::unary, "nn.functional.mish({x})"},
    {"elu", "elu", OpKind::unary, "nn.functional.elu({x})"},
    {"selu", "selu", OpKind::unary, "nn.functional.selu({x})"},
    {"sigmoid", "sigmoid|logistic", OpKind::unary, "torch.sigmoid({x})"},
    {"log_sigmoid", "log sigmoid|logsigmoid", OpKind::unary, "nn.functional.logsigmoid({x})"},
    {"hardsigmoid", "hardsigmoid|hard sigmoid", OpKind::unary, "nn.functional.hardsigmoid({x})"},
    {"hardswish", "hardswish|hard swish", OpKind::unary, "nn.functional.hardswish({x})"},
    {"hardtanh", "hardtanh|hard tanh", OpKind::unary, "nn.functional.hardtanh({x})"},
    {"tanh", "tanh|hyperbolic tangent", OpKind::unary, "torch.tanh({x})"},
    {"softplus", "softplus|soft plus", OpKind::unary, "nn.functional.softplus({x})"},
    {"softsign", "softsign|soft sign", OpKind::unary, "nn.functional.softsign({x})"},
    {"exp", "exp|exponential", OpKind::unary, "torch.exp({x})"},
    {"exp2", "exp2", OpKind::unary, "torch.exp2({x})"},
    {"expm1", "expm1", OpKind::unary, "torch.expm1({x})"},
    {"log", "log|logarithm|natural logarithm", OpKind::unary, "torch.log({x})", true},
    {"log2", "log2", OpKind::unary, "torch.log2({x})", true},
    {"log1p", "log1p", OpKind::unary, "torch.log1p({x})", true},
    {"sqrt", "sqrt|square root", OpKind::unary, "torch.sqrt({x})", true},
    {"rsqrt", "rsqrt|inverse square root|reciprocal square root", OpKind::unary, "torch.rsqrt({x})", true},
    {"reciprocal", "reciprocal", OpKind::unary, "torch.reciprocal({x})", true},
    {"square", "square|squares|squared", OpKind::unary, "torch.square({x})", false, true},
    {"abs", "abs|absolute value|absolute values|absolute", OpKind::unary, "torch.abs({x})", false, true},
    {"neg", "neg|negate|negation", OpKind::unary, "torch.neg({x})", false, true},
    {"sign", "sign", OpKind::unary, "torch.sign({x})", false, true},
    {"sin", "sin|sine", OpKind::unary, "torch.sin({x})"},
    {"cos", "cos|cosine", OpKind::unary, "torch.cos({x})"},
    {"erf", "erf|error function", OpKind::unary, "torch.erf({x})"},
    {"floor", "floor", OpKind::unary, "torch.floor({x})"},
    {"ceil", "ceil|ceiling", OpKind::unary, "torch.ceil({x})"},
    {"round", "round", OpKind::unary, "torch.round({x})"},
    // With a number.
    {"scale", "scale by #|scaled by #|scaling by #|multiply by #|multiplied by #|times #|* #", OpKind::scalar, "{x} * {n}", false, true},
    {"divide_by", "divide by #|divided by #|/ #", OpKind::scalar, "{x} / {n}"},
    {"add_number", "add #|plus #|+ #", OpKind::scalar, "{x} + {n}", false, true},
    {"subtract_number", "subtract #|minus #", OpKind::scalar, "{x} - {n}", false, true},
    {"power", "power #|pow #", OpKind::scalar, "torch.pow({x}, {n})", true},
    {"clamp", "clamp|clip", OpKind::clamp, "torch.clamp({x}, {n})", false, true},
    // Two tensors.
    {"add", "add|addition|vector add|vector addition|tensor addition|matrix addition|add two|sum of two|addition of two|residual|residual add|add residual|residual connection|"
        "elementwise add|elementwise addition|elementwise sum|a + b|x + y", OpKind::binary, "{x} + {y}", false, true},
    {"subtract", "subtract|subtraction|difference of two|subtract two|elementwise subtraction|elementwise difference|a - b|x - y", OpKind::binary, "{x} - {y}", false, true},
    {"multiply", "multiply elementwise|multiply two tensors|multiply two vectors|elementwise multiply|elementwise multiplication|elementwise product|elementwise mul|"
        "hadamard product|a * b|x * y|mul", OpKind::binary, "{x} * {y}", false, true},
    {"divide", "elementwise divide|elementwise division|divide two|quotient of two|a / b|x / y|div", OpKind::binary, "{x} / {y}"},
    {"maximum", "elementwise maximum|elementwise max|maximum of two|max of two", OpKind::binary, "torch.maximum({x}, {y})", false, true},
    {"minimum", "elementwise minimum|elementwise min|minimum of two|min of two", OpKind::binary, "torch.minimum({x}, {y})", false, true},
    {"bias", "bias|bias add|add bias|add a bias|bias addition|biasadd", OpKind::bias, "{x} + self.{w}"},
    // Over a dimension.
    {"sum", "sum|sums|reduce sum|sum reduction|summation", OpKind::reduce, "torch.sum({x}{dim})", false, true},
    {"mean", "mean|means|average|averages|mean reduction|reduce mean", OpKind::reduce, "torch.mean({x}{dim})"},
    {"max", "max|maximum|max reduction|reduce max|amax", OpKind::reduce, "torch.amax({x}{dim})", false, true},
    {"min", "min|minimum|min reduction|reduce min|amin", OpKind::reduce, "torch.amin({x}{dim})", false, true},
    {"prod", "prod|product reduction|reduce product", OpKind::reduce, "torch.prod({x}{dim})"},
    {"argmax", "argmax|arg max|index of the maximum", OpKind::reduce, "torch.argmax({x}{dim})"},
    {"argmin", "argmin|arg min|index of the minimum", OpKind::reduce, "torch.argmin({x}{dim})"},
    {"var", "var|variance|variances", OpKind::reduce, "torch.var({x}{dim})"},
    {"std", "std|standard deviation|standard deviations", OpKind::reduce, "torch.std({x}{dim})"},
    {"norm", "l2 norm|euclidean norm|vector norm", OpKind::reduce, "torch.linalg.vector_norm({x}{dim})"},
    {"logsumexp", "logsumexp|log sum exp", OpKind::reduce, "torch.logsumexp({x}{dim})"},
    {"cumsum", "cumsum|cumulative sum|prefix sum|running sum|inclusive scan", OpKind::scan, "torch.cumsum({x}{dim})"},
    {"cumprod", "cumprod|cumulative product|running product", OpKind::scan, "torch.cumprod({x}{dim})"},
    {"softmax", "softmax|soft max", OpKind::along, "torch.softmax({x}{dim})"},
    {"log_softmax", "log softmax|logsoftmax", OpKind::along, "torch.log_softmax({x}{dim})"},
    {"normalize", "l2 normalize|l2 normalization|normalize to unit length", OpKind::normalize, "nn.functional.normalize({x}{dim})"},
    {"layer_norm", "layer norm|layernorm|layer normalization|layer normalisation", OpKind::layer_norm, "LayerNorm"},
    {"rms_norm", "rms norm|rmsnorm|rms normalization|root mean square norm", OpKind::layer_norm, "RMSNorm"},
    {"batch_norm", "batch norm|batchnorm|batch normalization|batch normalisation|batchnorm1d|batchnorm2d|batchnorm3d", OpKind::batch_norm, "BatchNorm"},
    {"instance_norm", "instance norm|instancenorm|instance normalization", OpKind::batch_norm, "InstanceNorm"},
    {"group_norm", "group norm|groupnorm|group normalization", OpKind::group_norm, "GroupNorm"},
    // Products and windows.
    {"matmul", "matmul|mat mul|mm|bmm|gemm|matrix multiplication|matrix multiply|matrix product|matrix multiplications|multiply two matrices|product of two matrices|"
        "multiplication of two matrices|matvec|matrix vector product|matrix vector multiplication|batched matmul|batched matrix multiplication",
     OpKind::matmul, "torch.matmul({x}, {y})"},
    {"dot", "dot product|inner product", OpKind::dot, "torch.dot({x}, {y})"},
    {"linear", "linear|linear layer|fully connected|fully connected layer|dense layer", OpKind::linear, "Linear"},
    {"conv", "conv|convolution|conv layer", OpKind::conv, "Conv"},
    {"conv1d", "conv1d|conv 1d|1d conv|1d convolution|conv1d layer", OpKind::conv, "Conv"},
    {"conv2d", "conv2d|conv 2d|2d conv|2d convolution|conv2d layer", OpKind::conv, "Conv"},
    {"conv3d", "conv3d|conv 3d|3d conv|3d convolution|conv3d layer", OpKind::conv, "Conv"},
    {"max_pool", "max pool|maxpool|max pooling|max pool1d|max pool2d|max pool3d|maxpool1d|maxpool2d|maxpool3d|max pooling layer", OpKind::pool, "max_pool"},
    {"avg_pool", "avg pool|average pool|average pooling|avgpool|avg pool1d|avg pool2d|avg pool3d|avgpool1d|avgpool2d|avgpool3d", OpKind::pool, "avg_pool"},
    {"global_avg_pool", "global average pool|global average pooling|global avg pool", OpKind::global_pool, "torch.mean({x}, dim={dims})"},
    {"attention", "attention|self attention|scaled dot product attention|multi head attention|multihead attention|sdpa|flash attention", OpKind::attention,
        "nn.functional.scaled_dot_product_attention(q, k, v{n})"},
    {"transpose", "transpose|transposition", OpKind::transpose, "{x}.transpose(-2, -1).contiguous()", false, true},
    {"mse_loss", "mse|mse loss|mean squared error|mean squared error loss", OpKind::loss, "nn.functional.mse_loss({x}, {y})"},
    {"l1_loss", "l1 loss|mean absolute error", OpKind::loss, "nn.functional.l1_loss({x}, {y})"},
    {"cross_entropy", "cross entropy|cross entropy loss", OpKind::cross_entropy, "nn.functional.cross_entropy({x}, {y})"},
});

struct Taken {
  OpKind kind;
  std::string_view parameters;
};
constexpr auto kTaken = std::to_array<Taken>({
    {OpKind::unary, " slope "},
    {OpKind::clamp, " range "},
    {OpKind::reduce, " dim all "},
    {OpKind::scan, " dim "},
    {OpKind::along, " dim "},
    {OpKind::normalize, " dim "},
    {OpKind::layer_norm, " dim eps "},
    {OpKind::batch_norm, " eps "},
    {OpKind::group_norm, " groups eps "},
    {OpKind::linear, " from_to outputs bias "},
    {OpKind::conv, " kernel filters stride padding dilation groups depthwise bias "},
    {OpKind::pool, " kernel stride padding "},
    {OpKind::matmul, " m n k "},
    {OpKind::attention, " heads length head_dim batch causal "},
});

}  // namespace

std::span<const SentenceOp> sentence_ops() { return kOps; }

bool takes(OpKind kind, std::string_view parameter) {
  const auto row = std::find_if(kTaken.begin(), kTaken.end(), [&](const Taken& taken) { return taken.kind == kind; });
  return row != kTaken.end() && row->parameters.find(" " + std::string(parameter) + " ") != std::string_view::npos;
}

}  // namespace ka::problem
