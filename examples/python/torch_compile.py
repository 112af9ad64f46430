"""A layer norm that torch.compile makes a Triton kernel of. It needs a GPU, which the emulator is:

tilescope capture -- python torch_compile.py
"""

import torch
import torch._inductor.config

import tilescope


@torch.compile
def normed(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, (x.shape[1],), weight, bias).relu()


def main() -> tilescope.Capture:
    x, weight, bias = torch.randn(16, 200), torch.rand(200), torch.randn(200)
    on_gpu = [each.to("cuda") for each in (x, weight, bias)]
    with tilescope.capture() as c:
        out = normed(*on_gpu)
    right = torch.nn.functional.layer_norm(x, (200,), weight, bias).relu()
    torch.testing.assert_close(out.cpu(), right)
    return c


if __name__ == "__main__":
    for launch in main().launches:
        print(launch.kernel, launch.grid, launch.findings)
