"""A small network of torch's own kernels is trained: convolution, attention, backward, Adam.

tilescope capture -- python torch_training.py
"""

import torch
from torch import nn

import tilescope


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.LayerNorm(8)
        self.qkv = nn.Linear(8, 24)
        self.out = nn.Linear(8, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.conv(images).relu().flatten(2).transpose(1, 2)  # images, places, channels
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 1, 8)).half().permute(2, 0, 3, 1, 4)
        x = x + nn.functional.scaled_dot_product_attention(q, k, v).squeeze(1)
        return self.out(x.mean(1))


def train(device: str, images: torch.Tensor, labels: torch.Tensor) -> list[float]:
    torch.manual_seed(0)
    net = Net().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(images.to(device)), labels.to(device))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> tilescope.Capture:
    images, labels = torch.randn(4, 1, 8, 8), torch.randint(0, 10, (4,))
    with tilescope.capture() as c:
        losses = train("cuda", images, labels)
    torch.testing.assert_close(losses, train("cpu", images, labels), atol=1e-2, rtol=1e-2)
    return c


if __name__ == "__main__":
    for launch in main().launches:
        print(launch.kernel, launch.grid, launch.findings)
