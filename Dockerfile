# ptxscope and nothing else on Debian 12: docker build -t ptxscope . ; docker run --rm -v "$PWD:/work" ptxscope check kernel.ptx
FROM debian:bookworm-slim AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /source
# First what changes seldom: the packages are kept as long as this script stays as it is.
COPY scripts/setup.sh scripts/antlr-tool.txt scripts/
RUN apt-get update \
 && apt-get install -y --no-install-recommends ninja-build \
 && scripts/setup.sh \
 && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake --preset release -G Ninja -DPTXSCOPE_TESTS=OFF -DPTXSCOPE_BENCH=OFF -DPTXSCOPE_GUI=OFF \
 && cmake --build --preset release \
 && cmake --install build/release --component runtime --prefix /installed --strip

FROM debian:bookworm-slim
COPY --from=build /installed /usr/local
WORKDIR /work
ENTRYPOINT ["ptxscope"]
CMD ["--help"]
