"""Problems too large for an interpreter, one per structure that scaling has to cope with."""

PROBLEMS: dict[str, str] = {
    "square matmul": """
N = 2048 * 2
class Model(nn.Module):
    def forward(self, a, b): return torch.matmul(a, b)
def get_inputs(): return [torch.rand(N, N), torch.rand(N, N)]
def get_init_inputs(): return []
""",
    "convolution": """
batch, height, width = 16, 1024, 1024
in_channels, out_channels = 16, 128
kernel = (3, 5)
class Model(nn.Module):
    def __init__(self, i, o, k):
        super().__init__()
        self.conv = nn.Conv2d(i, o, k)
    def forward(self, x): return F.relu(self.conv(x))
def get_inputs(): return [torch.rand(batch, in_channels, height, width)]
def get_init_inputs(): return [in_channels, out_channels, kernel]
""",
    "transposed convolution in space": """
batch_size = 16
channels_in = 32
channels_out = 64
depth, height, width = 32, 64, 64
class Model(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.up = nn.ConvTranspose3d(i, o, 3, stride=2, padding=1, output_padding=1)
        self.bias = nn.Parameter(torch.randn(o, 1, 1, 1))
    def forward(self, x): return torch.tanh(self.up(x) + self.bias)
def get_inputs(): return [torch.rand(batch_size, channels_in, depth, height, width)]
def get_init_inputs(): return [channels_in, channels_out]
""",
    "batch norm": """
batch_size = 64
features = 64
dim1 = 512
dim2 = 512
class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm2d(n)
    def forward(self, x): return self.bn(x)
def get_inputs(): return [torch.rand(batch_size, features, dim1, dim2)]
def get_init_inputs(): return [features]
""",
    "attention block": """
batch_size = 128
longest = 1024
seq = 512
width = 768
heads = 8
class Model(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        assert width % heads == 0
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest))
        self.heads = heads
    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p.view(b, t, self.heads, c // self.heads).transpose(1, 2) for p in self.qkv(x).split(c, dim=2))
        s = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        s = s.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf")).softmax(-1)
        return self.out((s @ v).transpose(1, 2).reshape(b, t, c))
def get_inputs(): return [torch.rand(batch_size, seq, width)]
def get_init_inputs(): return [width, heads, longest]
""",
    "stacked lstm": """
batch_size = 10
steps = 512
inputs = 128
hidden = 256
layers = 3
class Model(nn.Module):
    def __init__(self, i, h, n):
        super().__init__()
        self.lstm = nn.LSTM(i, h, n, batch_first=True)
        self.fc = nn.Linear(h, 10)
    def forward(self, x): return self.fc(self.lstm(x)[0][:, -1])
def get_inputs(): return [torch.rand(batch_size, steps, inputs)]
def get_init_inputs(): return [inputs, hidden, layers]
""",
    "pooling over literals": """
class Model(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.pool = nn.AvgPool2d(k)
    def forward(self, x): return self.pool(x)
def get_inputs(): return [torch.rand(16, 64, 2048, 2048)]
def get_init_inputs(): return [11]
""",
    "loss with integer targets": """
batch_size = 32768
classes = 4096
shape = (classes,)
class Model(nn.Module):
    def forward(self, p, t): return F.cross_entropy(p, t)
def get_inputs(): return [torch.rand(batch_size, *shape), torch.randint(0, classes, (batch_size,))]
def get_init_inputs(): return []
""",
    "cumulative sum": """
batch_size = 32768
shape = (32768,)
dim = 1
class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
    def forward(self, x): return torch.cumsum(x.flip(self.dim), dim=self.dim).flip(self.dim)
def get_inputs(): return [torch.rand(batch_size, *shape)]
def get_init_inputs(): return [dim]
""",
    "group norm": """
batch_size = 112
features = 64
groups = 8
dim1, dim2 = 512, 512
class Model(nn.Module):
    def __init__(self, n, g):
        super().__init__()
        self.gn = nn.GroupNorm(g, n)
    def forward(self, x): return self.gn(x)
def get_inputs(): return [torch.rand(batch_size, features, dim1, dim2)]
def get_init_inputs(): return [features, groups]
""",
    "wide linear layer": """
batch_size = 1024
in_features = 8192
out_features = 8192
class Model(nn.Module):
    def __init__(self, i, o, shape):
        super().__init__()
        self.fc = nn.Linear(i, o)
        self.shift = nn.Parameter(torch.randn(shape))
    def forward(self, x): return F.gelu(self.fc(x)) + self.shift
def get_inputs(): return [torch.rand(batch_size, in_features)]
def get_init_inputs(): return [in_features, out_features, (out_features,)]
""",
    "literals that belong together": """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(width, width)
        self.b = nn.Linear(width, width)
    def forward(self, x): return self.b(torch.relu(self.a(x)))
def get_inputs(): return [torch.randn(512, 4096)]
def get_init_inputs(): return [4096]
""",
    "vision transformer": """
image = 224
patch = 16
width = 512
heads = 8
class Model(nn.Module):
    def __init__(self, image, patch, width, heads):
        super().__init__()
        assert image % patch == 0
        self.patch = patch
        self.project = nn.Linear(3 * patch * patch, width)
        self.where = nn.Parameter(torch.randn(1, (image // patch) ** 2, width))
        self.block = nn.TransformerEncoderLayer(width, heads, 2 * width, batch_first=True, dropout=0.0)
    def forward(self, x):
        p = self.patch
        x = x.unfold(2, p, p).unfold(3, p, p).reshape(x.shape[0], -1, 3 * p * p)
        return self.block(self.project(x) + self.where).mean(1)
def get_inputs(): return [torch.rand(8, 3, image, image)]
def get_init_inputs(): return [image, patch, width, heads]
""",
    "constructor that reads a value": """
batch = 4096
width = 1024
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rates = [x.item() for x in torch.linspace(0, 1, 4)]
        self.fc = nn.Linear(width, width)
    def forward(self, x): return self.fc(x) * self.rates[-1]
def get_inputs(): return [torch.rand(batch, width)]
def get_init_inputs(): return [width]
""",
    "forward that reads a value": """
batch = 4096
width = 1024
class Model(nn.Module):
    def forward(self, x): return x / x.max().item() if x.sum() > 0 else x
def get_inputs(): return [torch.rand(batch, width)]
""",
}
