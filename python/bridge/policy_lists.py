"""The allow-lists of the source policy, as data.

A kernel file may refer to what is listed here, to what it defines itself, and to nothing else. Paths are full dotted names
after every alias has been resolved (`import torch as t; t.empty` is `torch.empty`). Growing the policy is adding a word here.
"""

import itertools
import math

from ka_bridge import policy_messages


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def under(prefix: str, text: str) -> frozenset[str]:
    return frozenset(f"{prefix}.{word}" for word in text.split())


def public(module: object) -> frozenset[str]:
    return frozenset(name for name in dir(module) if not name.startswith("_"))


# Modules that may be imported, and through which names are reached. A module is never a value: it cannot be passed, stored in
# a container or returned, so that no name can be reached in a way that is not visible here.
MODULES = words("""
    torch torch.cuda torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.autograd torch.version
    triton triton.language triton.language.math triton.language.extra triton.language.extra.libdevice
    triton.language.extra.cuda triton.language.extra.cuda.libdevice triton.tools triton.tools.tensor_descriptor
    triton.runtime triton.runtime.driver triton.runtime.driver.active triton.runtime.driver.active.utils triton.testing
    math typing dataclasses functools itertools collections collections.abc enum numbers warnings logging __future__
""")

# Element types, memory formats: plain constants whose own attributes are those of a value.
DTYPES = words("""
    float64 double float32 float float16 half bfloat16 int64 long int32 int int16 short int8 uint8 uint16 uint32 uint64 bool
    float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz complex64 complex128
""")
TL_DTYPES = words("""
    float64 float32 float16 bfloat16 int64 int32 int16 int8 int1 uint64 uint32 uint16 uint8 float8e4nv float8e5 float8e4b15
    float8e4b8 float8e5b16 void pi32_t
""")
CONSTANTS = (
    under("torch", " ".join(DTYPES)) | under("triton.language", " ".join(TL_DTYPES))
    | under("torch", "strided contiguous_format channels_last channels_last_3d preserve_format inf nan pi e newaxis")
    | under("math", "pi e tau inf nan")
    | policy_messages.CONSTANTS
    | words("torch.__version__ triton.__version__ torch.version.cuda torch.version.hip typing.TYPE_CHECKING")
)

# PyTorch on the host: allocation, fills, metadata, views. Nothing that computes a tensor from a tensor.
TORCH = (
    under("torch", """
        device dtype Tensor Size memory_format
        empty empty_like empty_strided zeros zeros_like ones ones_like full full_like tensor
        finfo iinfo is_tensor is_floating_point is_complex numel promote_types result_type get_default_dtype can_cast broadcast_shapes
        no_grad inference_mode enable_grad is_grad_enabled set_grad_enabled
        set_float32_matmul_precision
        reshape permute transpose t squeeze unsqueeze flatten unflatten movedim moveaxis swapaxes swapdims broadcast_to
        broadcast_tensors as_strided narrow select unbind split chunk
    """)
    | under("torch.cuda", """
        is_available current_device device device_of device_count get_device_properties get_device_capability get_device_name
        synchronize is_bf16_supported set_device
    """)
    | words("torch.nn.Module torch.autograd.Function torch.nn.parameter.Parameter torch.nn.Parameter")
)

# Settings of PyTorch's own computations, of which a kernel file has none: they may be assigned True or False.
SETTINGS = under("torch.backends", """
    cuda.matmul.allow_tf32 cuda.matmul.allow_fp16_reduced_precision_reduction cuda.matmul.allow_bf16_reduced_precision_reduction
    cudnn.allow_tf32 cudnn.benchmark cudnn.deterministic
""")

# Random numbers: only where the reference draws them too, or where a ModelNew makes its weights. Seeds: only where it draws none, and they mean nothing.
RANDOM = under("torch", "rand randn rand_like randn_like randint randint_like randperm bernoulli normal native_dropout")
SEEDS = words("torch.manual_seed torch.cuda.manual_seed torch.cuda.manual_seed_all")
RANDOM_METHODS = words("bernoulli_ uniform_ normal_ exponential_ random_")

# Layers that a ModelNew may construct, in the methods that build it, to own weights under the reference's names.
LAYERS = under("torch.nn", """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout
    AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Buffer CELU CTCLoss
    ConstantPad1d ConstantPad2d ConstantPad3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
    CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag
    Flatten Fold GELU GLU GRU GRUCell GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss
    Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LSTM LSTMCell LayerNorm
    LeakyReLU Linear LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d
    Mish ModuleDict ModuleList MultiMarginLoss MultiheadAttention NLLLoss PReLU PairwiseDistance ParameterDict
    ParameterList PixelShuffle PixelUnshuffle RMSNorm RNN RNNCell RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d
    ReplicationPad1d ReplicationPad2d SELU Sequential SiLU Sigmoid SmoothL1Loss Softmax Softmax2d Softmin Softplus Softshrink
    Softsign Tanh Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
    TransformerEncoderLayer TripletMarginLoss Unflatten Unfold Upsample ZeroPad1d ZeroPad2d ZeroPad3d
""")
LAYER_LISTS = words("torch.nn.ModuleList torch.nn.ModuleDict torch.nn.ParameterList torch.nn.ParameterDict")
PARAMETERS = words("torch.nn.Parameter torch.nn.parameter.Parameter torch.nn.Buffer") | LAYER_LISTS
INITIALISERS = under("torch.nn.init", """
    calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_ trunc_normal_
    uniform_ xavier_normal_ xavier_uniform_ zeros_ _calculate_fan_in_and_fan_out
""")
BUILDING_METHODS = words("__init__ reset_parameters")
# Tables that a constructor makes (positions, masks, cosines of a rotary embedding) and keeps as buffers: calls in __init__ alone, which sees no input.
TABLES = under("torch", "abs arange cat cos cumsum exp eye flip floor linspace log logspace meshgrid outer pow repeat_interleave rsqrt sin sqrt stack tile tril triu where")
TABLE_METHODS = words("""
    abs add clamp cos cumsum div eq exp flip floor ge gt le log log2 lt masked_fill masked_fill_ max mean min mul ne neg pow repeat repeat_interleave rsqrt sin sqrt sub sum
    tile tril triu type_as
""")
BUILDING_PREFIXES = ("_make", "make_", "_build", "build_", "_init", "init_")

# Triton on the host.
DECORATORS = words("triton.jit triton.autotune triton.heuristics")
TRITON = DECORATORS | words("""
    triton.Config triton.cdiv triton.next_power_of_2 triton.set_allocator triton.OutOfResources
    triton.runtime.driver.active.get_active_torch_device triton.runtime.driver.active.get_current_target
    triton.runtime.driver.active.utils.get_device_properties triton.testing.perf_report triton.testing.Benchmark
    triton.tools.tensor_descriptor.TensorDescriptor triton.tools.tensor_descriptor.TensorDescriptor.from_tensor
""")

# Triton's language. Left out on purpose: extern_elementwise (foreign code), core, standard and random (Python internals behind
# the public names), str_to_ty (evaluates text).
TL_MATH = "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
ATOMICS = words("atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor")
LANGUAGE = under("triton.language", TL_MATH + " " + " ".join(ATOMICS) + """
    PropagateNan TRITON_MAX_TENSOR_NUMEL add advance arange argmax argmin associative_scan assume bitonic_merge block_type
    broadcast broadcast_to cast cat cdiv clamp condition const constexpr constexpr_type cumprod cumsum debug_barrier
    device_assert device_print dot dot_scaled dtype expand_dims flip full gather histogram inline_asm_elementwise interleave join
    load load_tensor_descriptor make_block_ptr make_tensor_descriptor map_elementwise max max_constancy max_contiguous maximum
    min minimum mul multiple_of num_programs pair_uniform_to_normal permute philox pointer_type program_id rand rand4x randint
    randint4x randn randn4x range ravel reduce reduce_or reshape sigmoid slice softmax sort split squeeze static_assert
    static_print static_range store store_tensor_descriptor sub sum swizzle2d tensor tensor_descriptor to_tensor topk trans tuple
    uint_to_uniform_float unsqueeze view where xor_sum zeros zeros_like
""") | under("triton.language.PropagateNan", "ALL NONE") | under("triton.language.math", TL_MATH) | under("triton.language.extra.cuda", """
    num_threads num_warps gdc_launch_dependents gdc_wait
""")
# Left out with a reason that is shown.
REASONS = {
    "triton.language.extra.cuda.globaltimer": "the answer of a kernel must depend on its inputs, not on the clock",
    "triton.language.extra.cuda.smid": "the answer of a kernel must depend on its inputs, not on which multiprocessor runs a program",
    "torch.cuda.Stream": "kernels are launched on the current stream",
    "torch.cuda.stream": "kernels are launched on the current stream",
    "torch.cuda.CUDAGraph": "only the class Captured, word for word, captures launches: kernelagent writes it with --forms graphs",
    "torch.cuda.graph": "only the class Captured, word for word, captures launches: kernelagent writes it with --forms graphs",
    "torch.cuda.current_stream": "kernels are launched on the current stream; no handle is needed",
    "torch.arange": "compute the indices inside the kernel with tl.arange",
    "torch.cat": "let the kernel write each part into one torch.empty",
    "torch.stack": "let the kernel write each part into one torch.empty",
    "triton.testing.do_bench": "timing belongs under if __name__ == \"__main__\":",
    "os.environ": "the settings of a process are not the kernel's business; leave it out",
    "triton.constexpr_function": "not followed by this judge; compute the number in host code and pass it as tl.constexpr",
    "triton.language.extern_elementwise": "foreign code; libdevice functions are called by name",
}
LIBDEVICE = words("triton.language.extra.libdevice triton.language.extra.cuda.libdevice")

# Instructions that inline assembly may use: arithmetic on registers. No memory, no control flow, no special registers.
ASSEMBLY = words("""
    abs add and bfe bfi bfind brev clz cnot copysign cos cvt div dp2a dp4a ex2 fma fns lg2 lop3 mad mad24 max min mov mul mul24
    neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub tanh testp xor
""")

# The standard library: what computes on Python values only.
STANDARD = (
    frozenset(f"math.{name}" for name in public(math)) | frozenset(f"itertools.{name}" for name in public(itertools))
    | words("itertools.chain.from_iterable")
    | policy_messages.CALLS
    | under("functools", "cache cached_property cmp_to_key lru_cache partial reduce wraps")
    | under("dataclasses", "dataclass field replace asdict astuple KW_ONLY InitVar")
    | under("collections", "namedtuple defaultdict OrderedDict deque Counter ChainMap")
    | under("collections.abc", "Callable Iterable Iterator Sequence Mapping MutableMapping Hashable Sized Generator")
    | under("enum", "Enum IntEnum Flag IntFlag auto unique")
    | under("numbers", "Number Real Integral Rational Complex")
    | under("__future__", "annotations")
    | under("typing", """
        Any AnyStr Annotated Callable ClassVar DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable Iterator
        List Literal Mapping MutableMapping MutableSequence NamedTuple NewType NoReturn Optional Protocol Self Sequence Set Sized
        SupportsFloat SupportsInt Text Tuple Type TypeAlias TypedDict TypeVar Union cast final
    """)
)

# Python's own names. Left out on purpose: whatever turns text into code or names into objects (eval, getattr, type, vars ...),
# whatever reaches the process (open, input, exit), and identity (id), on which caches of answers are built.
BUILTINS = under("builtins", """
    range len int float bool str tuple list dict set frozenset complex bytes slice object isinstance issubclass callable hasattr
    min max abs sum pow round divmod any all zip enumerate sorted reversed map filter iter next print repr hex bin oct ord
    chr property staticmethod super Ellipsis NotImplemented
    Exception ArithmeticError AssertionError AttributeError BaseException DeprecationWarning FloatingPointError ImportError
    IndexError KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OverflowError RuntimeError
    RuntimeWarning StopIteration TypeError UserWarning ValueError Warning ZeroDivisionError dict.fromkeys
""")
BUILTINS_IN_KERNELS = under("builtins", "range len int float bool tuple list isinstance min max abs print sum slice")

# Names with a restricted position (see policy.py): class bases only, decorators only.
BASES = words("""
    builtins.object torch.nn.Module torch.autograd.Function enum.Enum enum.IntEnum enum.Flag enum.IntFlag
    typing.NamedTuple typing.TypedDict typing.Protocol typing.Generic
""") | frozenset(n for n in BUILTINS if n.endswith(("Error", "Exception", "Warning")) and "Base" not in n)
ONLY_BASES = words("enum.Enum enum.IntEnum enum.Flag enum.IntFlag torch.autograd.Function torch.nn.Module")
ONLY_DECORATORS = words("builtins.property builtins.staticmethod functools.wraps functools.cached_property enum.unique")
METHOD_DECORATORS = words("""
    builtins.property builtins.staticmethod functools.cached_property torch.no_grad torch.inference_mode
    torch.enable_grad
""")

# Names that Triton's interpreter writes into the kernels it runs: a variable of that name would be called in their place.
RESERVED = words("interpreter_semantic interpreter_semantic_taken interpreter_builder")

# The methods of an autograd function that PyTorch calls: the first argument is the context (but reached through `apply` alone).
FUNCTION_METHODS = words("forward backward setup_context")

# Dunder methods that an own class may define.
CLASS_DUNDERS = words("__init__ __call__ __post_init__ __slots__ __constants__")

# Attributes of any value on the host whose kind the reader of the source cannot know. Harmless whatever the value is: on a tensor
# metadata, views and allocation; otherwise methods of containers, strings and numbers.
VALUE_ATTRIBUTES = words("""
    shape size stride dim ndim ndimension numel nelement dtype device layout is_contiguous contiguous
    view view_as reshape reshape_as flatten unflatten permute transpose swapaxes swapdims movedim moveaxis t T mT squeeze
    unsqueeze expand expand_as broadcast_to as_strided narrow select unbind split chunk tensor_split unfold
    new_empty new_empty_strided new_zeros new_ones new_full zero_ fill_ data_ptr element_size itemsize nbytes storage_offset
    is_cuda is_cpu is_floating_point is_complex is_signed requires_grad requires_grad_ detach to float half bfloat16 double int
    long bool type get_device cuda data
    append extend insert pop popitem remove reverse clear copy get items keys values update setdefault count
    union intersection difference issubset issuperset discard move_to_end most_common appendleft popleft
    join startswith endswith lower upper strip lstrip rstrip replace rsplit splitlines isdigit isalnum removeprefix removesuffix
    find rfind partition rpartition title capitalize zfill ljust rjust center
    bit_length is_integer as_integer_ratio start stop step name value args
    major minor multi_processor_count total_memory warp_size max_threads_per_multi_processor regs_per_multiprocessor
    shared_memory_per_block shared_memory_per_block_optin shared_memory_per_multiprocessor L2_cache_size gcnArchName
    backend arch grid kwargs num_warps num_stages num_ctas maxnreg all_kwargs base strides block_shape
    save_for_backward saved_tensors needs_input_grad mark_non_differentiable set_materialize_grads
""") | policy_messages.LOGGER_ATTRIBUTES

# Attributes of a module object (nn.Module): the weights and sizes it was built with.
LAYER_ATTRIBUTES = words("""
    weight bias eps momentum training affine track_running_stats running_mean running_var num_batches_tracked elementwise_affine
    in_features out_features in_channels out_channels kernel_size padding dilation groups output_padding transposed
    padding_mode ceil_mode count_include_pad return_indices output_size num_features num_channels num_groups normalized_shape
    negative_slope alpha beta inplace approximate lower upper lambd threshold min_val max_val num_parameters p margin reduction
    hidden_size input_size num_layers batch_first bidirectional dropout embed_dim num_heads head_dim in_proj_weight in_proj_bias
    q_proj_weight k_proj_weight v_proj_weight bias_k bias_v weight_ih weight_hh bias_ih bias_hh out_proj num_embeddings embedding_dim padding_idx scale_factor mode align_corners start_dim end_dim
    parameters named_parameters buffers named_buffers state_dict children named_children train eval
""") | frozenset(f"{kind}_{way}_l{layer}{direction}" for kind in ("weight", "bias") for way in ("ih", "hh") for layer in range(16) for direction in ("", "_reverse"))
MODULE_METHODS = words("register_buffer register_parameter add_module parameters named_parameters get_parameter buffers named_buffers get_buffer training train eval children forward")

# Attributes of a value inside a kernel: tl.tensor, tl.dtype, descriptors, constexpr.
KERNEL_ATTRIBUTES = words("""
    T abs advance argmax argmin associative_scan broadcast_to cast cdiv ceil cos cumprod cumsum dtype erf exp exp2 expand_dims
    flip floor gather histogram log log2 logical_and logical_or max min permute ravel reduce reduce_or reshape rsqrt scatter shape
    sigmoid sin softmax sort split sqrt sqrt_rn store load sum to trans type view xor_sum numel value element_ty scalar
    is_ptr is_block is_floating is_int is_int_signed is_int_unsigned is_fp8 is_fp16 is_bf16 is_fp32 is_fp64 is_int8 is_int16
    is_int32 is_int64 is_uint8 is_uint16 is_uint32 is_uint64 is_bool is_standard_floating primitive_bitwidth int_bitwidth fp_mantissa_width block_shape strides append name
""") | ATOMICS

# What torch.finfo and torch.iinfo answer.
INFO_ATTRIBUTES = words("max min eps tiny bits smallest_normal resolution dtype")

# Instance attributes of kernels, functions, frames and the like that dir() of a class does not show.
HIDDEN_ATTRIBUTES = words("""
    fn kernel params arg_names cache device_caches hash configs best_config pre_hook post_hook rewriter module launch_metadata
    asm metadata metadata_group packed_metadata src function next_functions variable n_regs n_spills
    configs_timings nargs base_fn func keywords handle gi_frame gi_code cr_frame cr_code ag_frame f_globals f_locals f_back f_builtins
    f_code tb_frame tb_next co_code co_consts fget fset fdel format format_map with_traceback default_factory obj register
""")
